/*
 * The engine against the naive model: after each of four million random inputs
 * all that they answer and send is the same. In a soak, many more under fresh
 * seeds.
 */
#include "naive/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
/* cmocka wants some of those. */
#include <cmocka.h>

static uint64_t fresh;

static void test_random__a_consistent_server(void **state) {
  (void)state;
  naive_random_runs(1, NAIVE_MOOD_CONSISTENT, test_scaled(1800000));
}

static void test_random__a_server_that_says_anything(void **state) {
  (void)state;
  naive_random_runs(2, NAIVE_MOOD_HOSTILE, test_scaled(1200000));
}

static void test_random__more_conversations_than_a_frame_holds(void **state) {
  (void)state;
  naive_random_runs(3, NAIVE_MOOD_CROWD, test_scaled(20000));
}

static void soak(uint64_t seed, naive_mood mood, uint64_t inputs) {
  enum { MORE = 20000 };
  time_t end = test_soak_end();
  test_random seeds = {seed};

  naive_random_runs(seed, mood, inputs);
  for (; time(NULL) < end; inputs += MORE)
    naive_random_runs(test_random_next(&seeds), mood, MORE);
  printf("# %" PRIu64 " inputs from seed %" PRIu64 " on\n", inputs, seed);
}

static void test_random__fresh_and_consistent(void **state) {
  (void)state;
  soak(fresh, NAIVE_MOOD_CONSISTENT, test_scaled(600000));
}

static void test_random__fresh_and_anything(void **state) {
  (void)state;
  soak(fresh + 1, NAIVE_MOOD_HOSTILE, test_scaled(400000));
}

/* A model that breaks one rule is caught, by a run of a few lines. */
static void test_random__a_broken_rule_is_found_and_shrunk(void **state) {
  (void)state;
  for (int fault = NAIVE_FAULT_NONE + 1; fault < NAIVE_FAULT_COUNT; fault++) {
    char why[512] = "";
    naive_run run = {0};

    printf("# planted fault %d\n", fault);
    for (uint64_t seed = 1; seed <= 200 && why[0] == '\0'; seed++) {
      naive_run_free(&run);
      naive_random_run(seed, NAIVE_MOOD_CONSISTENT, (naive_fault)fault, 400,
                       &run, why, sizeof why);
    }
    if (why[0] == '\0') fail_msg("fault %d was not found", fault);
    assert_in_range(run.count, 1, 8);
    run.fault = NAIVE_FAULT_NONE;
    assert_false(naive_run_differs(&run, NULL, 0));
    naive_run_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random__a_broken_rule_is_found_and_shrunk),
      cmocka_unit_test(test_random__a_consistent_server),
      cmocka_unit_test(test_random__a_server_that_says_anything),
      cmocka_unit_test(test_random__more_conversations_than_a_frame_holds),
      cmocka_unit_test(test_random__fresh_and_consistent),
      cmocka_unit_test(test_random__fresh_and_anything),
  };

  fresh = test_fresh_seed();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
