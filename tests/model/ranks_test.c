#include "model/ranks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"
#include "support/random.h"

enum { SPAN = 64 };

static void add(test_alloc *memory, sn_ranks *ranks, uint64_t seq) {
  assert_int_equal(sn_ranks_reserve(&memory->allocator, ranks, 1), SEEN_OK);
  sn_ranks_add(ranks, seq);
}

static void test_ranks__an_empty_multiset_has_none(void **state) {
  sn_ranks ranks = {0};
  (void)state;
  assert_int_equal(sn_ranks_total(&ranks), 0);
  assert_int_equal(sn_ranks_at_least(&ranks, 0), 0);
}

static void test_ranks__a_seq_counts_as_often_as_it_was_added(void **state) {
  test_alloc memory;
  sn_ranks ranks = {0};
  (void)state;
  test_alloc_init(&memory);
  add(&memory, &ranks, 7);
  add(&memory, &ranks, 7);
  add(&memory, &ranks, 9);
  assert_int_equal(ranks.count, 2);
  assert_int_equal(sn_ranks_total(&ranks), 3);
  assert_int_equal(sn_ranks_at_least(&ranks, 7), 3);
  assert_int_equal(sn_ranks_at_least(&ranks, 8), 1);
  sn_ranks_remove(&ranks, 7);
  assert_int_equal(sn_ranks_at_least(&ranks, 7), 2);
  sn_ranks_remove(&ranks, 7);
  assert_int_equal(sn_ranks_at_least(&ranks, 7), 1);
  assert_int_equal(ranks.count, 1);
  sn_ranks_remove(&ranks, 9);
  assert_int_equal(sn_ranks_total(&ranks), 0);
  sn_ranks_free(&memory.allocator, &ranks);
  test_alloc_check(&memory);
}

static void test_ranks__the_lowest_and_the_highest_seq(void **state) {
  test_alloc memory;
  sn_ranks ranks = {0};
  (void)state;
  test_alloc_init(&memory);
  add(&memory, &ranks, 0);
  add(&memory, &ranks, SEEN_SEQ_MAX);
  assert_int_equal(sn_ranks_at_least(&ranks, 0), 2);
  assert_int_equal(sn_ranks_at_least(&ranks, 1), 1);
  assert_int_equal(sn_ranks_at_least(&ranks, SEEN_SEQ_MAX), 1);
  assert_int_equal(sn_ranks_at_least(&ranks, UINT64_MAX), 0);
  sn_ranks_remove(&ranks, SEEN_SEQ_MAX);
  sn_ranks_remove(&ranks, 0);
  assert_int_equal(sn_ranks_total(&ranks), 0);
  sn_ranks_free(&memory.allocator, &ranks);
}

static void test_ranks__reserved_additions_have_room(void **state) {
  test_alloc memory;
  sn_ranks ranks = {0};
  uint64_t seq;
  (void)state;
  test_alloc_init(&memory);
  assert_int_equal(sn_ranks_reserve(&memory.allocator, &ranks, 100), SEEN_OK);
  for (seq = 1; seq <= 100; seq++)
    sn_ranks_add(&ranks, seq);
  assert_int_equal(memory.calls, 1);
  assert_true(ranks.used < ranks.capacity);
  sn_ranks_clear(&ranks);
  assert_int_equal(sn_ranks_total(&ranks), 0);
  assert_int_equal(sn_ranks_reserve(&memory.allocator, &ranks, 100), SEEN_OK);
  assert_int_equal(memory.calls, 1);
  sn_ranks_free(&memory.allocator, &ranks);
  test_alloc_check(&memory);
}

static void test_ranks__a_reserve_that_fails_changes_nothing(void **state) {
  test_alloc memory;
  sn_ranks ranks = {0};
  sn_ranks before;
  (void)state;
  test_alloc_init(&memory);
  add(&memory, &ranks, 4);
  before = ranks;
  test_alloc_fail(&memory, 1);
  assert_int_equal(sn_ranks_reserve(&memory.allocator, &ranks, 1000),
                   SEEN_ENOMEM);
  assert_memory_equal(&before, &ranks, sizeof ranks);
  assert_int_equal(sn_ranks_at_least(&ranks, 4), 1);
  sn_ranks_free(&memory.allocator, &ranks);
  test_alloc_check(&memory);
}

static void check(const sn_ranks *ranks, const uint32_t *plain) {
  uint64_t sum = 0;
  uint64_t seq;
  for (seq = SPAN; seq-- > 0;) {
    sum += plain[seq];
    assert_int_equal(sn_ranks_at_least(ranks, seq), sum);
  }
  assert_int_equal(sn_ranks_total(ranks), sum);
}

static void operate_and_check(uint64_t seed) {
  test_random random = {seed};
  uint64_t count = test_scaled(20000);
  uint32_t plain[SPAN] = {0};
  test_alloc memory;
  sn_ranks ranks = {0};
  test_alloc_init(&memory);
  for (; count > 0; count--) {
    uint64_t seq = test_random_below(&random, SPAN);
    if (!plain[seq] || !test_random_below(&random, 3)) {
      add(&memory, &ranks, seq);
      plain[seq]++;
    } else {
      sn_ranks_remove(&ranks, seq);
      plain[seq]--;
    }
    check(&ranks, plain);
    assert_true(ranks.used < ranks.capacity);
  }
  sn_ranks_free(&memory.allocator, &ranks);
  test_alloc_check(&memory);
}

static void
test_ranks__random_operations_agree_with_a_plain_array(void **state) {
  (void)state;
  operate_and_check(1);
  operate_and_check(2);
  operate_and_check(test_fresh_seed());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ranks__an_empty_multiset_has_none),
      cmocka_unit_test(test_ranks__a_seq_counts_as_often_as_it_was_added),
      cmocka_unit_test(test_ranks__the_lowest_and_the_highest_seq),
      cmocka_unit_test(test_ranks__reserved_additions_have_room),
      cmocka_unit_test(test_ranks__a_reserve_that_fails_changes_nothing),
      cmocka_unit_test(test_ranks__random_operations_agree_with_a_plain_array),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
