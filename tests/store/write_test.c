#define _POSIX_C_SOURCE 200809L

#include "store/sqlite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/store.h"

static sqlite3 *database_of(const test_store *t) {
  return sn_sqlite_of(t->store)->database;
}

static void test_write__a_rollback_leaves_what_was(void **state) {
  test_store *t = store_start();
  seen_record before = test_record_plain("c", 1);
  seen_record after = test_record_plain("c", 2);
  seen_row row = test_row(9);
  (void)state;
  store_open(t);
  store_put(t, &before, 1, 1);
  assert_int_equal(t->store->begin(t->store, false, NULL), SEEN_OK);
  assert_int_equal(t->store->put(t->store, &after, &row, NULL), SEEN_OK);
  t->store->rollback(t->store);
  t->store->rollback(t->store);
  store_has(t, &before, 1);
  store_reopen(t);
  store_has(t, &before, 1);
  store_end(t);
}

static void test_write__closed_without_a_commit_nothing_is_kept(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  seen_row row = test_row(9);
  (void)state;
  store_open(t);
  assert_int_equal(t->store->begin(t->store, false, NULL), SEEN_OK);
  assert_int_equal(t->store->put(t->store, &record, &row, NULL), SEEN_OK);
  store_reopen(t);
  assert_int_equal(store_count(t), 0);
  store_end(t);
}

static void test_write__a_record_replaces_the_one_before(void **state) {
  test_store *t = store_start();
  seen_record record;
  (void)state;
  store_open(t);
  for (uint64_t seq = 1; seq < 5; seq++) {
    record = test_record_plain("c", seq);
    store_put(t, &record, seq, 1);
  }
  assert_int_equal(store_count(t), 1);
  store_has(t, &record, 4);
  store_end(t);
}

static void test_write__a_removed_record_takes_its_pieces_along(void **state) {
  test_store *t = store_start();
  (void)state;
  store_open(t);
  store_put(t, test_record_full("c", 700), 1, 1);
  assert_in_range(store_number(t, "SELECT count(*) FROM piece"), 20, 100);
  store_remove(t, "c", 0);
  store_remove(t, "never", 0);
  assert_int_equal(store_count(t), 0);
  assert_int_equal(store_number(t, "SELECT count(*) FROM piece"), 0);
  store_end(t);
}

static void test_write__a_list_that_shrank_leaves_no_pieces(void **state) {
  test_store *t = store_start();
  static const size_t counts[] = {700, 300, 20, 0, 600};
  (void)state;
  store_open(t);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    const seen_record *record = test_record_full("c", counts[i]);
    store_put(t, record, i, 1);
    store_has(t, record, i);
    assert_int_equal(store_number(t, "SELECT (SELECT count(*) FROM piece)"
                                     " - (SELECT pieces FROM conversation)"),
                     0);
  }
  store_end(t);
}

/* How many rows a record changes that is written again. */
static int changes(test_store *t, const seen_record *record) {
  int before = sqlite3_total_changes(database_of(t));
  store_put(t, record, 1, 1);
  return sqlite3_total_changes(database_of(t)) - before - 1; /* the totals */
}

static void test_write__a_record_is_one_row(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  (void)state;
  store_open(t);
  assert_int_equal(changes(t, &record), 1);
  assert_int_equal(changes(t, &record), 1);
  store_end(t);
}

static void
test_write__a_roster_that_did_not_change_is_not_written(void **state) {
  test_store *t = store_start();
  seen_record record = *test_record_full("c", 700);
  (void)state;
  store_open(t);
  assert_in_range(changes(t, &record), 20, 100);
  assert_int_equal(changes(t, &record), 1);
  record.last_seq--;
  record.read.seq++;
  assert_int_equal(changes(t, &record), 1);
  store_has(t, &record, 1);
  store_end(t);
}

