#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <seen/position.h>

/* All positions of up to three epochs and seqs 0 … 3. */
enum { POSITIONS = 3 * 4 * 4, TOP = 3 };

static seen_position nth(int n) {
  return (seen_position){(uint64_t)(n / 16), (uint64_t)(n / 4 % 4),
                         (uint64_t)(n % 4)};
}

static void assert_position(seen_position position, uint64_t epoch,
                            uint64_t seq, uint64_t high) {
  assert_int_equal(position.epoch, epoch);
  assert_int_equal(position.seq, seq);
  assert_int_equal(position.high, high);
}

static void assert_same(seen_position a, seen_position b) {
  assert_position(a, b.epoch, b.seq, b.high);
}

static void test_compare__epoch_first_then_seq(void **state) {
  seen_position old = {1, 9, 9};
  seen_position newer = {2, 3, 9};
  seen_position other_high = {2, 3, 5};
  (void)state;
  assert_true(seen_position_compare(old, newer) < 0);
  assert_true(seen_position_compare(newer, old) > 0);
  assert_int_equal(seen_position_compare(newer, other_high), 0);
  newer.seq = 4;
  assert_true(seen_position_compare(newer, other_high) > 0);
  assert_true(seen_position_compare(other_high, newer) < 0);
}

static void test_merge__it_is_commutative_and_idempotent(void **state) {
  int i;
  int j;
  (void)state;
  for (i = 0; i < POSITIONS; i++) {
    for (j = 0; j < POSITIONS; j++) {
      seen_position one = seen_position_merge(nth(i), nth(j));
      seen_position two = seen_position_merge(nth(j), nth(i));
      assert_int_equal(seen_position_compare(one, two), 0);
      if (seen_position_compare(nth(i), nth(j)) != 0) assert_same(one, two);
      assert_same(seen_position_merge(one, nth(j)), one);
      assert_same(seen_position_merge(one, nth(i)), one);
    }
    assert_same(seen_position_merge(nth(i), nth(i)), nth(i));
  }
}

static void test_merge__it_is_associative(void **state) {
  int i;
  int j;
  int k;
  (void)state;
  for (i = 0; i < POSITIONS; i++)
    for (j = 0; j < POSITIONS; j++)
      for (k = 0; k < POSITIONS; k++)
        assert_same(
            seen_position_merge(seen_position_merge(nth(i), nth(j)), nth(k)),
            seen_position_merge(nth(i), seen_position_merge(nth(j), nth(k))));
}

static void test_merge__it_is_never_older_than_either(void **state) {
  int i;
  int j;
  (void)state;
  for (i = 0; i < POSITIONS; i++) {
    for (j = 0; j < POSITIONS; j++) {
      seen_position merged = seen_position_merge(nth(i), nth(j));
      assert_true(seen_position_compare(merged, nth(i)) >= 0);
      assert_true(seen_position_compare(merged, nth(j)) >= 0);
    }
  }
}

static void test_report__in_its_epoch_it_raises_the_seq(void **state) {
  seen_position position = {1, 5, 8};
  (void)state;
  assert_int_equal(seen_position_report(&position, 1, 7, SEEN_SEQ_MAX),
                   SEEN_ADVANCED);
  assert_position(position, 1, 7, 8);
  assert_int_equal(seen_position_report(&position, 1, 7, SEEN_SEQ_MAX),
                   SEEN_UNCHANGED);
  assert_int_equal(seen_position_report(&position, 1, 2, SEEN_SEQ_MAX),
                   SEEN_UNCHANGED);
  assert_position(position, 1, 7, 8);
}

static void
test_report__of_an_older_epoch_counts_above_high_only(void **state) {
  seen_position position = {2, 5, 8};
  (void)state;
  assert_int_equal(seen_position_report(&position, 1, 8, SEEN_SEQ_MAX),
                   SEEN_UNCHANGED);
  assert_position(position, 2, 5, 8);
  assert_int_equal(seen_position_report(&position, 1, 9, SEEN_SEQ_MAX),
                   SEEN_ADVANCED);
  assert_position(position, 2, 9, 8);
  position.seq = 20;
  assert_int_equal(seen_position_report(&position, 0, 15, SEEN_SEQ_MAX),
                   SEEN_UNCHANGED);
  assert_position(position, 2, 20, 8);
}

static void test_report__of_an_epoch_to_come_is_refused(void **state) {
  seen_position position = {2, 5, 8};
  (void)state;
  assert_int_equal(seen_position_report(&position, 3, 9, SEEN_SEQ_MAX),
                   SEEN_EPOCH_AHEAD);
  assert_position(position, 2, 5, 8);
}

