#define _POSIX_C_SOURCE 200809L

#include <seen/sys/store.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include "support/store.h"

/* One conversation "c" with 3 unread, committed by a store that is open. */
static test_store *with_one(void) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 3);
  store_open(t);
  t->totals.unread = 3;
  store_put(t, &record, 3, 1);
  return t;
}

static void reads(const test_store *t, uint64_t unread) {
  seen_totals totals = {9, 9, 9, 9};
  seen_error error = SEEN_ERROR_INIT;
  if (seen_badge_read(t->options.path, NULL, &totals, &error))
    fail_msg("%s", error.message);
  assert_int_equal(totals.unread, unread);
  assert_int_equal(totals.conversations + totals.muted + totals.mentions, 0);
}

/* Both forms fail, with zeroes, and every file stays as it is. */
static void fails(const test_store *t, int wanted) {
  seen_totals totals = {9, 9, 9, 9};
  seen_row row = {.size = 9, .unread = 9, .listed = true};
  seen_error error = SEEN_ERROR_INIT;
  size_t files = test_folder_count(&t->folder, "");
  assert_int_equal(seen_badge_read(t->options.path, NULL, &totals, &error),
                   wanted);
  assert_int_equal(error.code, wanted);
  assert_int_equal(totals.unread + totals.conversations, 0);
  assert_int_equal(totals.muted + totals.mentions, 0);
  assert_int_equal(
      seen_badge_read_conversation(t->options.path, NULL, "c", &row, &error),
      wanted);
  assert_int_equal(row.size, sizeof row);
  assert_int_equal(row.unread, 0);
  assert_false(row.listed);
  assert_int_equal(test_folder_count(&t->folder, ""), files);
}

static void test_badge__is_read_beside_its_writer(void **state) {
  test_store *t = with_one();
  seen_record record = test_record_plain("c", 8);
  (void)state;
  reads(t, 3);
  t->totals.unread = 8;
  store_put(t, &record, 8, 1);
  reads(t, 8);
  store_end(t);
}

static void test_badge__is_what_was_committed(void **state) {
  test_store *t = with_one();
  const seen_totals totals = {.unread = 99};
  (void)state;
  assert_int_equal(t->store->begin(t->store, false, NULL), SEEN_OK);
  assert_int_equal(t->store->put_totals(t->store, &totals, 1, NULL), SEEN_OK);
  reads(t, 3);
  assert_int_equal(t->store->commit(t->store, NULL), SEEN_OK);
  reads(t, 99);
  store_end(t);
}

static void test_badge__a_conversation_is_read_alone(void **state) {
  test_store *t = with_one();
  seen_row row, wanted = test_row(3);
  (void)state;
  assert_int_equal(
      seen_badge_read_conversation(t->options.path, NULL, "c", &row, NULL),
      SEEN_OK);
  assert_int_equal(row.unread, 3);
  assert_int_equal(row.mentions, wanted.mentions);
  assert_int_equal(row.badge, SEEN_BADGE_NUMBER);
  assert_true(row.exact);
  assert_true(row.listed);
  assert_false(row.muted);
  store_end(t);
}

static void test_badge__an_unknown_conversation_is_not_found(void **state) {
  test_store *t = with_one();
  seen_row row;
  (void)state;
  assert_int_equal(
      seen_badge_read_conversation(t->options.path, NULL, "d", &row, NULL),
      SEEN_ENOTFOUND);
  assert_false(row.listed);
  store_end(t);
}

static void test_badge__nothing_is_not_found(void **state) {
  test_store *t = store_start();
  (void)state;
  fails(t, SEEN_ENOTFOUND);
  test_file_write(t->options.path, "", 0);
  fails(t, SEEN_ENOTFOUND);
  store_end(t);
}

static void test_badge__what_is_no_mirror_is_corrupt(void **state) {
  test_store *t = store_start();
  (void)state;
  test_file_write(t->options.path, "nonsense", 8);
  fails(t, SEEN_ECORRUPT);
  store_end(t);
}

static void test_badge__a_newer_schema_is_told_apart(void **state) {
  test_store *t = with_one();
  (void)state;
  store_close(t);
  store_sql(t, "PRAGMA user_version = 99");
  fails(t, SEEN_ESCHEMA);
  store_end(t);
}

static void test_badge__numbers_that_were_changed_are_refused(void **state) {
  test_store *t = with_one();
  (void)state;
  store_sql(t, "UPDATE totals SET unread = 4;"
               "UPDATE conversation SET unread = 4");
  fails(t, SEEN_ECORRUPT);
  store_end(t);
}

