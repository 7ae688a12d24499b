#include "store/sqlite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/record.h"

static seen_row full_row(unsigned flags) {
  return (seen_row){.size = sizeof(seen_row),
                    .unread = 12,
                    .mentions = 3,
                    .badge = (seen_badge_kind)(flags % 3),
                    .exact = (flags & 4) != 0,
                    .muted = (flags & 8) != 0,
                    .marked_unread = (flags & 16) != 0,
                    .listed = (flags & 32) != 0};
}

static void test_rows__every_flag_comes_back(void **state) {
  (void)state;
  for (unsigned flags = 0; flags < 64; flags++) {
    seen_row row = full_row(flags), got;
    uint64_t shows = sn_row_shows("c", &row);
    assert_true(sn_row_read("c", 12, 3, (sqlite3_int64)shows, &got));
    assert_int_equal(sn_row_shows("c", &got), shows);
    assert_int_equal(got.unread, 12);
    assert_int_equal(got.mentions, 3);
    assert_int_equal(got.badge, row.badge);
    assert_int_equal(got.exact, row.exact);
    assert_int_equal(got.muted, row.muted);
    assert_int_equal(got.marked_unread, row.marked_unread);
    assert_int_equal(got.listed, row.listed);
  }
}

static void test_rows__a_wrong_number_is_refused(void **state) {
  seen_row row = full_row(63), got;
  sqlite3_int64 shows = (sqlite3_int64)sn_row_shows("c", &row);
  (void)state;
  assert_false(sn_row_read("c", 13, 3, shows, &got));
  assert_false(sn_row_read("c", 12, 2, shows, &got));
  assert_false(sn_row_read("d", 12, 3, shows, &got));
  for (int bit = 0; bit < 63; bit++)
    assert_false(sn_row_read(
        "c", 12, 3, shows ^ (sqlite3_int64)(UINT64_C(1) << bit), &got));
}

static void test_rows__each_total_is_in_their_sum(void **state) {
  seen_totals totals = {1, 2, 3, 4}, other;
  sqlite3_int64 sum = sn_totals_sum(&totals, 5);
  (void)state;
  assert_true(sum >= 0);
  other = (seen_totals){2, 1, 3, 4};
  assert_true(sn_totals_sum(&other, 5) != sum);
  other = (seen_totals){1, 2, 4, 3};
  assert_true(sn_totals_sum(&other, 5) != sum);
  assert_true(sn_totals_sum(&totals, 6) != sum);
}

static void test_rows__each_text_is_in_the_sum_of_meta(void **state) {
  seen_meta meta = {sizeof meta, "ab", "c", "d", 5}, other = meta;
  sqlite3_int64 sum = sn_meta_sum(&meta);
  (void)state;
  other.user = "a";
  other.device = "bc";
  assert_true(sn_meta_sum(&other) != sum);
  other = meta;
  other.incarnation = "";
  assert_true(sn_meta_sum(&other) != sum);
  other = meta;
  other.version = 6;
  assert_true(sn_meta_sum(&other) != sum);
}

/* The totals of a database of these statements. */
static int totals_of(const char *sql, seen_totals *totals, uint64_t *records) {
  sqlite3 *database;
  int status;
  assert_int_equal(sqlite3_open(":memory:", &database), SQLITE_OK);
  assert_int_equal(sn_schema_upgrade(database, 0, SN_SCHEMA_LATEST, NULL),
                   SEEN_OK);
  assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
  status = sn_totals_read(database, totals, records, NULL);
  sqlite3_close(database);
  return status;
}

static void test_rows__totals_that_were_never_written_are_zero(void **state) {
  seen_totals totals = {9, 9, 9, 9};
  uint64_t records = 9;
  (void)state;
  assert_int_equal(totals_of("", &totals, &records), SEEN_OK);
  assert_int_equal(totals.unread, 0);
  assert_int_equal(records, 0);
}

static void test_rows__wrong_totals_are_refused_as_zeroes(void **state) {
  static const char *const wrong[] = {
      "UPDATE totals SET unread = 3", "UPDATE totals SET records = 3",
      "UPDATE totals SET sum = 12345", "DELETE FROM totals"};
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    seen_totals totals = {9, 9, 9, 9};
    uint64_t records = 9;
    assert_int_equal(totals_of(wrong[i], &totals, &records), SEEN_ECORRUPT);
    assert_int_equal(totals.unread + totals.conversations + totals.muted, 0);
    assert_int_equal(records, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows__every_flag_comes_back),
      cmocka_unit_test(test_rows__a_wrong_number_is_refused),
      cmocka_unit_test(test_rows__each_total_is_in_their_sum),
      cmocka_unit_test(test_rows__each_text_is_in_the_sum_of_meta),
      cmocka_unit_test(test_rows__totals_that_were_never_written_are_zero),
      cmocka_unit_test(test_rows__wrong_totals_are_refused_as_zeroes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