static void test_report__above_the_last_seq_is_refused(void **state) {
  seen_position position = {2, 5, 8};
  (void)state;
  assert_int_equal(seen_position_report(&position, 2, 11, 10),
                   SEEN_SEQ_OUT_OF_RANGE);
  assert_int_equal(seen_position_report(&position, 1, 11, 10),
                   SEEN_SEQ_OUT_OF_RANGE);
  assert_position(position, 2, 5, 8);
  assert_int_equal(seen_position_report(&position, 2, 10, 10), SEEN_ADVANCED);
  assert_position(position, 2, 10, 8);
}

/* P1: reports may come late, twice and in any order. */
static void test_report__two_in_any_order_and_twice_end_the_same(void **state) {
  uint64_t e;
  uint64_t s;
  int i;
  int j;
  (void)state;
  for (i = 0; i < POSITIONS; i++) {
    for (j = 0; j < 3 * 4; j++) {
      for (e = 0; e < 3; e++) {
        for (s = 0; s <= TOP; s++) {
          uint64_t other_e = (uint64_t)(j / 4);
          uint64_t other_s = (uint64_t)(j % 4);
          seen_position one = nth(i);
          seen_position two = nth(i);
          seen_position_report(&one, e, s, TOP);
          seen_position_report(&one, other_e, other_s, TOP);
          seen_position_report(&one, e, s, TOP);
          seen_position_report(&two, other_e, other_s, TOP);
          seen_position_report(&two, e, s, TOP);
          assert_same(one, two);
        }
      }
    }
  }
}

static void test_report__it_never_lowers_a_position_or_a_receipt(void **state) {
  uint64_t e;
  uint64_t s;
  int i;
  (void)state;
  for (i = 0; i < POSITIONS; i++) {
    for (e = 0; e < 4; e++) {
      for (s = 0; s <= TOP + 1; s++) {
        seen_position position = nth(i);
        seen_verdict verdict = seen_position_report(&position, e, s, TOP);
        assert_int_equal(position.epoch, nth(i).epoch);
        assert_int_equal(position.high, nth(i).high);
        assert_true(position.seq >= nth(i).seq);
        assert_int_equal(verdict == SEEN_ADVANCED, position.seq > nth(i).seq);
        assert_true(seen_position_receipt(position) >=
                    seen_position_receipt(nth(i)));
      }
    }
  }
}

static void test_mark__it_rolls_back_into_the_next_epoch(void **state) {
  seen_position position = {1, 10, 4};
  (void)state;
  assert_int_equal(seen_position_mark_unread(&position, 1, 10, 6, 12),
                   SEEN_ADVANCED);
  assert_position(position, 2, 6, 10);
  assert_int_equal(seen_position_mark_unread(&position, 2, 6, 3, 12),
                   SEEN_ADVANCED);
  assert_position(position, 3, 3, 10);
}

static void test_mark__what_was_expected_is_applied_first(void **state) {
  seen_position position = {1, 8, 4};
  (void)state;
  assert_int_equal(seen_position_mark_unread(&position, 1, 10, 9, 12),
                   SEEN_ADVANCED);
  assert_position(position, 2, 9, 10);
}

static void test_mark__a_concurrent_read_stands(void **state) {
  seen_position position = {1, 11, 4};
  (void)state;
  assert_int_equal(seen_position_mark_unread(&position, 1, 10, 6, 12),
                   SEEN_CONFLICT);
  assert_position(position, 1, 11, 4);
}

static void test_mark__a_conflict_keeps_what_expected_reported(void **state) {
  seen_position position = {2, 5, 8};
  (void)state;
  assert_int_equal(seen_position_mark_unread(&position, 1, 10, 6, 12),
                   SEEN_CONFLICT);
  assert_position(position, 2, 10, 8);
}

static void
test_mark__said_twice_it_is_a_conflict_that_changes_nothing(void **state) {
  seen_position position = {1, 10, 4};
  (void)state;
  assert_int_equal(seen_position_mark_unread(&position, 1, 10, 6, 12),
                   SEEN_ADVANCED);
  assert_int_equal(seen_position_mark_unread(&position, 1, 10, 6, 12),
                   SEEN_CONFLICT);
  assert_position(position, 2, 6, 10);
}

static void
test_mark__a_target_that_is_not_below_changes_nothing(void **state) {
  seen_position position = {1, 8, 4};
  (void)state;
  assert_int_equal(seen_position_mark_unread(&position, 1, 10, 10, 12),
                   SEEN_TARGET_INVALID);
  assert_int_equal(seen_position_mark_unread(&position, 1, 10, 11, 12),
                   SEEN_TARGET_INVALID);
  assert_int_equal(seen_position_mark_unread(&position, 1, 0, 0, 12),
                   SEEN_TARGET_INVALID);
  assert_position(position, 1, 8, 4);
}