static void test_badge__before_the_upgrade_there_are_totals_only(void **state) {
  test_store *t = store_start();
  char *sql = test_file_read(SEEN_ROOT "/tests/store/schema1.sql", NULL);
  seen_totals totals;
  seen_row row;
  (void)state;
  store_sql(t, sql);
  assert_int_equal(seen_badge_read(t->options.path, NULL, &totals, NULL), 0);
  assert_int_equal(totals.unread, 10);
  assert_int_equal(
      seen_badge_read_conversation(t->options.path, NULL, "c1", &row, NULL),
      SEEN_ENOTFOUND);
  free(sql);
  store_end(t);
}

static void test_badge__is_read_after_its_writer_is_gone(void **state) {
  test_store *t = with_one();
  (void)state;
  store_close(t);
  reads(t, 3);
  store_end(t);
}

/* As a backup has it, or a folder that was cleaned. */
static void test_badge__at_rest_no_file_is_made_beside_it(void **state) {
  test_store *t = with_one();
  (void)state;
  store_close(t);
  store_sql(t, "PRAGMA wal_checkpoint(TRUNCATE)");
  unlink(test_folder_file(&t->folder, "mirror.db-wal"));
  unlink(test_folder_file(&t->folder, "mirror.db-shm"));
  reads(t, 3);
  assert_int_equal(test_folder_count(&t->folder, "mirror.db-"), 1);
  store_end(t);
}

static void test_badge__a_log_that_was_left_is_read_along(void **state) {
  test_store *t = with_one();
  (void)state;
  store_close(t);
  unlink(test_folder_file(&t->folder, "mirror.db-shm"));
  reads(t, 3);
  assert_false(test_file_exists(test_folder_file(&t->folder, "mirror.db-shm")));
  reads(t, 3);
  store_open(t);
  assert_int_equal(store_count(t), 1);
  store_end(t);
}

/* In a folder where nothing can be written, whatever files are there. */
static void reads_protected(const char *gone) {
  test_store *t = with_one();
  seen_totals totals = {0};
  int status;
  store_close(t);
  if (gone) unlink(test_folder_file(&t->folder, gone));
  test_folder_protect(&t->folder, true);
  status = seen_badge_read(t->options.path, NULL, &totals, NULL);
  test_folder_protect(&t->folder, false);
  assert_int_equal(status, SEEN_OK);
  assert_int_equal(totals.unread, 3);
  store_end(t);
}

static void test_badge__is_read_in_a_protected_folder(void **state) {
  (void)state;
  reads_protected(NULL);
  reads_protected("mirror.db-shm");
}

static void test_badge__needs_the_path_of_a_file(void **state) {
  seen_totals totals = {.unread = 9};
  (void)state;
  assert_int_equal(seen_badge_read("", NULL, &totals, NULL), SEEN_EINVAL);
  assert_int_equal(totals.unread, 0);
}

/* The writer has its transaction open, and is not waited for. */
static void test_badge__does_not_block_its_writer(void **state) {
  test_store *t = with_one();
  seen_record record = test_record_plain("c", 4);
  (void)state;
  for (uint64_t i = 1; i < 200; i++) {
    t->totals.unread = i;
    store_put(t, &record, i, 1);
    reads(t, i);
  }
  store_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_badge__is_read_beside_its_writer),
      cmocka_unit_test(test_badge__is_what_was_committed),
      cmocka_unit_test(test_badge__a_conversation_is_read_alone),
      cmocka_unit_test(test_badge__an_unknown_conversation_is_not_found),
      cmocka_unit_test(test_badge__nothing_is_not_found),
      cmocka_unit_test(test_badge__what_is_no_mirror_is_corrupt),
      cmocka_unit_test(test_badge__a_newer_schema_is_told_apart),
      cmocka_unit_test(test_badge__numbers_that_were_changed_are_refused),
      cmocka_unit_test(test_badge__before_the_upgrade_there_are_totals_only),
      cmocka_unit_test(test_badge__is_read_after_its_writer_is_gone),
      cmocka_unit_test(test_badge__at_rest_no_file_is_made_beside_it),
      cmocka_unit_test(test_badge__a_log_that_was_left_is_read_along),
      cmocka_unit_test(test_badge__is_read_in_a_protected_folder),
      cmocka_unit_test(test_badge__needs_the_path_of_a_file),
      cmocka_unit_test(test_badge__does_not_block_its_writer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