static int64_t synchronous(const test_store *t) {
  sqlite3_stmt *statement;
  int64_t level;
  sqlite3_prepare_v2(database_of(t), "PRAGMA synchronous", -1, &statement,
                     NULL);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  level = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return level;
}

enum { NORMAL = 1, FULL = 2 };

static void commit_as(test_store *t, bool durable, int level) {
  assert_int_equal(t->store->begin(t->store, durable, NULL), SEEN_OK);
  assert_int_equal(synchronous(t), level);
  assert_int_equal(t->store->commit(t->store, NULL), SEEN_OK);
}

static void test_write__only_what_is_to_be_durable_is_synced(void **state) {
  test_store *t = store_start();
  (void)state;
  store_open(t);
  commit_as(t, false, NORMAL);
  commit_as(t, true, FULL);
  commit_as(t, true, FULL);
  commit_as(t, false, NORMAL);
  store_end(t);
}

/* A commit that writes no page syncs no page either. */
static void test_write__what_is_to_be_durable_writes_something(void **state) {
  test_store *t = store_start();
  const char *log = test_folder_file(&t->folder, "mirror.db-wal");
  uint64_t before, after;
  (void)state;
  store_open(t);
  assert_int_equal(sn_platform_size(log, &before, NULL), SEEN_OK);
  commit_as(t, false, NORMAL);
  assert_int_equal(sn_platform_size(log, &after, NULL), SEEN_OK);
  assert_int_equal(after, before);
  commit_as(t, true, FULL);
  assert_int_equal(sn_platform_size(log, &after, NULL), SEEN_OK);
  assert_true(after > before);
  store_end(t);
}

static void test_write__meta_is_kept(void **state) {
  test_store *t = store_start();
  seen_meta meta;
  (void)state;
  store_open(t);
  store_put_meta(t, "me", 5);
  store_put_meta(t, "me", SEEN_SEQ_MAX);
  store_reopen(t);
  assert_int_equal(t->store->meta(t->store, &meta, NULL), SEEN_OK);
  assert_string_equal(meta.user, "me");
  assert_string_equal(meta.device, "phone");
  assert_string_equal(meta.incarnation, "first");
  assert_int_equal(meta.version, SEEN_SEQ_MAX);
  store_end(t);
}

static void test_write__a_busy_database_is_tried_again(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  sqlite3 *other;
  (void)state;
  store_open(t);
  assert_int_equal(sqlite3_open(t->options.path, &other), SQLITE_OK);
  assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), 0);
  assert_int_equal(t->store->begin(t->store, false, NULL), SEEN_EBUSY);
  t->store->rollback(t->store);
  sqlite3_close(other);
  store_put(t, &record, 1, 1);
  store_has(t, &record, 1);
  store_end(t);
}

static void test_write__a_full_database_keeps_what_it_has(void **state) {
  test_store *t = store_start();
  seen_record before = test_record_plain("c", 1);
  seen_row row = test_row(9);
  int status;
  (void)state;
  store_open(t);
  store_put(t, &before, 1, 1);
  sqlite3_exec(database_of(t), "PRAGMA max_page_count = 1", NULL, NULL, NULL);
  assert_int_equal(t->store->begin(t->store, false, NULL), SEEN_OK);
  status = t->store->put(t->store, test_record_full("d", 700), &row, NULL);
  assert_int_equal(status, SEEN_EFULL);
  t->store->rollback(t->store);
  store_has(t, &before, 1);
  sqlite3_exec(database_of(t), "PRAGMA max_page_count = 100000", NULL, NULL,
               NULL);
  store_put(t, test_record_full("d", 700), 2, 2);
  assert_int_equal(store_count(t), 2);
  store_end(t);
}

