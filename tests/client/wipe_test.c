#include "client/wipe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/platform.h"
#include "support/alloc.h"
#include "support/store.h"

static int wipe(const char *path, const char *recorder, seen_error *error) {
  return sn_wipe_files(path, recorder, seen_allocator_default(), error);
}

static void test_wipe__a_store_holds_nothing_any_more(void **state) {
  static const seen_totals totals = {5, 1, 0, 0};
  static const seen_row row = {.size = sizeof row, .unread = 5, .listed = true};
  const seen_record record = test_record_plain("g", 5);
  seen_options options;
  seen_engine *engine;
  seen_store *store;
  seen_totals left;
  seen_meta meta = {.size = sizeof meta};
  uint64_t records;
  seen_conv conv;
  (void)state;
  seen_options_init(&options);
  options.user = "u1";
  assert_int_equal(seen_engine_new(&options, 0, &engine, NULL), SEEN_OK);
  assert_int_equal(seen_engine_intern(engine, "g", &conv, NULL), SEEN_OK);
  assert_int_equal(seen_store_open_memory(NULL, &store, NULL), SEEN_OK);
  store->begin(store, false, NULL);
  store->put(store, &record, &row, NULL);
  store->put_totals(store, &totals, 1, NULL);
  store->put_meta(store, &(seen_meta){sizeof meta, "u1", "d", "i", 7}, NULL);
  assert_int_equal(store->commit(store, NULL), SEEN_OK);
  assert_int_equal(sn_wipe_store(store, engine), SEEN_OK);
  assert_int_equal(store_count_of(store), 0);
  assert_int_equal(store->totals(store, &left, &records, NULL), SEEN_OK);
  assert_int_equal(left.unread + records, 0);
  assert_int_equal(store->meta(store, &meta, NULL), SEEN_OK);
  assert_string_equal(meta.user, "");
  assert_int_equal(meta.version, 0);
  store->close(store);
  seen_engine_free(engine);
}

static void test_wipe__no_file_is_left(void **state) {
  static const char *const names[] = {"m",      "m-wal", "m-shm", "m-journal",
                                      "m-lock", "r-0",   "r-1"};
  char path[300], recorder[300];
  (void)state;
  strcpy(path, test_folder_file(&test_here, "m"));
  strcpy(recorder, test_folder_file(&test_here, "r"));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    test_file_write(test_folder_file(&test_here, names[i]), "x", 1);
  assert_int_equal(wipe(path, recorder, NULL), SEEN_OK);
  assert_int_equal(test_folder_count(&test_here, "m"), 0);
  assert_int_equal(test_folder_count(&test_here, "r"), 0);
  assert_int_equal(wipe(path, recorder, NULL), SEEN_OK); /* nothing is fine */
  assert_int_equal(wipe(NULL, NULL, NULL), SEEN_OK);
}

static void test_wipe__what_can_not_be_deleted_is_named(void **state) {
  char path[300];
  seen_error error = SEEN_ERROR_INIT;
  int status;
  (void)state;
  strcpy(path, test_folder_file(&test_here, "m"));
  test_file_write(path, "x", 1);
  test_file_write(test_folder_file(&test_here, "m-lock"), "", 0);
  test_folder_protect(&test_here, true);
  status = wipe(path, NULL, &error);
  test_folder_protect(&test_here, false);
  assert_int_equal(status, SEEN_EREADONLY);
  assert_int_equal(error.code, SEEN_EREADONLY);
  assert_non_null(strstr(error.message, path));
}

static void test_wipe__a_mirror_of_somebody_else_stays(void **state) {
  char path[300], name[300];
  sn_lock lock;
  (void)state;
  strcpy(path, test_folder_file(&test_here, "m"));
  strcpy(name, test_folder_file(&test_here, "m-lock"));
  test_file_write(path, "x", 1);
  assert_int_equal(sn_platform_lock(name, &lock, NULL), SEEN_OK);
  assert_int_equal(wipe(path, NULL, NULL), SEEN_ELOCKED);
  sn_platform_unlock(&lock);
  assert_true(test_file_exists(path));
}

static void test_wipe__without_memory_it_says_so(void **state) {
  test_alloc memory;
  (void)state;
  test_alloc_init(&memory);
  test_alloc_fail_on(&memory, 1);
  assert_int_equal(sn_wipe_files("m", "r", &memory.allocator, NULL),
                   SEEN_ENOMEM);
  test_alloc_check(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wipe__a_store_holds_nothing_any_more),
      TEST_IN_FOLDER(test_wipe__no_file_is_left),
      TEST_IN_FOLDER(test_wipe__what_can_not_be_deleted_is_named),
      TEST_IN_FOLDER(test_wipe__a_mirror_of_somebody_else_stays),
      cmocka_unit_test(test_wipe__without_memory_it_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
