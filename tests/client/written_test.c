#include "client/written.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/alloc.h"

static seen_row row_of(uint64_t unread, uint64_t mentions) {
  return (seen_row){.size = sizeof(seen_row),
                    .unread = unread,
                    .mentions = mentions,
                    .listed = true};
}

static sn_written written_with(seen_conv convs) {
  sn_written written;
  sn_written_init(&written, seen_allocator_default());
  assert_int_equal(sn_written_reserve(&written, convs), SEEN_OK);
  return written;
}

static void sums_are(const sn_written *written, seen_totals totals,
                     uint64_t records) {
  const seen_totals *got = &written->sums.totals;
  assert_int_equal(got->unread, totals.unread);
  assert_int_equal(got->conversations, totals.conversations);
  assert_int_equal(got->muted, totals.muted);
  assert_int_equal(got->mentions, totals.mentions);
  assert_int_equal(written->sums.records, records);
}

static void test_written__rows_add_up(void **state) {
  sn_written written = written_with(3);
  seen_row a = row_of(3, 1), b = row_of(0, 2), c = row_of(5, 0);
  (void)state;
  sn_written_set(&written, 1, &a);
  sn_written_set(&written, 2, &b);
  sn_written_set(&written, 3, &c);
  sums_are(&written, (seen_totals){8, 2, 0, 3}, 3);
  sn_written_free(&written);
}

static void
test_written__a_row_takes_the_place_of_the_one_before(void **state) {
  sn_written written = written_with(1);
  seen_row a = row_of(3, 1), b = row_of(5, 0);
  (void)state;
  sn_written_set(&written, 1, &a);
  sn_written_set(&written, 1, &b);
  sums_are(&written, (seen_totals){5, 1, 0, 0}, 1);
  sn_written_set(&written, 1, NULL);
  sums_are(&written, (seen_totals){0}, 0);
  sn_written_free(&written);
}

static void test_written__muted_unread_is_counted_apart(void **state) {
  sn_written written = written_with(1);
  seen_row row = row_of(3, 1);
  (void)state;
  row.muted = row.marked_unread = true;
  sn_written_set(&written, 1, &row);
  sums_are(&written, (seen_totals){0, 0, 3, 1}, 1);
  sn_written_free(&written);
}

static void test_written__marked_unread_counts_as_a_conversation(void **state) {
  sn_written written = written_with(1);
  seen_row row = row_of(0, 0);
  (void)state;
  row.marked_unread = true;
  sn_written_set(&written, 1, &row);
  sums_are(&written, (seen_totals){0, 1, 0, 0}, 1);
  sn_written_free(&written);
}

static void test_written__what_is_not_listed_is_a_record_only(void **state) {
  sn_written written = written_with(1);
  seen_row row = row_of(4, 4);
  (void)state;
  row.listed = false;
  sn_written_set(&written, 1, &row);
  sums_are(&written, (seen_totals){0}, 1);
  sn_written_free(&written);
}

static void test_written__cleared_only_the_notes_are_left(void **state) {
  sn_written written = written_with(2);
  seen_row row = row_of(4, 4);
  (void)state;
  sn_written_set(&written, 1, &row);
  sn_written_at(&written, 1)->flags |= SN_WRITTEN_NOTED;
  sn_written_set(&written, 1, &row);
  sn_written_set(&written, 2, &row);
  sn_written_clear(&written);
  sums_are(&written, (seen_totals){0}, 0);
  assert_int_equal(sn_written_at(&written, 1)->flags, SN_WRITTEN_NOTED);
  assert_int_equal(sn_written_at(&written, 2)->flags, 0);
  sn_written_free(&written);
}

static void test_written__without_memory_it_is_as_it_was(void **state) {
  test_alloc memory;
  sn_written written;
  seen_row row = row_of(4, 0);
  (void)state;
  test_alloc_init(&memory);
  sn_written_init(&written, &memory.allocator);
  assert_int_equal(sn_written_reserve(&written, 1), SEEN_OK);
  sn_written_set(&written, 1, &row);
  test_alloc_fail(&memory, 1);
  assert_int_equal(sn_written_reserve(&written, 100), SEEN_ENOMEM);
  sums_are(&written, (seen_totals){4, 1, 0, 0}, 1);
  assert_int_equal(sn_written_reserve(&written, 100), SEEN_OK);
  assert_int_equal(sn_written_at(&written, 100)->flags, 0);
  sn_written_free(&written);
  test_alloc_check(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_written__rows_add_up),
      cmocka_unit_test(test_written__a_row_takes_the_place_of_the_one_before),
      cmocka_unit_test(test_written__muted_unread_is_counted_apart),
      cmocka_unit_test(test_written__marked_unread_counts_as_a_conversation),
      cmocka_unit_test(test_written__what_is_not_listed_is_a_record_only),
      cmocka_unit_test(test_written__cleared_only_the_notes_are_left),
      cmocka_unit_test(test_written__without_memory_it_is_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
