#define _POSIX_C_SOURCE 200809L

#include "store/sqlite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/store.h"

static sqlite3 *memory_database(void) {
  sqlite3 *database;
  assert_int_equal(sqlite3_open(":memory:", &database), SQLITE_OK);
  return database;
}

static void run(sqlite3 *database, const char *sql) {
  char *text = NULL;
  if (sqlite3_exec(database, sql, NULL, NULL, &text)) fail_msg("%s", text);
}

static int version_of(sqlite3 *database, int *version) {
  seen_error error = SEEN_ERROR_INIT;
  int status = sn_schema_version(database, false, version, &error);
  assert_int_equal(error.code, status);
  return status;
}

static void test_schema__an_empty_database_has_none(void **state) {
  sqlite3 *database = memory_database();
  int version = 9;
  (void)state;
  assert_int_equal(version_of(database, &version), SEEN_OK);
  assert_int_equal(version, 0);
  sqlite3_close(database);
}

static void test_schema__a_new_one_is_of_the_latest_version(void **state) {
  sqlite3 *database = memory_database();
  int version;
  (void)state;
  assert_int_equal(sn_schema_upgrade(database, 0, SN_SCHEMA_LATEST, NULL),
                   SEEN_OK);
  assert_int_equal(version_of(database, &version), SEEN_OK);
  assert_int_equal(version, SN_SCHEMA_LATEST);
  sqlite3_close(database);
}

static void test_schema__tables_are_strict_where_that_is_known(void **state) {
  sqlite3 *database = memory_database();
  sqlite3_stmt *statement;
  int strict = sqlite3_libversion_number() >= 3037000;
  (void)state;
  assert_int_equal(sn_schema_upgrade(database, 0, SN_SCHEMA_LATEST, NULL), 0);
  sqlite3_prepare_v2(database,
                     "SELECT count(*) FROM sqlite_master WHERE type = 'table'"
                     " AND sql LIKE '%STRICT'",
                     -1, &statement, NULL);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  assert_int_equal(sqlite3_column_int(statement, 0), strict ? 4 : 0);
  sqlite3_finalize(statement);
  sqlite3_close(database);
}

static void version_is(const char *sql, int wanted) {
  sqlite3 *database = memory_database();
  int version = 9;
  run(database, sql);
  assert_int_equal(version_of(database, &version), wanted);
  assert_int_equal(version, 0);
  sqlite3_close(database);
}

static void test_schema__what_is_no_mirror_is_corrupt(void **state) {
  (void)state;
  version_is("CREATE TABLE theirs (x)", SEEN_ECORRUPT);
  version_is("PRAGMA user_version = 2", SEEN_ECORRUPT);
  version_is("PRAGMA application_id = 7; PRAGMA user_version = 2",
             SEEN_ECORRUPT);
  version_is("PRAGMA application_id = 1936024942", SEEN_ECORRUPT);
  version_is("PRAGMA application_id = 1936024942; PRAGMA user_version = -1",
             SEEN_ECORRUPT);
}

static void test_schema__a_newer_one_is_told_apart(void **state) {
  (void)state;
  version_is("PRAGMA application_id = 1936024942; PRAGMA user_version = 3",
             SEEN_ESCHEMA);
}

/* The mirror of version 1, as a file. */
static void write_version_1(test_store *t) {
  char *sql = test_file_read(SEEN_ROOT "/tests/store/schema1.sql", NULL);
  store_sql(t, sql);
  free(sql);
}

static int count(const seen_record *record, const seen_row *row,
                 void *user_data) {
  uint64_t *sums = user_data;
  sums[0] += record->last_seq - record->read.seq;
  sums[1] += record->member_count;
  sums[2] += row != NULL;
  sums[3]++;
  return SEEN_OK;
}

/* All that version 1 kept, and no numbers of rows yet. */
static void has_version_1(test_store *t) {
  uint64_t sums[4] = {0};
  seen_totals totals;
  seen_meta meta;
  uint64_t records;
  assert_int_equal(t->store->load(t->store, count, sums, NULL), SEEN_OK);
  assert_int_equal(sums[0], 3 + 0 + 9);
  assert_int_equal(sums[1], 40);
  assert_int_equal(sums[2], 0);
  assert_int_equal(sums[3], 3);
  assert_int_equal(t->store->totals(t->store, &totals, &records, NULL), 0);
  assert_int_equal(totals.unread, 10);
  assert_int_equal(t->store->meta(t->store, &meta, NULL), SEEN_OK);
  assert_string_equal(meta.user, "me");
  assert_int_equal(meta.version, 42);
}

static void test_schema__version_1_is_upgraded_with_all_it_has(void **state) {
  test_store *t = store_start();
  (void)state;
  write_version_1(t);
  store_open(t);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_KEPT);
  has_version_1(t);
  assert_int_equal(store_number(t, "PRAGMA user_version"), SN_SCHEMA_LATEST);
  store_end(t);
}

