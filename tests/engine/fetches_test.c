#include "engine/fetches.h"

#include "support/engine.h"

static test_engine *start(void) {
  test_engine *t = engine_start();
  say_row(t, "g", word_at(0, 9, 0, 9));
  return t;
}

static void
test_fetches__a_gap_is_asked_for_a_wait_after_it_showed(void **state) { /* U5 */
  test_engine *t = start();
  (void)state;
  t->now = 100;
  say_message(t, "g", 12, "u2");
  at(t, 1099);
  expect_sent(t, "");
  at(t, 1100);
  expect_sent(t, "fetch g");
  at(t, 60000);
  expect_sent(t, "");
  engine_end(t);
}

static void test_fetches__one_that_filled_is_not(void **state) {
  test_engine *t = start();
  (void)state;
  say_message(t, "g", 12, "u2");
  say_message(t, "g", 11, "u2");
  say_message(t, "g", 10, "u2");
  at(t, 60000);
  expect_sent(t, "");
  assert_true(state_of(t, "g").exact);
  engine_end(t);
}

static void
test_fetches__a_gap_below_what_was_read_is_asked_for_too(void **state) {
  test_engine *t = start();
  (void)state;
  say_message(t, "g", 12, "u2");
  say_mark_read(t, "g", 12);
  assert_true(state_of(t, "g").exact);
  expect_sent(t, "report g 0:12");
  at(t, 1000);
  expect_sent(t, "fetch g");
  engine_end(t);
}

static void test_fetches__on_a_new_link_it_is_asked_for_again(void **state) {
  test_engine *t = start();
  (void)state;
  say_message(t, "g", 12, "u2");
  at(t, 1000);
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  at(t, 5000);
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "fetch g, fetch g");
  engine_end(t);
}

static void test_fetches__late_ones_of_several_rows_leave_by_id(void **state) {
  test_engine *t = start();
  (void)state;
  say_row(t, "a", word_at(0, 9, 0, 9));
  say_message(t, "g", 12, "u2");
  say_message(t, "a", 12, "u2");
  say_message(t, "g", 14, "u2");
  at(t, 1000);
  expect_sent(t, "fetch a, fetch g");
  engine_end(t);
}

static void test_fetches__what_was_left_is_not_asked_for(void **state) {
  test_engine *t = start();
  (void)state;
  say_message(t, "g", 12, "u2");
  say(t, SEEN_INPUT_LEFT, "g");
  at(t, 9000);
  expect_sent(t, "");
  engine_end(t);
}

static void test_fetches__without_memory_it_is_still_late(void **state) {
  test_engine *t = start();
  seen_input tick = {.size = sizeof tick, .type = SEEN_INPUT_TICK};
  (void)state;
  say_message(t, "g", 12, "u2");
  for (seen_effect effect; seen_engine_next(t->engine, &effect);) {
  }
  t->now = 1000;
  test_alloc_fail_on(&t->memory, 1);
  int status = feed(t, &tick); /* it may have had the room */
  test_alloc_fail(&t->memory, 0);
  if (status) assert_int_equal(feed(t, &tick), SEEN_OK);
  expect_sent(t, "fetch g");
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fetches__a_gap_is_asked_for_a_wait_after_it_showed),
      cmocka_unit_test(test_fetches__one_that_filled_is_not),
      cmocka_unit_test(
          test_fetches__a_gap_below_what_was_read_is_asked_for_too),
      cmocka_unit_test(test_fetches__on_a_new_link_it_is_asked_for_again),
      cmocka_unit_test(test_fetches__late_ones_of_several_rows_leave_by_id),
      cmocka_unit_test(test_fetches__what_was_left_is_not_asked_for),
      cmocka_unit_test(test_fetches__without_memory_it_is_still_late),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
