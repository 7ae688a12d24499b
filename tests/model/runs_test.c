#include "model/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"
#include "support/random.h"

enum { SPAN = 96 };

/* A set under test, its memory, and what it must be: a tag + 1 for each seq
 * from `first` on, 0 for one that is not in it. */
typedef struct pair {
  test_alloc memory;
  sn_runs runs;
  uint64_t first;
  uint32_t plain[SPAN];
} pair;

static void begin(pair *both, uint64_t first) {
  memset(both, 0, sizeof *both);
  test_alloc_init(&both->memory);
  both->first = first;
}

static void end(pair *both) {
  sn_runs_free(&both->memory.allocator, &both->runs);
  test_alloc_check(&both->memory);
}

static void reserve(pair *both, size_t operations) {
  assert_int_equal(
      sn_runs_reserve(&both->memory.allocator, &both->runs, operations),
      SEEN_OK);
}

/* Offsets from `first`, as in what follows. */
static void put(pair *both, uint64_t lo, uint64_t hi, uint32_t tag) {
  uint64_t i;
  reserve(both, 1);
  sn_runs_put(&both->runs, both->first + lo, both->first + hi, tag);
  for (i = lo; i <= hi; i++)
    both->plain[i] = tag + 1;
}

static void take(pair *both, uint64_t lo, uint64_t hi) {
  uint64_t i;
  reserve(both, 1);
  sn_runs_remove(&both->runs, both->first + lo, both->first + hi);
  for (i = lo; i <= hi; i++)
    both->plain[i] = 0;
}

/* The plain run that ends at or above an offset; false: none. */
static bool plain_next(const pair *both, uint64_t from, sn_run *run) {
  uint64_t lo = from;
  uint64_t hi;
  while (lo < SPAN && !both->plain[lo])
    lo++;
  if (lo >= SPAN) return false;
  while (lo > 0 && both->plain[lo - 1] == both->plain[lo])
    lo--;
  for (hi = lo; hi + 1 < SPAN && both->plain[hi + 1] == both->plain[lo]; hi++)
    ;
  *run = (sn_run){both->first + lo, both->first + hi, both->plain[lo] - 1};
  return true;
}

/* The plain run that begins at or below an offset. */
static bool plain_previous(const pair *both, uint64_t from, sn_run *run) {
  uint64_t at = from + 1;
  while (at > 0 && !both->plain[at - 1])
    at--;
  return at > 0 && plain_next(both, at - 1, run);
}

static void assert_same_run(bool found, const sn_run *run, bool plain_found,
                            const sn_run *plain) {
  assert_int_equal(found, plain_found);
  if (!found) return;
  assert_int_equal(run->lo, plain->lo);
  assert_int_equal(run->hi, plain->hi);
  assert_int_equal(run->tag, plain->tag);
}

/* All that the set can be asked about one seq. */
static void check_at(const pair *both, uint64_t at) {
  sn_run run = {0};
  sn_run plain = {0};
  bool found = sn_runs_next(&both->runs, both->first + at, &run);
  assert_same_run(found, &run, plain_next(both, at, &plain), &plain);
  found = sn_runs_previous(&both->runs, both->first + at, &run);
  assert_same_run(found, &run, plain_previous(both, at, &plain), &plain);
  assert_int_equal(sn_runs_has(&both->runs, both->first + at),
                   both->plain[at] != 0);
}

static void check(const pair *both) {
  uint64_t sums[SPAN + 1] = {0};
  uint32_t runs = 0;
  sn_run run;
  uint64_t i;
  uint64_t j;
  for (i = 0; plain_next(both, i, &run); i = run.hi - both->first + 1)
    runs++;
  assert_int_equal(both->runs.count, runs);
  for (i = 0; i < SPAN; i++) {
    check_at(both, i);
    sums[i + 1] = sums[i] + (both->plain[i] != 0);
  }
  for (i = 0; i < SPAN; i += 7)
    for (j = 0; j < SPAN; j += 5)
      assert_int_equal(
          sn_runs_count(&both->runs, both->first + i, both->first + j),
          j < i ? 0 : sums[j + 1] - sums[i]);
}