static void test_schema__version_1_can_be_read_as_it_is(void **state) {
  test_store *t = store_start();
  (void)state;
  write_version_1(t);
  t->options.read_only = true;
  store_open(t);
  has_version_1(t);
  assert_int_equal(store_number(t, "PRAGMA user_version"), 1);
  store_end(t);
}

static void test_schema__what_is_written_after_it_has_numbers(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c1", 4);
  (void)state;
  write_version_1(t);
  store_open(t);
  store_put(t, &record, 6, 3);
  store_has(t, &record, 6);
  assert_int_equal(store_number(t, "SELECT count(*) FROM conversation"
                                   " WHERE shows IS NULL"),
                   2);
  store_end(t);
}

static void test_schema__what_lies_about_its_version_is_corrupt(void **state) {
  test_store *t = store_start();
  (void)state;
  write_version_1(t);
  store_sql(t, "DROP TABLE conversation");
  store_open(t);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_REPLACED);
  assert_int_equal(t->store->origin_code, SEEN_ECORRUPT);
  store_end(t);
}

static int stop(void *left) {
  int *steps = left;
  return --*steps == 0;
}

static int columns(sqlite3 *database) {
  sqlite3_stmt *statement;
  int count;
  sqlite3_prepare_v2(database,
                     "SELECT count(*) FROM pragma_table_info('conversation')",
                     -1, &statement, NULL);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  count = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  return count;
}

/* Interrupted after each number of steps, it is the one or the other. */
static void test_schema__an_upgrade_is_all_or_nothing(void **state) {
  int status = SEEN_EIO, version = 0, failures = -1;
  (void)state;
  for (int steps = 1; status; steps++) {
    sqlite3 *database = memory_database();
    int left = steps;
    char *sql = test_file_read(SEEN_ROOT "/tests/store/schema1.sql", NULL);
    run(database, sql);
    free(sql);
    sqlite3_progress_handler(database, 1, stop, &left);
    status = sn_schema_upgrade(database, 1, SN_SCHEMA_LATEST, NULL);
    sqlite3_progress_handler(database, 0, NULL, NULL);
    assert_int_equal(version_of(database, &version), SEEN_OK);
    assert_int_equal(columns(database), version == 1 ? 2 : 6);
    assert_true(status || version == SN_SCHEMA_LATEST);
    sqlite3_close(database);
    failures++;
  }
  assert_in_range(failures, 20, 100000);
}

static int die(void *left) {
  int *steps = left;
  if (--*steps <= 0) kill(getpid(), SIGKILL);
  return 0;
}

/*
 * A process that dies within the upgrade; true: it came to its end. It dies by
 * a signal in either case, so that no checker's exit code stands in for ours.
 */
static bool upgrade_and_die(const char *path, int steps) {
  pid_t child = fork();
  int how;
  assert_true(child >= 0);
  if (child == 0) {
    sqlite3 *database;
    if (sqlite3_open(path, &database)) _exit(2);
    sqlite3_exec(database, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    sqlite3_progress_handler(database, 1, die, &steps);
    if (sn_schema_upgrade(database, 1, SN_SCHEMA_LATEST, NULL)) _exit(2);
    kill(getpid(), SIGTERM);
  }
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFSIGNALED(how));
  return WTERMSIG(how) == SIGTERM;
}

static void
test_schema__a_killed_upgrade_is_done_at_the_next_start(void **state) {
  bool whole = false;
  (void)state;
  for (int steps = 1; !whole; steps += 97) {
    test_store *t = store_start();
    write_version_1(t);
    whole = upgrade_and_die(t->options.path, steps);
    store_open(t);
    assert_int_equal(t->store->origin, SEEN_ORIGIN_KEPT);
    has_version_1(t);
    store_end(t);
  }
}

/* The same statements make a new one and upgrade an old one. */
static void test_schema__each_path_leads_to_one_schema(void **state) {
  test_store *t = store_start();
  const char *sql = "SELECT count(*) FROM pragma_table_info('conversation')";
  int64_t columns;
  (void)state;
  write_version_1(t);
  store_open(t);
  columns = store_number(t, sql);
  store_end(t);
  t = store_start();
  store_open(t);
  assert_int_equal(store_number(t, sql), columns);
  store_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_schema__an_empty_database_has_none),
      cmocka_unit_test(test_schema__a_new_one_is_of_the_latest_version),
      cmocka_unit_test(test_schema__tables_are_strict_where_that_is_known),
      cmocka_unit_test(test_schema__what_is_no_mirror_is_corrupt),
      cmocka_unit_test(test_schema__a_newer_one_is_told_apart),
      cmocka_unit_test(test_schema__version_1_is_upgraded_with_all_it_has),
      cmocka_unit_test(test_schema__version_1_can_be_read_as_it_is),
      cmocka_unit_test(test_schema__what_is_written_after_it_has_numbers),
      cmocka_unit_test(test_schema__what_lies_about_its_version_is_corrupt),
      cmocka_unit_test(test_schema__an_upgrade_is_all_or_nothing),
      cmocka_unit_test(test_schema__a_killed_upgrade_is_done_at_the_next_start),
      cmocka_unit_test(test_schema__each_path_leads_to_one_schema),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
