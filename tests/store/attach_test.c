#define _POSIX_C_SOURCE 200809L

#include <seen/sys/store.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include <unistd.h>

#include "support/child.h"
#include "support/store.h"

static void test_attach__a_second_writer_is_refused(void **state) {
  test_store *t = store_start();
  seen_store *second;
  seen_error error = SEEN_ERROR_INIT;
  (void)state;
  store_open(t);
  assert_int_equal(seen_store_open_sqlite(&t->options, &second, &error),
                   SEEN_ELOCKED);
  assert_null(second);
  assert_non_null(strstr(error.message, "locked"));
  store_reopen(t);
  store_end(t);
}

/* Opens the mirror and writes one record. */
static bool write_one(void *with) {
  const test_store *t = with;
  seen_record record = test_record_plain("theirs", 1);
  seen_row row = test_row(1);
  seen_totals totals = {.unread = 1};
  seen_store *store;
  return !seen_store_open_sqlite(&t->options, &store, NULL) &&
         !store->begin(store, false, NULL) &&
         !store->put(store, &record, &row, NULL) &&
         !store->put_totals(store, &totals, 1, NULL) &&
         !store->commit(store, NULL);
}

static void test_attach__another_process_keeps_it_until_it_dies(void **state) {
  test_store *t = store_start();
  pid_t child = test_child_start(write_one, t);
  (void)state;
  assert_int_equal(store_try(t, NULL), SEEN_ELOCKED);
  test_child_kill(child);
  store_open(t);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_KEPT);
  assert_int_equal(store_count(t), 1);
  store_end(t);
}

static void is_replaced(test_store *t, int code) {
  seen_record record = test_record_plain("c", 1);
  store_open(t);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_REPLACED);
  assert_int_equal(t->store->origin_code, code);
  assert_int_equal(store_count(t), 0);
  assert_in_range(test_folder_count(&t->folder, "mirror.db.aside-"), 1, 3);
  store_put(t, &record, 1, 1);
  store_reopen(t);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_KEPT);
  store_has(t, &record, 1);
}

static void test_attach__what_is_no_database_is_set_aside(void **state) {
  static const size_t sizes[] = {2, 99, 100, 512, 4096, 9999};
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    test_store *t = store_start();
    char bytes[9999];
    memset(bytes, 'x', sizeof bytes);
    test_file_write(t->options.path, bytes, sizes[i]);
    is_replaced(t, SEEN_ECORRUPT);
    store_end(t);
  }
}

/* One byte is what SQLite itself may write into an empty file. */
static void test_attach__an_empty_file_is_a_new_one(void **state) {
  (void)state;
  for (size_t size = 0; size <= 1; size++) {
    test_store *t = store_start();
    test_file_write(t->options.path, "S", size);
    store_open(t);
    assert_int_equal(t->store->origin, SEEN_ORIGIN_NEW);
    store_end(t);
  }
}

static void test_attach__another_programs_database_is_set_aside(void **state) {
  test_store *t = store_start();
  (void)state;
  store_sql(t, "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
  is_replaced(t, SEEN_ECORRUPT);
  store_end(t);
}

static void
test_attach__a_schema_that_lacks_a_table_is_set_aside(void **state) {
  test_store *t = store_start();
  (void)state;
  store_open(t);
  store_close(t);
  store_sql(t, "DROP TABLE piece");
  is_replaced(t, SEEN_ECORRUPT);
  store_end(t);
}

/* SQLite itself only reads a file whose header names a newer format. */
static void
test_attach__a_format_that_no_sqlite_writes_is_set_aside(void **state) {
  test_store *t = store_start();
  size_t size;
  char *bytes;
  (void)state;
  store_open(t);
  store_close(t);
  store_sql(t, "PRAGMA wal_checkpoint(TRUNCATE)");
  bytes = test_file_read(t->options.path, &size);
  bytes[18] = 9;
  test_file_write(t->options.path, bytes, size);
  free(bytes);
  is_replaced(t, SEEN_ECORRUPT);
  store_end(t);
}

static void test_attach__a_newer_schema_is_set_aside(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  (void)state;
  store_open(t);
  store_put(t, &record, 1, 1);
  store_close(t);
  store_sql(t, "PRAGMA user_version = 99");
  is_replaced(t, SEEN_ESCHEMA);
  store_end(t);
}

/* The log of a database that is gone says nothing of the next one. */
static void test_attach__a_log_without_its_database_is_nothing(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  (void)state;
  store_open(t);
  store_put(t, &record, 1, 1);
  store_close(t);
  assert_int_equal(unlink(t->options.path), 0);
  assert_true(test_file_exists(test_folder_file(&t->folder, "mirror.db-wal")));
  store_open(t);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_NEW);
  assert_int_equal(store_count(t), 0);
  store_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_attach__a_second_writer_is_refused),
      cmocka_unit_test(test_attach__another_process_keeps_it_until_it_dies),
      cmocka_unit_test(test_attach__what_is_no_database_is_set_aside),
      cmocka_unit_test(test_attach__an_empty_file_is_a_new_one),
      cmocka_unit_test(test_attach__another_programs_database_is_set_aside),
      cmocka_unit_test(test_attach__a_schema_that_lacks_a_table_is_set_aside),
      cmocka_unit_test(
          test_attach__a_format_that_no_sqlite_writes_is_set_aside),
      cmocka_unit_test(test_attach__a_newer_schema_is_set_aside),
      cmocka_unit_test(test_attach__a_log_without_its_database_is_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