static void test_runs__an_empty_set_has_nothing(void **state) {
  pair both;
  (void)state;
  begin(&both, 1);
  check(&both);
  take(&both, 0, SPAN - 1);
  check(&both);
  assert_int_equal(sn_runs_count(&both.runs, 0, UINT64_MAX), 0);
  end(&both);
}

static void test_runs__runs_of_one_tag_that_touch_are_one(void **state) {
  pair both;
  (void)state;
  begin(&both, 1);
  put(&both, 10, 12, 3);
  put(&both, 13, 13, 3);
  put(&both, 9, 9, 3);
  check(&both);
  assert_int_equal(both.runs.count, 1);
  put(&both, 20, 25, 3);
  assert_int_equal(both.runs.count, 2);
  put(&both, 14, 19, 3); /* closes the gap */
  check(&both);
  assert_int_equal(both.runs.count, 1);
  end(&both);
}

static void test_runs__runs_of_two_tags_that_touch_are_two(void **state) {
  pair both;
  (void)state;
  begin(&both, 1);
  put(&both, 10, 12, 3);
  put(&both, 13, 15, 4);
  check(&both);
  assert_int_equal(both.runs.count, 2);
  put(&both, 12, 12, 4); /* moves the border */
  check(&both);
  assert_int_equal(both.runs.count, 2);
  put(&both, 12, 13, 3); /* and back, over the beginning of the other */
  check(&both);
  assert_int_equal(both.runs.count, 2);
  end(&both);
}

static void test_runs__a_put_replaces_whatever_was_there(void **state) {
  pair both;
  (void)state;
  begin(&both, 1);
  put(&both, 10, 30, 1);
  put(&both, 15, 20, 2); /* cuts the one in two */
  check(&both);
  assert_int_equal(both.runs.count, 3);
  put(&both, 5, 17, 3); /* swallows one and an end of the other */
  check(&both);
  put(&both, 0, SPAN - 1, 2);
  check(&both);
  assert_int_equal(both.runs.count, 1);
  end(&both);
}

static void test_runs__a_put_of_what_is_there_changes_nothing(void **state) {
  pair both;
  sn_runs before;
  (void)state;
  begin(&both, 1);
  put(&both, 10, 30, 1);
  put(&both, 40, 50, 2);
  reserve(&both, 10);
  before = both.runs;
  put(&both, 10, 30, 1);
  put(&both, 40, 41, 2);
  put(&both, 50, 50, 2);
  assert_memory_equal(&before, &both.runs, sizeof before);
  check(&both);
  end(&both);
}

static void test_runs__a_removal_cuts_a_run_in_two(void **state) {
  pair both;
  (void)state;
  begin(&both, 1);
  put(&both, 10, 30, 1);
  take(&both, 20, 20);
  check(&both);
  assert_int_equal(both.runs.count, 2);
  take(&both, 10, 10);
  take(&both, 30, 30);
  check(&both);
  take(&both, 0, SPAN - 1);
  check(&both);
  assert_int_equal(both.runs.count, 0);
  end(&both);
}

static void test_runs__a_removal_the_wrong_way_round_is_none(void **state) {
  pair both;
  (void)state;
  begin(&both, 1);
  put(&both, 10, 30, 1);
  sn_runs_remove(&both.runs, 20, 15);
  check(&both);
  end(&both);
}

