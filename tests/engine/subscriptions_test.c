#include "engine/subscriptions.h"

#include "support/engine.h"

/* Own texts at 3 and 7 of 9. */
static test_engine *start(void) {
  seen_options options = engine_options();
  options.subscriptions = true;
  test_engine *t = engine_start_with(&options);
  say_row(t, "g", word_at(0, 0, 0, 0));
  for (uint64_t seq = 1; seq <= 9; seq++)
    say_message(t, "g", seq, seq == 3 || seq == 7 ? "u1" : "u2");
  say(t, SEEN_INPUT_OPEN, "g");
  return t;
}

static void
test_subscriptions__from_the_first_own_text_to_the_last(void **state) { /* R5 */
  test_engine *t = start();
  (void)state;
  say_visible(t, "g", 1, 9);
  expect_sent(t, "subscribe g 3-7");
  say_visible(t, "g", 1, 8); /* the same ones */
  expect_sent(t, "");
  say_visible(t, "g", 4, 9);
  expect_sent(t, "unsubscribe g 3-7, subscribe g 7-7");
  engine_end(t);
}

static void
test_subscriptions__end_when_nothing_of_ones_own_is_seen(void **state) {
  test_engine *t = start();
  (void)state;
  say_visible(t, "g", 1, 4);
  say_visible(t, "g", 4, 6);
  expect_sent(t, "subscribe g 3-3, unsubscribe g 3-3");
  engine_end(t);
}

static void test_subscriptions__end_with_a_close_and_a_leave(void **state) {
  test_engine *t = start();
  (void)state;
  say_visible(t, "g", 1, 4);
  expect_sent(t, "subscribe g 3-3");
  say(t, SEEN_INPUT_CLOSE, "g");
  expect_sent(t, "unsubscribe g 3-3");
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 1, 4);
  say(t, SEEN_INPUT_LEFT, "g");
  expect_sent(t, "subscribe g 3-3, unsubscribe g 3-3");
  engine_end(t);
}

static void test_subscriptions__begin_again_on_a_new_link(void **state) {
  test_engine *t = start();
  (void)state;
  say_visible(t, "g", 1, 4);
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say_visible(t, "g", 4, 9);
  expect_sent(t, "subscribe g 3-3");
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "subscribe g 7-7");
  engine_end(t);
}

static void
test_subscriptions__an_own_text_may_come_while_on_screen(void **state) {
  test_engine *t = start();
  (void)state;
  say_visible(t, "g", 4, 6);
  say_message(t, "g", 5, "u1"); /* a copy that says whose it was */
  expect_sent(t, "subscribe g 5-5");
  engine_end(t);
}

static void test_subscriptions__own_recalls_are_no_texts(void **state) {
  test_engine *t = start();
  (void)state;
  say_message_as(
      t, "g",
      (seen_message){
          .seq = 10, .from = "u1", .kind = SEEN_MESSAGE_RECALL, .target = 7});
  say_visible(t, "g", 8, 10);
  expect_sent(t, "");
  engine_end(t);
}

static void test_subscriptions__closed_windows_are_not_walked(void **state) {
  test_engine *t = start();
  (void)state;
  say(t, SEEN_INPUT_CLOSE, "g");
  assert_int_equal(t->engine->windows.count, 0);
  engine_end(t);
}

static void
test_subscriptions__end_while_a_snapshot_is_waited_for(void **state) {
  test_engine *t = start();
  (void)state;
  say_visible(t, "g", 1, 4);
  say(t, SEEN_INPUT_SERVER_RESET, NULL);
  expect_sent(t, "subscribe g 3-3, resync, unsubscribe g 3-3");
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_subscriptions__from_the_first_own_text_to_the_last),
      cmocka_unit_test(
          test_subscriptions__end_when_nothing_of_ones_own_is_seen),
      cmocka_unit_test(test_subscriptions__end_with_a_close_and_a_leave),
      cmocka_unit_test(test_subscriptions__begin_again_on_a_new_link),
      cmocka_unit_test(
          test_subscriptions__an_own_text_may_come_while_on_screen),
      cmocka_unit_test(test_subscriptions__own_recalls_are_no_texts),
      cmocka_unit_test(test_subscriptions__closed_windows_are_not_walked),
      cmocka_unit_test(test_subscriptions__end_while_a_snapshot_is_waited_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
