#include "engine/gaps.h"

#include "support/engine.h"

enum { WAIT = 1000 };

typedef struct bench {
  test_alloc memory;
  sn_conv conv;
} bench;

static void begin(bench *b) {
  *b = (bench){0};
  test_alloc_init(&b->memory);
  assert_int_equal(sn_conv_need_facts(&b->memory.allocator, &b->conv), SEEN_OK);
}

static void end(bench *b) {
  sn_conv_free_parts(&b->memory.allocator, &b->conv);
  test_alloc_check(&b->memory);
}

/* A live message, and the gap that it leaves. */
static void come(bench *b, uint64_t seq, uint64_t now) {
  sn_facts *facts = b->conv.facts;
  assert_int_equal(sn_gaps_reserve(&b->memory.allocator, facts, 1), SEEN_OK);
  assert_int_equal(sn_runs_reserve(&b->memory.allocator, &facts->live, 1),
                   SEEN_OK);
  if (seq > b->conv.last_seq) {
    sn_gaps_show(&b->conv, b->conv.last_seq + 1, seq - 1, now);
    b->conv.last_seq = seq;
  }
  sn_runs_put(&facts->live, seq, seq, 0);
}

static void test_gaps__no_gap_is_never_late(void **state) {
  bench b;
  (void)state;
  begin(&b);
  come(&b, 1, 5);
  assert_int_equal(sn_gaps_due(&b.conv, WAIT), SEEN_NEVER);
  assert_false(sn_gaps_ask(&b.conv, 9999, WAIT));
  end(&b);
}

static void test_gaps__late_a_wait_after_it_showed(void **state) {
  bench b;
  (void)state;
  begin(&b);
  come(&b, 3, 5);
  come(&b, 4, 500);
  assert_int_equal(sn_gaps_due(&b.conv, WAIT), 5 + WAIT);
  assert_false(sn_gaps_ask(&b.conv, 4 + WAIT, WAIT));
  assert_true(sn_gaps_ask(&b.conv, 5 + WAIT, WAIT));
  assert_int_equal(sn_gaps_due(&b.conv, WAIT), SEEN_NEVER);
  end(&b);
}

static void test_gaps__what_came_after_all_is_not_asked_for(void **state) {
  bench b;
  (void)state;
  begin(&b);
  come(&b, 3, 5);
  come(&b, 2, 6);
  come(&b, 1, 7);
  assert_int_equal(sn_gaps_due(&b.conv, WAIT), SEEN_NEVER);
  end(&b);
}

static void
test_gaps__several_that_are_late_are_asked_for_at_once(void **state) {
  bench b;
  (void)state;
  begin(&b);
  come(&b, 3, 5);
  come(&b, 6, 7);
  come(&b, 9, 5000);
  assert_true(sn_gaps_ask(&b.conv, 7 + WAIT, WAIT));
  assert_int_equal(sn_gaps_due(&b.conv, WAIT), 5000 + WAIT);
  end(&b);
}

static void test_gaps__of_one_moment_are_one_gap(void **state) {
  bench b;
  (void)state;
  begin(&b);
  for (uint64_t seq = 2; seq < 200; seq += 2)
    come(&b, seq, 5);
  assert_int_equal(b.conv.facts->gap_count, 1);
  assert_int_equal(b.conv.facts->gaps[0].run.hi, 197);
  end(&b);
}

static void test_gaps__a_tally_covers_them_up_to_its_last_seq(void **state) {
  bench b;
  (void)state;
  begin(&b);
  come(&b, 3, 5);
  come(&b, 9, 7);
  sn_gaps_cover(b.conv.facts, 5);
  assert_int_equal(b.conv.facts->gap_count, 1);
  assert_int_equal(b.conv.facts->gaps[0].run.lo, 6);
  assert_int_equal(sn_gaps_due(&b.conv, WAIT), 7 + WAIT);
  sn_gaps_cover(b.conv.facts, 8);
  assert_int_equal(sn_gaps_due(&b.conv, WAIT), SEEN_NEVER);
  end(&b);
}

static void
test_gaps__on_a_new_link_what_was_asked_for_is_late_again(void **state) {
  bench b;
  (void)state;
  begin(&b);
  come(&b, 3, 5);
  assert_true(sn_gaps_ask(&b.conv, 5 + WAIT, WAIT));
  sn_gaps_new_link(&b.conv);
  assert_true(sn_gaps_due(&b.conv, WAIT) <= 5 + WAIT);
  assert_true(sn_gaps_ask(&b.conv, 6 + WAIT, WAIT));
  end(&b);
}

static void test_gaps__a_young_one_keeps_its_time_on_a_new_link(void **state) {
  bench b;
  (void)state;
  begin(&b);
  come(&b, 3, 700);
  sn_gaps_new_link(&b.conv);
  assert_int_equal(b.conv.facts->gap_count, 1);
  assert_int_equal(sn_gaps_due(&b.conv, WAIT), 700 + WAIT);
  end(&b);
}

/* Nothing is asked for while the row waits for a snapshot (S2). */
static void
test_gaps__many_links_without_asking_take_no_more_room(void **state) {
  bench b;
  (void)state;
  begin(&b);
  come(&b, 3, 5);
  assert_true(sn_gaps_ask(&b.conv, 5 + WAIT, WAIT));
  come(&b, 6, 2000);
  for (int i = 0; i < 9; i++)
    sn_gaps_new_link(&b.conv);
  assert_int_equal(b.conv.facts->gap_count, 2);
  assert_true(b.conv.facts->gap_count <= b.conv.facts->gap_capacity);
  end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gaps__no_gap_is_never_late),
      cmocka_unit_test(test_gaps__late_a_wait_after_it_showed),
      cmocka_unit_test(test_gaps__what_came_after_all_is_not_asked_for),
      cmocka_unit_test(test_gaps__several_that_are_late_are_asked_for_at_once),
      cmocka_unit_test(test_gaps__of_one_moment_are_one_gap),
      cmocka_unit_test(test_gaps__a_tally_covers_them_up_to_its_last_seq),
      cmocka_unit_test(
          test_gaps__on_a_new_link_what_was_asked_for_is_late_again),
      cmocka_unit_test(test_gaps__a_young_one_keeps_its_time_on_a_new_link),
      cmocka_unit_test(test_gaps__many_links_without_asking_take_no_more_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
