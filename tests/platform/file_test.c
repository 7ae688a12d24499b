#include "base/platform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/folder.h"

static test_folder folder;

static int set_up(void **state) {
  (void)state;
  test_folder_make(&folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  test_folder_remove(&folder);
  return 0;
}

static void test_file__its_size_is_told(void **state) {
  const char *path = test_folder_file(&folder, "a");
  uint64_t size = 99;
  (void)state;
  test_file_write(path, "12345", 5);
  assert_int_equal(sn_platform_size(path, &size, NULL), SEEN_OK);
  assert_int_equal(size, 5);
}

static void test_file__one_that_is_not_there_has_no_size(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  uint64_t size;
  (void)state;
  assert_int_equal(
      sn_platform_size(test_folder_file(&folder, "none"), &size, &error),
      SEEN_ENOTFOUND);
  assert_int_equal(error.code, SEEN_ENOTFOUND);
}

static void test_file__renamed_it_has_another_name(void **state) {
  const char *from = test_folder_file(&folder, "a");
  const char *to = test_folder_file(&folder, "b");
  char *bytes;
  (void)state;
  test_file_write(from, "new", 3);
  test_file_write(to, "old", 3);
  assert_int_equal(sn_platform_rename(from, to, NULL), SEEN_OK);
  assert_false(test_file_exists(from));
  bytes = test_file_read(to, NULL);
  assert_string_equal(bytes, "new");
  free(bytes);
}

static void test_file__nothing_can_not_be_renamed(void **state) {
  (void)state;
  assert_int_equal(sn_platform_rename(test_folder_file(&folder, "none"),
                                      test_folder_file(&folder, "b"), NULL),
                   SEEN_ENOTFOUND);
}

static void test_file__a_protected_folder_keeps_its_names(void **state) {
  const char *path = test_folder_file(&folder, "a");
  int status;
  (void)state;
  test_file_write(path, "x", 1);
  test_folder_protect(&folder, true);
  status = sn_platform_rename(path, test_folder_file(&folder, "b"), NULL);
  test_folder_protect(&folder, false);
  assert_int_equal(status, SEEN_EREADONLY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_file__its_size_is_told, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(
          test_file__one_that_is_not_there_has_no_size, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_file__renamed_it_has_another_name,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_file__nothing_can_not_be_renamed,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(
          test_file__a_protected_folder_keeps_its_names, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
