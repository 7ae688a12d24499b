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

static void test_open__a_new_one_is_empty(void **state) {
  test_store *t = store_start();
  seen_meta meta;
  (void)state;
  store_open(t);
  assert_int_equal(t->store->size, sizeof(seen_store));
  assert_int_equal(t->store->origin, SEEN_ORIGIN_NEW);
  assert_int_equal(t->store->trouble, SEEN_OK);
  assert_int_equal(store_count(t), 0);
  assert_int_equal(t->store->meta(t->store, &meta, NULL), SEEN_OK);
  assert_string_equal(meta.user, "");
  store_end(t);
}

static void test_open__what_was_written_is_kept(void **state) {
  test_store *t = store_start();
  const seen_record *record = test_record_full("c", 700);
  (void)state;
  store_open(t);
  store_put(t, record, 3, 1);
  store_reopen(t);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_KEPT);
  store_has(t, record, 3);
  store_end(t);
}

static void test_open__options_that_make_no_sense_are_refused(void **state) {
  test_store *t = store_start();
  (void)state;
  t->options.size--;
  assert_int_equal(store_try(t, NULL), SEEN_EINVAL);
  assert_null(t->store);
  store_end(t);
}

static void test_open__a_second_writer_is_refused(void **state) {
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

static void test_open__another_process_keeps_it_until_it_dies(void **state) {
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

static void test_open__what_is_no_database_is_set_aside(void **state) {
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
static void test_open__an_empty_file_is_a_new_one(void **state) {
  (void)state;
  for (size_t size = 0; size <= 1; size++) {
    test_store *t = store_start();
    test_file_write(t->options.path, "S", size);
    store_open(t);
    assert_int_equal(t->store->origin, SEEN_ORIGIN_NEW);
    store_end(t);
  }
}

static void test_open__another_programs_database_is_set_aside(void **state) {
  test_store *t = store_start();
  (void)state;
  store_sql(t, "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
  is_replaced(t, SEEN_ECORRUPT);
  store_end(t);
}

static void test_open__a_schema_that_lacks_a_table_is_set_aside(void **state) {
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
test_open__a_format_that_no_sqlite_writes_is_set_aside(void **state) {
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

static void test_open__a_newer_schema_is_set_aside(void **state) {
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
static void test_open__a_log_without_its_database_is_nothing(void **state) {
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

static void test_open__a_closed_mirror_is_its_database_alone(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  size_t size;
  (void)state;
  store_open(t);
  store_put(t, &record, 1, 1);
  store_close(t);
  free(test_file_read(test_folder_file(&t->folder, "mirror.db-wal"), &size));
  assert_int_equal(size, 0);
  unlink(test_folder_file(&t->folder, "mirror.db-wal"));
  unlink(test_folder_file(&t->folder, "mirror.db-shm"));
  store_open(t);
  store_has(t, &record, 1);
  store_end(t);
}

static void test_open__a_reader_in_the_log_holds_up_no_close(void **state) {
  test_store *t = store_start();
  seen_record first = test_record_plain("c", 1);
  seen_record second = test_record_plain("d", 1);
  sqlite3 *reader;
  (void)state;
  store_open(t);
  store_put(t, &first, 1, 1);
  assert_int_equal(sqlite3_open(t->options.path, &reader), SQLITE_OK);
  assert_int_equal(sqlite3_exec(reader,
                                "BEGIN; SELECT count(*) FROM conversation",
                                NULL, NULL, NULL),
                   SQLITE_OK);
  store_put(t, &second, 1, 2);
  store_close(t);
  assert_int_equal(sqlite3_close(reader), SQLITE_OK);
  store_open(t);
  store_has(t, &second, 1);
  store_end(t);
}

static void test_open__a_missing_folder_is_waited_for(void **state) {
  test_store *t = store_start();
  seen_error error = SEEN_ERROR_INIT;
  const char *path = t->options.path;
  (void)state;
  t->options.path = test_folder_file(&t->folder, "later/mirror.db");
  assert_int_equal(store_try(t, &error), SEEN_OK);
  assert_string_equal(error.message, ""); /* it did not fail */
  assert_int_equal(t->store->trouble, SEEN_EREADONLY);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_NEW);
  assert_int_equal(store_count(t), 0);
  assert_int_equal(t->store->begin(t->store, false, NULL), SEEN_EREADONLY);
  t->store->rollback(t->store);
  t->options.path = path;
  store_end(t);
}

static void test_open__a_protected_folder_is_read_and_waited_for(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  (void)state;
  store_open(t);
  store_put(t, &record, 1, 1);
  store_put_meta(t, "me", 5);
  store_close(t);
  test_folder_protect(&t->folder, true);
  store_open(t);
  assert_int_equal(t->store->trouble, SEEN_EREADONLY);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_KEPT);
  store_has(t, &record, 1);
  assert_int_equal(t->store->begin(t->store, false, NULL), SEEN_EREADONLY);
  t->store->rollback(t->store);
  test_folder_protect(&t->folder, false);
  record = test_record_plain("c", 2);
  store_put(t, &record, 2, 1);
  assert_int_equal(t->store->trouble, SEEN_OK);
  store_reopen(t);
  store_has(t, &record, 2);
  store_end(t);
}

/* What can't be set aside yet is not read either. */
static void
test_open__a_corrupt_file_in_a_protected_folder_waits(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 2);
  (void)state;
  test_file_write(t->options.path, "nonsense", 8);
  test_folder_protect(&t->folder, true);
  store_open(t);
  assert_int_equal(t->store->trouble, SEEN_EREADONLY);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_REPLACED);
  assert_int_equal(t->store->origin_code, SEEN_ECORRUPT);
  assert_int_equal(store_count(t), 0);
  test_folder_protect(&t->folder, false);
  store_put(t, &record, 2, 1);
  assert_int_equal(test_folder_count(&t->folder, "mirror.db.aside-"), 1);
  store_end(t);
}

static void test_open__to_be_read_it_takes_no_lock(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  seen_store *reader;
  (void)state;
  store_open(t);
  store_put(t, &record, 1, 1);
  t->options.read_only = true;
  assert_int_equal(seen_store_open_sqlite(&t->options, &reader, NULL), 0);
  assert_int_equal(reader->origin, SEEN_ORIGIN_KEPT);
  assert_int_equal(reader->begin(reader, false, NULL), SEEN_EREADONLY);
  reader->close(reader);
  store_end(t);
}

static void test_open__to_be_read_it_has_to_be_there(void **state) {
  test_store *t = store_start();
  (void)state;
  t->options.read_only = true;
  assert_int_equal(store_try(t, NULL), SEEN_ENOTFOUND);
  assert_int_equal(test_folder_count(&t->folder, ""), 0);
  store_end(t);
}

static void test_open__to_be_read_nothing_is_set_aside(void **state) {
  test_store *t = store_start();
  (void)state;
  test_file_write(t->options.path, "nonsense", 8);
  t->options.read_only = true;
  assert_int_equal(store_try(t, NULL), SEEN_ECORRUPT);
  assert_int_equal(test_folder_count(&t->folder, ""), 1);
  store_end(t);
}

static void test_open__without_memory_nothing_is_lost(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  int status = SEEN_ENOMEM;
  (void)state;
  store_open(t);
  store_put(t, &record, 1, 1);
  store_close(t);
  for (uint64_t n = 1; status; n++) {
    size_t blocks = t->memory.blocks;
    test_alloc_fail(&t->memory, n);
    status = store_try(t, NULL);
    test_alloc_fail(&t->memory, 0);
    if (!status) break;
    assert_int_equal(status, SEEN_ENOMEM);
    assert_null(t->store);
    assert_int_equal(t->memory.blocks, blocks);
  }
  assert_in_range(t->memory.failures, 3, 100);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_KEPT);
  store_has(t, &record, 1);
  store_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_open__a_new_one_is_empty),
      cmocka_unit_test(test_open__what_was_written_is_kept),
      cmocka_unit_test(test_open__options_that_make_no_sense_are_refused),
      cmocka_unit_test(test_open__a_second_writer_is_refused),
      cmocka_unit_test(test_open__another_process_keeps_it_until_it_dies),
      cmocka_unit_test(test_open__what_is_no_database_is_set_aside),
      cmocka_unit_test(test_open__an_empty_file_is_a_new_one),
      cmocka_unit_test(test_open__another_programs_database_is_set_aside),
      cmocka_unit_test(test_open__a_schema_that_lacks_a_table_is_set_aside),
      cmocka_unit_test(test_open__a_format_that_no_sqlite_writes_is_set_aside),
      cmocka_unit_test(test_open__a_newer_schema_is_set_aside),
      cmocka_unit_test(test_open__a_log_without_its_database_is_nothing),
      cmocka_unit_test(test_open__a_closed_mirror_is_its_database_alone),
      cmocka_unit_test(test_open__a_reader_in_the_log_holds_up_no_close),
      cmocka_unit_test(test_open__a_missing_folder_is_waited_for),
      cmocka_unit_test(test_open__a_protected_folder_is_read_and_waited_for),
      cmocka_unit_test(test_open__a_corrupt_file_in_a_protected_folder_waits),
      cmocka_unit_test(test_open__to_be_read_it_takes_no_lock),
      cmocka_unit_test(test_open__to_be_read_it_has_to_be_there),
      cmocka_unit_test(test_open__to_be_read_nothing_is_set_aside),
      cmocka_unit_test(test_open__without_memory_nothing_is_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