static void test_runs__the_whole_range_is_one_run(void **state) {
  pair both;
  sn_run run;
  (void)state;
  begin(&both, 0);
  reserve(&both, 3);
  sn_runs_put(&both.runs, 0, SEEN_SEQ_MAX, 7);
  assert_int_equal(sn_runs_count(&both.runs, 0, SEEN_SEQ_MAX),
                   SEEN_SEQ_MAX + 1);
  assert_int_equal(sn_runs_count(&both.runs, 0, UINT64_MAX), SEEN_SEQ_MAX + 1);
  assert_true(sn_runs_has(&both.runs, 0));
  assert_true(sn_runs_has(&both.runs, SEEN_SEQ_MAX));
  assert_false(sn_runs_has(&both.runs, SEEN_SEQ_MAX + 1));
  sn_runs_remove(&both.runs, 1, SEEN_SEQ_MAX - 1);
  assert_int_equal(both.runs.count, 2);
  assert_int_equal(sn_runs_count(&both.runs, 0, UINT64_MAX), 2);
  assert_true(sn_runs_next(&both.runs, 1, &run));
  assert_int_equal(run.lo, SEEN_SEQ_MAX);
  assert_int_equal(run.hi, SEEN_SEQ_MAX);
  assert_false(sn_runs_next(&both.runs, SEEN_SEQ_MAX + 1, &run));
  assert_true(sn_runs_previous(&both.runs, SEEN_SEQ_MAX - 1, &run));
  assert_int_equal(run.hi, 0);
  sn_runs_put(&both.runs, 1, SEEN_SEQ_MAX - 1, 7);
  assert_int_equal(both.runs.count, 1);
  sn_runs_remove(&both.runs, 0, UINT64_MAX);
  assert_int_equal(both.runs.count, 0);
  end(&both);
}

static void
test_runs__a_cleared_set_is_empty_and_keeps_its_memory(void **state) {
  pair both;
  uint64_t calls;
  (void)state;
  begin(&both, 1);
  put(&both, 1, 2, 0);
  put(&both, 4, 5, 0);
  calls = both.memory.calls;
  sn_runs_clear(&both.runs);
  memset(both.plain, 0, sizeof both.plain);
  check(&both);
  put(&both, 7, 7, 0);
  put(&both, 9, 9, 0);
  check(&both);
  assert_int_equal(both.memory.calls, calls);
  end(&both);
}

static void test_runs__growing_the_last_run_needs_no_memory(void **state) {
  pair both;
  sn_runs before;
  uint64_t seq;
  (void)state;
  begin(&both, 1);
  put(&both, 0, 0, 0);
  before = both.runs;
  for (seq = 2; seq <= 100000; seq++)
    sn_runs_put(&both.runs, seq, seq, 0); /* nothing was reserved */
  assert_memory_equal(&before, &both.runs, sizeof before);
  assert_int_equal(sn_runs_count(&both.runs, 1, 100000), 100000);
  end(&both);
}

/* Each cuts a run in two and puts another between. */
static void test_runs__reserved_operations_have_room(void **state) {
  pair both;
  uint32_t capacity;
  uint64_t i;
  (void)state;
  begin(&both, 1);
  put(&both, 0, SPAN - 1, 0);
  reserve(&both, 30);
  capacity = both.runs.capacity;
  for (i = 0; i < 30; i++) {
    sn_runs_put(&both.runs, 3 * i + 2, 3 * i + 2, 1);
    both.plain[3 * i + 1] = 2;
  }
  assert_true(both.runs.used < capacity);
  assert_int_equal(both.runs.count, 61);
  check(&both);
  end(&both);
}

static void test_runs__a_reserve_that_fails_changes_nothing(void **state) {
  pair both;
  sn_runs before;
  (void)state;
  begin(&both, 1);
  put(&both, 3, 5, 1);
  put(&both, 8, 9, 2);
  before = both.runs;
  test_alloc_fail_on(&both.memory, 1);
  assert_int_equal(sn_runs_reserve(&both.memory.allocator, &both.runs, 1000),
                   SEEN_ENOMEM);
  assert_int_equal(
      sn_runs_reserve(&both.memory.allocator, &both.runs, SIZE_MAX),
      SEEN_ENOMEM);
  assert_memory_equal(&before, &both.runs, sizeof before);
  check(&both);
  end(&both);
}