/* Whoever calls in the wrong order is told, and no file has to suffer. */
static void test_write__a_begin_within_another_is_no_corruption(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  test_loaded loaded;
  (void)state;
  store_open(t);
  assert_int_equal(t->store->begin(t->store, false, NULL), SEEN_OK);
  assert_int_equal(t->store->begin(t->store, false, NULL), SEEN_EIO);
  loaded = store_load(t->store);
  assert_int_equal(loaded.status, SEEN_EIO);
  store_loaded_free(&loaded);
  t->store->rollback(t->store);
  store_put(t, &record, 1, 1);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_NEW);
  assert_int_equal(test_folder_count(&t->folder, "mirror.db.aside"), 0);
  store_end(t);
}

/* Its root page goes; the open database finds out when it is written. */
static void test_write__what_turns_out_corrupt_is_set_aside(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  seen_row row = test_row(1);
  int status;
  (void)state;
  store_open(t);
  store_put(t, &record, 1, 1);
  store_close(t);
  store_sql(t, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA writable_schema = ON;"
               " UPDATE sqlite_master SET rootpage = 1"
               " WHERE name = 'conversation'");
  store_open(t);
  if (t->store->origin == SEEN_ORIGIN_KEPT) {
    status = t->store->begin(t->store, false, NULL);
    if (!status) status = t->store->put(t->store, &record, &row, NULL);
    assert_int_equal(status, SEEN_ECORRUPT);
    t->store->rollback(t->store);
    store_put(t, &record, 1, 1);
  }
  assert_int_equal(t->store->origin, SEEN_ORIGIN_REPLACED);
  assert_int_equal(t->store->origin_code, SEEN_ECORRUPT);
  assert_in_range(test_folder_count(&t->folder, "mirror.db.aside-"), 1, 3);
  store_end(t);
}

static int change(test_store *t) {
  seen_row row = test_row(9);
  seen_totals totals = {.unread = 9};
  int status = t->store->begin(t->store, true, NULL);
  if (!status)
    status = t->store->put(t->store, test_record_full("c", 300), &row, NULL);
  if (!status) status = t->store->put_totals(t->store, &totals, 1, NULL);
  if (!status) status = t->store->commit(t->store, NULL);
  if (status) t->store->rollback(t->store);
  return status;
}

static void test_write__without_memory_nothing_changes(void **state) {
  test_store *t = store_start();
  seen_record before = test_record_plain("c", 1);
  int status = SEEN_ENOMEM;
  (void)state;
  store_open(t);
  store_put(t, &before, 1, 1);
  store_reopen(t);
  for (uint64_t n = 1; status; n++) {
    test_alloc_fail(&t->memory, n);
    status = change(t);
    test_alloc_fail(&t->memory, 0);
    if (!status) break;
    assert_int_equal(status, SEEN_ENOMEM);
    store_has(t, &before, 1);
  }
  assert_in_range(t->memory.failures, 3, 1000);
  store_has(t, test_record_full("c", 300), 9);
  store_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_write__a_rollback_leaves_what_was),
      cmocka_unit_test(test_write__closed_without_a_commit_nothing_is_kept),
      cmocka_unit_test(test_write__a_record_replaces_the_one_before),
      cmocka_unit_test(test_write__a_removed_record_takes_its_pieces_along),
      cmocka_unit_test(test_write__a_list_that_shrank_leaves_no_pieces),
      cmocka_unit_test(test_write__a_record_is_one_row),
      cmocka_unit_test(test_write__a_roster_that_did_not_change_is_not_written),
      cmocka_unit_test(test_write__only_what_is_to_be_durable_is_synced),
      cmocka_unit_test(test_write__what_is_to_be_durable_writes_something),
      cmocka_unit_test(test_write__meta_is_kept),
      cmocka_unit_test(test_write__a_busy_database_is_tried_again),
      cmocka_unit_test(test_write__a_full_database_keeps_what_it_has),
      cmocka_unit_test(test_write__a_begin_within_another_is_no_corruption),
      cmocka_unit_test(test_write__what_turns_out_corrupt_is_set_aside),
      cmocka_unit_test(test_write__without_memory_nothing_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
