#include "engine/everywhere.h"

#include "support/engine.h"

static void test_everywhere__read_all_is_one_for_all(void **state) { /* V11 */
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_row(t, "h", word_at(0, 2, 0, 5));
  say(t, SEEN_INPUT_READ_ALL, NULL);
  expect_sent(t, "read_all");
  assert_int_equal(totals_of(t).unread, 0);
  at(t, 60000);
  expect_sent(t, "");
  engine_end(t);
}

static void
test_everywhere__read_all_goes_even_if_nothing_is_unread(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say(t, SEEN_INPUT_READ_ALL, NULL);
  expect_sent(t, "read_all");
  engine_end(t);
}

static void
test_everywhere__without_a_link_reports_say_it_and_keep(void **state) {
  const seen_mention mention = {7, SEEN_MENTION_ME};
  test_engine *t = engine_start();
  seen_word word = word_at(0, 0, 0, 9);
  (void)state;
  word.mentions = &mention;
  word.mention_count = 1;
  say_row(t, "g", word);
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say(t, SEEN_INPUT_READ_ALL, NULL);
  assert_int_equal(state_of(t, "g").mentions, 1); /* reminders stay */
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "report g 0:9 keep");
  engine_end(t);
}

static void test_everywhere__read_all_leaves_a_mark_on_its_way(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 5, 0, 9));
  say_mark_unread(t, "g", 2);
  expect_sent(t, "mark_unread g 0:5 to 2");
  say(t, SEEN_INPUT_READ_ALL, NULL);
  expect_sent(t, "read_all");
  say_ack(t, "g", SEEN_REQUEST_MARK_UNREAD, word_at(1, 2, 5, 9));
  expect_sent(t, ""); /* it was said behind the mark */
  assert_int_equal(state_of(t, "g").unread, 0);
  engine_end(t);
}

static void test_everywhere__a_background_reports_what_is_unsent(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "h", word_at(0, 0, 0, 9));
  say_row(t, "g", word_at(0, 0, 0, 9));
  say(t, SEEN_INPUT_OPEN, "h");
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "h", 1, 4);
  say_visible(t, "g", 1, 3);
  at(t, 200);
  say_on(t, SEEN_INPUT_APP, NULL, false);
  expect_sent(t, "report g 0:3, report h 0:4");
  assert_int_equal(metrics_of(t).report_frames, 1);
  engine_end(t);
}

static void test_everywhere__the_server_may_ask_for_reports(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 1, 3);
  at(t, 200);
  say(t, SEEN_INPUT_REPORT_NOW, NULL);
  expect_sent(t, "report g 0:3");
  engine_end(t);
}

static void test_everywhere__the_same_link_again_is_no_new_one(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_mark_read(t, "g", 4);
  expect_sent(t, "report g 0:4");
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "");
  engine_end(t);
}

static void test_everywhere__nothing_is_sent_without_a_link(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 5, 0, 9));
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say_mark_read(t, "g", 7);
  say_on(t, SEEN_INPUT_PIN, "g", true);
  say_message(t, "g", 20, "u2");
  say(t, SEEN_INPUT_SERVER_RESET, NULL);
  say(t, SEEN_INPUT_FLUSH, NULL);
  at(t, 9000);
  expect_sent(t, "");
  expect_stored(t, "store g");
  assert_int_equal(seen_engine_deadline(t->engine), SEEN_NEVER);
  engine_end(t);
}

static void
test_everywhere__a_mark_dropped_by_a_reset_was_a_read(void **state) { /* S2 */
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 2, 0, 9));
  say_mark_read(t, "g", 8);
  say_ack(t, "g", SEEN_REQUEST_REPORT, word_at(0, 8, 0, 9));
  say_mark_unread(t, "g", 4);
  say(t, SEEN_INPUT_SERVER_RESET, NULL);
  assert_false(state_of(t, "g").marked_unread);
  assert_int_equal(state_of(t, "g").read_seq, 8);
  assert_false(state_of(t, "g").pending);
  engine_end(t);
}

static void
test_everywhere__an_audit_of_what_is_right_changes_nothing(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_row(t, "h", word_at(0, 0, 0, 3));
  say(t, SEEN_INPUT_LEFT, "h");
  seen_totals before = totals_of(t);
  say(t, SEEN_INPUT_AUDIT, NULL);
  seen_totals after = totals_of(t);
  assert_memory_equal(&before, &after, sizeof after);
  assert_int_equal(metrics_of(t).unread_drift, 0);
  engine_end(t);
}

static void
test_everywhere__an_audit_mends_a_cache_that_drifted(void **state) { /* U8 */
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  sn_engine_conv(t->engine, 1)->unread = 5;
  say(t, SEEN_INPUT_AUDIT, NULL);
  assert_int_equal(state_of(t, "g").unread, 9);
  assert_int_equal(totals_of(t).unread, 9);
  assert_int_equal(metrics_of(t).unread_drift, 1);
  expect_told(t, "changed g, list, totals, drift");
  t->engine->totals.unread = 8;
  say(t, SEEN_INPUT_AUDIT, NULL);
  assert_int_equal(totals_of(t).unread, 9);
  assert_int_equal(metrics_of(t).unread_drift, 2);
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_everywhere__read_all_is_one_for_all),
      cmocka_unit_test(
          test_everywhere__read_all_goes_even_if_nothing_is_unread),
      cmocka_unit_test(test_everywhere__without_a_link_reports_say_it_and_keep),
      cmocka_unit_test(test_everywhere__read_all_leaves_a_mark_on_its_way),
      cmocka_unit_test(test_everywhere__a_background_reports_what_is_unsent),
      cmocka_unit_test(test_everywhere__the_server_may_ask_for_reports),
      cmocka_unit_test(test_everywhere__the_same_link_again_is_no_new_one),
      cmocka_unit_test(test_everywhere__nothing_is_sent_without_a_link),
      cmocka_unit_test(test_everywhere__a_mark_dropped_by_a_reset_was_a_read),
      cmocka_unit_test(
          test_everywhere__an_audit_of_what_is_right_changes_nothing),
      cmocka_unit_test(test_everywhere__an_audit_mends_a_cache_that_drifted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
