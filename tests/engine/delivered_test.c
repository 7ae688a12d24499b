#include "engine/delivered.h"

#include "support/engine.h"

static test_engine *start(void) {
  seen_options options = engine_options();
  options.delivered = true;
  test_engine *t = engine_start_with(&options);
  say_row(t, "g", word_at(0, 0, 0, 5));
  return t;
}

static void
test_delivered__is_due_like_a_report_but_costs_no_token(void **state) {
  test_engine *t = start();
  (void)state;
  say_message(t, "g", 6, "u2");
  t->now = 400;
  say_message(t, "g", 7, "u2");
  t->now = 800;
  say_message(t, "g", 8, "u2");
  at(t, 999);
  expect_sent(t, "");
  at(t, 1000); /* the longest wait after the first */
  expect_sent(t, "delivered g 8");
  assert_int_equal(metrics_of(t).report_frames, 0);
  engine_end(t);
}

static void test_delivered__neither_own_messages_nor_lower_ones(void **state) {
  test_engine *t = start();
  (void)state;
  say_message(t, "g", 6, "u2");
  at(t, 600);
  expect_sent(t, "delivered g 6");
  say_message(t, "g", 7, "u1");
  say_message(t, "g", 3, "u2");
  at(t, 9000);
  expect_sent(t, "");
  engine_end(t);
}

static void test_delivered__on_a_new_link_until_a_row_agrees(void **state) {
  test_engine *t = start(); /* V5 */
  seen_snapshot row = {.kind = SEEN_KIND_GROUP,
                       .word = word_at(0, 0, 0, 6),
                       .fields = SEEN_SNAPSHOT_DELIVERED_SEQ,
                       .delivered_seq = 6};
  (void)state;
  say_message(t, "g", 6, "u2");
  at(t, 600);
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "delivered g 6, delivered g 6");
  say_snapshot(t, "g", row);
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "");
  engine_end(t);
}

static void
test_delivered__what_came_on_the_old_link_is_said_at_once(void **state) {
  test_engine *t = start();
  (void)state;
  say_message(t, "g", 6, "u2");
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  at(t, 2000);
  expect_sent(t, "");
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  at(t, 9000);
  expect_sent(t, "delivered g 6");
  engine_end(t);
}

static void test_delivered__is_kept_over_a_restart(void **state) {
  test_engine *t = start();
  (void)state;
  say_message(t, "g", 6, "u2");
  t = engine_restart(t);
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "delivered g 6");
  engine_end(t);
}

static void test_delivered__is_not_sent_unless_wanted(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 5));
  say_message(t, "g", 6, "u2");
  at(t, 9000);
  expect_sent(t, "");
  engine_end(t);
}

static void
test_delivered__to_a_restored_server_what_it_can_have(void **state) { /* S2 */
  test_engine *t = start();
  (void)state;
  say_message(t, "g", 6, "u2");
  say_message(t, "g", 7, "u2");
  at(t, 600);
  say(t, SEEN_INPUT_SERVER_RESET, NULL);
  expect_sent(t, "delivered g 7, resync");
  say_row(t, "g", word_at(0, 0, 0, 6));
  expect_sent(t, "delivered g 6");
  engine_end(t);
}

static void
test_delivered__waits_for_a_snapshot_of_this_incarnation(void **state) {
  test_engine *t = start();
  (void)state;
  say(t, SEEN_INPUT_SERVER_RESET, NULL);
  say_message(t, "g", 6, "u2");
  at(t, 9000);
  expect_sent(t, "resync");
  say_row(t, "g", word_at(0, 0, 0, 6));
  expect_sent(t, "delivered g 6");
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_delivered__is_due_like_a_report_but_costs_no_token),
      cmocka_unit_test(test_delivered__neither_own_messages_nor_lower_ones),
      cmocka_unit_test(test_delivered__on_a_new_link_until_a_row_agrees),
      cmocka_unit_test(
          test_delivered__what_came_on_the_old_link_is_said_at_once),
      cmocka_unit_test(test_delivered__is_kept_over_a_restart),
      cmocka_unit_test(test_delivered__is_not_sent_unless_wanted),
      cmocka_unit_test(test_delivered__to_a_restored_server_what_it_can_have),
      cmocka_unit_test(
          test_delivered__waits_for_a_snapshot_of_this_incarnation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