/* One random operation, in a mood that makes runs long or short. */
static void operate(pair *both, test_random *random) {
  uint64_t lo = test_random_below(random, SPAN);
  uint64_t most = test_random_below(random, 8) ? 6 : SPAN;
  uint64_t hi = lo + test_random_below(random, most);
  uint64_t what = test_random_below(random, 100);
  if (hi >= SPAN) hi = SPAN - 1;
  if (what < 55) {
    put(both, lo, hi, (uint32_t)test_random_below(random, 3));
  } else if (what < 98) {
    take(both, lo, hi);
  } else {
    sn_runs_clear(&both->runs);
    memset(both->plain, 0, sizeof both->plain);
  }
  assert_true(!both->runs.used || both->runs.used < both->runs.capacity);
}

static void operate_and_check(uint64_t seed, uint64_t first) {
  test_random random = {seed};
  uint64_t count = test_scaled(20000);
  pair both;
  begin(&both, first);
  for (; count > 0; count--) {
    operate(&both, &random);
    check(&both);
  }
  end(&both);
}

static void
test_runs__random_operations_agree_with_a_plain_array(void **state) {
  (void)state;
  operate_and_check(1, 0);
  operate_and_check(2, 1000000);
  operate_and_check(3, SEEN_SEQ_MAX - SPAN + 1);
  operate_and_check(test_fresh_seed(), 1);
}

/* Below 2^20 runs a balanced tree is 28 nodes deep at most. */
static void check_half_of_a_million(pair *both, uint64_t seqs) {
  assert_int_equal(both->runs.count, seqs / 2);
  assert_int_equal(sn_runs_count(&both->runs, 1, seqs), seqs / 2);
  assert_int_equal(sn_runs_count(&both->runs, 1, seqs / 2), seqs / 4);
  assert_true(both->runs.nodes[both->runs.root].height <= 28);
}

static void test_runs__every_second_of_a_million_in_any_order(void **state) {
  uint64_t seqs = test_scaled(1000000) / 4 * 4;
  test_random random = {1};
  pair both;
  uint64_t i;
  (void)state;
  begin(&both, 1);
  for (i = 2; i <= seqs; i += 2) {
    reserve(&both, 1);
    sn_runs_put(&both.runs, i, i, 0);
  }
  check_half_of_a_million(&both, seqs);
  sn_runs_clear(&both.runs);
  for (i = seqs; i > 0; i -= 2) {
    reserve(&both, 1);
    sn_runs_put(&both.runs, i, i, 0);
  }
  check_half_of_a_million(&both, seqs);
  for (i = seqs; i > 0; i--) { /* some go, and come back */
    uint64_t seq = 2 + 2 * test_random_below(&random, seqs / 2);
    reserve(&both, 1);
    sn_runs_remove(&both.runs, seq - 1, seq);
  }
  assert_true(both.runs.count < seqs / 2);
  for (i = 2; i <= seqs; i += 2) {
    reserve(&both, 1);
    sn_runs_put(&both.runs, i, i, 0);
  }
  check_half_of_a_million(&both, seqs);
  sn_runs_remove(&both.runs, 1, seqs);
  assert_int_equal(both.runs.count, 0);
  end(&both);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs__an_empty_set_has_nothing),
      cmocka_unit_test(test_runs__runs_of_one_tag_that_touch_are_one),
      cmocka_unit_test(test_runs__runs_of_two_tags_that_touch_are_two),
      cmocka_unit_test(test_runs__a_put_replaces_whatever_was_there),
      cmocka_unit_test(test_runs__a_put_of_what_is_there_changes_nothing),
      cmocka_unit_test(test_runs__a_removal_cuts_a_run_in_two),
      cmocka_unit_test(test_runs__a_removal_the_wrong_way_round_is_none),
      cmocka_unit_test(test_runs__the_whole_range_is_one_run),
      cmocka_unit_test(test_runs__a_cleared_set_is_empty_and_keeps_its_memory),
      cmocka_unit_test(test_runs__growing_the_last_run_needs_no_memory),
      cmocka_unit_test(test_runs__reserved_operations_have_room),
      cmocka_unit_test(test_runs__a_reserve_that_fails_changes_nothing),
      cmocka_unit_test(test_runs__random_operations_agree_with_a_plain_array),
      cmocka_unit_test(test_runs__every_second_of_a_million_in_any_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
