#include "base/platform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/folder.h"

static void test_file__its_size_is_told(void **state) {
  const char *path = test_folder_file(&test_here, "a");
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
      sn_platform_size(test_folder_file(&test_here, "none"), &size, &error),
      SEEN_ENOTFOUND);
  assert_int_equal(error.code, SEEN_ENOTFOUND);
}

static void test_file__renamed_it_has_another_name(void **state) {
  const char *from = test_folder_file(&test_here, "a");
  const char *to = test_folder_file(&test_here, "b");
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
  assert_int_equal(sn_platform_rename(test_folder_file(&test_here, "none"),
                                      test_folder_file(&test_here, "b"), NULL),
                   SEEN_ENOTFOUND);
}

static void test_file__a_protected_folder_keeps_its_names(void **state) {
  const char *path = test_folder_file(&test_here, "a");
  int status;
  (void)state;
  test_file_write(path, "x", 1);
  test_folder_protect(&test_here, true);
  status = sn_platform_rename(path, test_folder_file(&test_here, "b"), NULL);
  test_folder_protect(&test_here, false);
  assert_int_equal(status, SEEN_EREADONLY);
}

static void test_file__deleted_it_is_gone(void **state) {
  const char *path = test_folder_file(&test_here, "a");
  (void)state;
  test_file_write(path, "x", 1);
  assert_int_equal(sn_platform_remove(path, NULL), SEEN_OK);
  assert_false(test_file_exists(path));
  assert_int_equal(sn_platform_remove(path, NULL), SEEN_ENOTFOUND);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST_IN_FOLDER(test_file__its_size_is_told),
      TEST_IN_FOLDER(test_file__one_that_is_not_there_has_no_size),
      TEST_IN_FOLDER(test_file__renamed_it_has_another_name),
      TEST_IN_FOLDER(test_file__nothing_can_not_be_renamed),
      TEST_IN_FOLDER(test_file__deleted_it_is_gone),
      TEST_IN_FOLDER(test_file__a_protected_folder_keeps_its_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
