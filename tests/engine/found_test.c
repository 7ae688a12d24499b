#include "engine/found.h"

#include "support/conv.h"

static void put(test_conv *t, sn_runs *runs, uint64_t lo, uint64_t hi) {
  assert_int_equal(sn_runs_reserve(&t->memory.allocator, runs, 1), SEEN_OK);
  sn_runs_put(runs, lo, hi, 1);
}

static void reserve(test_conv *t, size_t more) {
  assert_int_equal(sn_found_reserve(&t->memory.allocator, t->conv.facts, more),
                   SEEN_OK);
}

static void test_found__yields_to_what_is_said(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  sn_facts *facts = t.conv.facts;
  put(&t, &facts->found, 2, 9);
  put(&t, &facts->uncountable, 1, 3);
  put(&t, &facts->uncountable, 6, 6);
  put(&t, &facts->uncountable, 9, 20);
  reserve(&t, 0);
  sn_found_drop_said(facts);
  assert_int_equal(sn_runs_count(&facts->found, 0, 99), 4);
  assert_true(sn_runs_has(&facts->found, 4) && sn_runs_has(&facts->found, 8));
  conv_end(&t);
}

static void test_found__a_mention_goes_with_its_message(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  sn_facts *facts = t.conv.facts;
  put(&t, &facts->found_mentions, 3, 6);
  put(&t, &facts->found, 4, 4);
  put(&t, &facts->uncountable, 6, 6);
  reserve(&t, 0);
  sn_found_drop_said(facts);
  assert_int_equal(sn_runs_count(&facts->found_mentions, 0, 99), 2);
  sn_found_drop_seq(facts, 3);
  assert_true(sn_runs_has(&facts->found_mentions, 5));
  assert_false(sn_runs_has(&facts->found_mentions, 3));
  conv_end(&t);
}

static void
test_found__the_servers_position_takes_what_it_passes(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  sn_facts *facts = t.conv.facts;
  put(&t, &facts->found, 4, 6);
  put(&t, &facts->found_mentions, 5, 5);
  reserve(&t, 1);
  assert_false(sn_found_drop_passed(facts, 3));
  assert_true(sn_found_drop_passed(facts, 5));
  assert_int_equal(sn_runs_count(&facts->found, 0, 99), 1);
  assert_true(sn_runs_has(&facts->found_mentions, 5)); /* when it is cleared */
  conv_end(&t);
}

static void test_found__dropping_asks_for_no_memory(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  sn_facts *facts = t.conv.facts;
  put(&t, &facts->found, 1, 1000);
  put(&t, &facts->found_mentions, 1, 1000);
  for (uint64_t seq = 2; seq <= 1000; seq += 2)
    put(&t, &facts->uncountable, seq, seq);
  reserve(&t, 0);
  uint64_t calls = t.memory.calls;
  sn_found_drop_said(facts);
  assert_int_equal(facts->found.count, 500);
  assert_int_equal(t.memory.calls, calls);
  conv_end(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_found__yields_to_what_is_said),
      cmocka_unit_test(test_found__a_mention_goes_with_its_message),
      cmocka_unit_test(test_found__the_servers_position_takes_what_it_passes),
      cmocka_unit_test(test_found__dropping_asks_for_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