static void
test_mark__what_a_report_is_refused_for_refuses_a_mark(void **state) {
  seen_position position = {1, 8, 4};
  (void)state;
  assert_int_equal(seen_position_mark_unread(&position, 2, 10, 6, 12),
                   SEEN_EPOCH_AHEAD);
  assert_int_equal(seen_position_mark_unread(&position, 1, 13, 6, 12),
                   SEEN_SEQ_OUT_OF_RANGE);
  assert_position(position, 1, 8, 4);
}

/* One mark on one position, whatever they are. */
static void check_mark(seen_position before, uint64_t e, uint64_t s,
                       uint64_t target) {
  seen_position reported = before;
  seen_position position = before;
  seen_verdict of_report = seen_position_report(&reported, e, s, TOP);
  seen_verdict verdict =
      seen_position_mark_unread(&position, e, s, target, TOP);
  assert_true(seen_position_receipt(position) >=
              seen_position_receipt(before)); /* P9 */
  assert_true(seen_position_compare(position, before) >= 0);
  if (verdict == SEEN_ADVANCED) {
    assert_true(target < s);
    assert_position(reported, e, s, before.high);
    assert_position(position, e + 1, target, before.high > s ? before.high : s);
  } else if (verdict == SEEN_CONFLICT) {
    assert_true(target < s);
    assert_true(reported.epoch != e || reported.seq != s);
    assert_same(position, reported);
  } else {
    assert_true(verdict == SEEN_TARGET_INVALID ? target >= s
                                               : verdict == of_report);
    assert_same(position, before);
  }
}

static void test_mark__every_small_one_is_by_the_rule(void **state) {
  uint64_t e;
  uint64_t s;
  uint64_t target;
  int i;
  (void)state;
  for (i = 0; i < POSITIONS; i++)
    for (e = 0; e < 4; e++)
      for (s = 0; s <= TOP + 1; s++)
        for (target = 0; target <= TOP + 1; target++)
          check_mark(nth(i), e, s, target);
}

static void test_rejoin__nothing_said_before_it_is_unread(void **state) {
  seen_position before = {3, 7, 9};
  (void)state;
  assert_position(seen_position_rejoin(before, 20), 4, 20, 20);
}

static void test_rejoin__a_report_from_before_it_changes_nothing(void **state) {
  seen_position position = seen_position_rejoin((seen_position){3, 7, 9}, 20);
  (void)state;
  assert_int_equal(seen_position_report(&position, 3, 20, SEEN_SEQ_MAX),
                   SEEN_UNCHANGED);
  assert_position(position, 4, 20, 20);
}

static void test_receipt__it_is_the_highest_that_was_reported(void **state) {
  (void)state;
  assert_int_equal(seen_position_receipt((seen_position){0, 7, 0}), 7);
  assert_int_equal(seen_position_receipt((seen_position){1, 3, 7}), 7);
  assert_int_equal(seen_position_receipt((seen_position){1, 9, 7}), 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_compare__epoch_first_then_seq),
      cmocka_unit_test(test_merge__it_is_commutative_and_idempotent),
      cmocka_unit_test(test_merge__it_is_associative),
      cmocka_unit_test(test_merge__it_is_never_older_than_either),
      cmocka_unit_test(test_report__in_its_epoch_it_raises_the_seq),
      cmocka_unit_test(test_report__of_an_older_epoch_counts_above_high_only),
      cmocka_unit_test(test_report__of_an_epoch_to_come_is_refused),
      cmocka_unit_test(test_report__above_the_last_seq_is_refused),
      cmocka_unit_test(test_report__two_in_any_order_and_twice_end_the_same),
      cmocka_unit_test(test_report__it_never_lowers_a_position_or_a_receipt),
      cmocka_unit_test(test_mark__it_rolls_back_into_the_next_epoch),
      cmocka_unit_test(test_mark__what_was_expected_is_applied_first),
      cmocka_unit_test(test_mark__a_concurrent_read_stands),
      cmocka_unit_test(test_mark__a_conflict_keeps_what_expected_reported),
      cmocka_unit_test(
          test_mark__said_twice_it_is_a_conflict_that_changes_nothing),
      cmocka_unit_test(test_mark__a_target_that_is_not_below_changes_nothing),
      cmocka_unit_test(test_mark__what_a_report_is_refused_for_refuses_a_mark),
      cmocka_unit_test(test_mark__every_small_one_is_by_the_rule),
      cmocka_unit_test(test_rejoin__nothing_said_before_it_is_unread),
      cmocka_unit_test(test_rejoin__a_report_from_before_it_changes_nothing),
      cmocka_unit_test(test_receipt__it_is_the_highest_that_was_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
