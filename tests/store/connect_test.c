#define _POSIX_C_SOURCE 200809L

#include "store/sqlite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "support/folder.h"

static int connect_to(const char *path, sn_access access) {
  sn_source source = {path, NULL, NULL, 0};
  sqlite3 *database;
  seen_error error = SEEN_ERROR_INIT;
  int status =
      sn_connect(seen_allocator_default(), &source, access, &database, &error);
  if (!status && access == SN_ACCESS_WRITE)
    status = sn_run(database, "CREATE TABLE IF NOT EXISTS t (x)", &error);
  sn_disconnect(database);
  return status;
}

/* Signs that mean something in a URI are but letters of a path. */
static void test_connect__any_path_is_taken_as_it_is(void **state) {
  static const char *const names[] = {"a?mode=memory", "b#c", "d%20e", "f&g=h",
                                      "\xc3\xa4 \xe6\x97\xa5"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *path = test_folder_file(&test_here, names[i]);
    assert_int_equal(connect_to(path, SN_ACCESS_WRITE), SEEN_OK);
    assert_true(test_file_exists(path));
  }
}

static void test_connect__a_path_may_be_relative(void **state) {
  char before[1024];
  (void)state;
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(test_here.path), 0);
  assert_int_equal(connect_to("file:odd", SN_ACCESS_WRITE), SEEN_OK);
  assert_int_equal(connect_to("plain", SN_ACCESS_WRITE), SEEN_OK);
  assert_int_equal(chdir(before), 0);
  assert_true(test_file_exists(test_folder_file(&test_here, "plain")));
  assert_true(test_file_exists(test_folder_file(&test_here, "file:odd")));
}

static void test_connect__two_slashes_name_no_machine(void **state) {
  char path[600];
  (void)state;
  snprintf(path, sizeof path, "/%s/x", test_here.path);
  assert_int_equal(connect_to(path, SN_ACCESS_WRITE), SEEN_OK);
  assert_true(test_file_exists(test_folder_file(&test_here, "x")));
}

static void test_connect__reading_makes_no_file(void **state) {
  (void)state;
  assert_int_not_equal(
      connect_to(test_folder_file(&test_here, "none"), SN_ACCESS_READ),
      SEEN_OK);
  assert_int_equal(test_folder_count(&test_here, ""), 0);
}

static void test_connect__a_missing_folder_can_not_be_written(void **state) {
  (void)state;
  assert_int_equal(
      connect_to(test_folder_file(&test_here, "none/x"), SN_ACCESS_WRITE),
      SEEN_EREADONLY);
}

static void check_is(const char *path, int wanted) {
  sn_source source = {path, NULL, NULL, 0};
  assert_int_equal(sn_connect_check(&source, NULL), wanted);
}

static void test_connect__what_is_no_file_is_refused(void **state) {
  (void)state;
  check_is(NULL, SEEN_EINVAL);
  check_is("", SEEN_EINVAL);
  check_is(":memory:", SEEN_EINVAL);
  check_is("x", SEEN_OK);
}

/* No SQLite that these tests are linked with has a cipher. */
static void test_connect__a_key_without_a_cipher_is_refused(void **state) {
  const uint8_t key[SN_KEY_SIZE] = {1};
  sn_source source = {"x", NULL, key, 0};
  seen_error error = SEEN_ERROR_INIT;
  (void)state;
  if (sn_key_supported()) skip();
  assert_int_equal(sn_connect_check(&source, &error), SEEN_EUNSUPPORTED);
  assert_non_null(strstr(error.message, "cipher"));
}

static sn_access access_of(void) {
  sn_access access;
  assert_int_equal(sn_connect_access(seen_allocator_default(),
                                     test_folder_file(&test_here, "m"), &access,
                                     NULL),
                   SEEN_OK);
  return access;
}

static void test_connect__the_files_beside_it_say_how_to_read(void **state) {
  (void)state;
  assert_int_equal(access_of(), SN_ACCESS_AT_REST);
  test_file_write(test_folder_file(&test_here, "m-wal"), "", 0);
  assert_int_equal(access_of(), SN_ACCESS_AT_REST);
  test_file_write(test_folder_file(&test_here, "m-wal"), "x", 1);
  assert_int_equal(access_of(), SN_ACCESS_LEFT);
  test_file_write(test_folder_file(&test_here, "m-shm"), "", 0);
  assert_int_equal(access_of(), SN_ACCESS_READ);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST_IN_FOLDER(test_connect__any_path_is_taken_as_it_is),
      TEST_IN_FOLDER(test_connect__a_path_may_be_relative),
      TEST_IN_FOLDER(test_connect__two_slashes_name_no_machine),
      TEST_IN_FOLDER(test_connect__reading_makes_no_file),
      TEST_IN_FOLDER(test_connect__a_missing_folder_can_not_be_written),
      TEST_IN_FOLDER(test_connect__what_is_no_file_is_refused),
      TEST_IN_FOLDER(test_connect__a_key_without_a_cipher_is_refused),
      TEST_IN_FOLDER(test_connect__the_files_beside_it_say_how_to_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
