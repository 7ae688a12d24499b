#include "engine/reading.h"

#include "support/engine.h"

/* An open conversation, read up to `seq`, with mentions at 3 and 8. */
static test_engine *start_open(uint64_t seq, seen_read_policy read) {
  const seen_mention mentions[] = {{3, SEEN_MENTION_ME}, {8, SEEN_MENTION_ME}};
  seen_options options = engine_options();
  seen_word word = word_at(0, seq, 0, 10);
  options.read = read;
  test_engine *t = engine_start_with(&options);
  word.mentions = mentions;
  word.mention_count = 2;
  say_row(t, "g", word);
  say(t, SEEN_INPUT_OPEN, "g");
  return t;
}

static uint64_t read_of(test_engine *t) {
  return state_of(t, "g").read_seq;
}

static void test_reading__a_message_is_read_when_its_dwell_ends(void **state) {
  test_engine *t = start_open(0, SEEN_READ_VIEWPORT);
  (void)state;
  say_visible(t, "g", 1, 5);
  assert_int_equal(seen_engine_deadline(t->engine), 150);
  at(t, 149);
  assert_int_equal(read_of(t), 0);
  at(t, 150);
  assert_int_equal(read_of(t), 5);
  engine_end(t);
}

static void
test_reading__rows_that_stay_over_a_scroll_keep_their_dwell(void **state) {
  test_engine *t = start_open(0, SEEN_READ_VIEWPORT);
  (void)state;
  say_visible(t, "g", 1, 5);
  at(t, 100);
  say_visible(t, "g", 4, 9);
  at(t, 150);
  assert_int_equal(read_of(t), 5);
  at(t, 250);
  assert_int_equal(read_of(t), 9);
  engine_end(t);
}

static void test_reading__nothing_is_read_in_the_background_or_unfocused(
    void **state) { /* V9 */
  test_engine *t = start_open(0, SEEN_READ_VIEWPORT);
  (void)state;
  say_on(t, SEEN_INPUT_FOCUS, NULL, false);
  say_visible(t, "g", 1, 5);
  at(t, 1000);
  say_on(t, SEEN_INPUT_APP, NULL, false);
  say_on(t, SEEN_INPUT_FOCUS, NULL, true);
  at(t, 2000);
  assert_int_equal(read_of(t), 0);
  say_on(t, SEEN_INPUT_APP, NULL, true);
  at(t, 2149);
  assert_int_equal(read_of(t), 0);
  at(t, 2150);
  assert_int_equal(read_of(t), 5);
  engine_end(t);
}

static void
test_reading__being_told_again_to_be_active_restarts_no_dwell(void **state) {
  test_engine *t = start_open(0, SEEN_READ_VIEWPORT);
  (void)state;
  say_visible(t, "g", 1, 5);
  t->now = 100;
  say_on(t, SEEN_INPUT_APP, NULL, true);
  say_on(t, SEEN_INPUT_FOCUS, NULL, true);
  at(t, 150);
  assert_int_equal(read_of(t), 5);
  engine_end(t);
}

static void
test_reading__an_advance_clears_the_mentions_it_passes(void **state) { /* M3 */
  test_engine *t = start_open(5, SEEN_READ_VIEWPORT);
  (void)state;
  say_visible(t, "g", 6, 8);
  at(t, 150);
  assert_int_equal(state_of(t, "g").first_mention, 3);
  assert_int_equal(state_of(t, "g").mentions, 1);
  at(t, 650);
  expect_sent(t, "report g 0:8"); /* it clears 8 by itself */
  engine_end(t);
}

static void
test_reading__a_mention_on_screen_below_is_cleared_alone(void **state) {
  test_engine *t = start_open(9, SEEN_READ_VIEWPORT);
  (void)state;
  say_visible(t, "g", 2, 5);
  at(t, 149);
  assert_int_equal(state_of(t, "g").mentions, 2);
  at(t, 650);
  assert_int_equal(state_of(t, "g").first_mention, 8);
  expect_sent(t, "report g 0:9 cleared 3");
  engine_end(t);
}

static void test_reading__a_row_reads_once_a_stay(void **state) { /* V1 */
  test_engine *t = start_open(9, SEEN_READ_VIEWPORT);
  (void)state;
  say_visible(t, "g", 4, 6);
  at(t, 150);
  say_found(t, "g", 5, SEEN_MENTION_ME);
  at(t, 5000);
  assert_int_equal(state_of(t, "g").mentions, 3);
  say_visible(t, "g", 0, 0);
  say_visible(t, "g", 4, 6);
  at(t, 5150);
  assert_int_equal(state_of(t, "g").mentions, 2);
  engine_end(t);
}

static void
test_reading__a_read_runs_on_through_uncountable_ones(void **state) {
  test_engine *t = start_open(9, SEEN_READ_VIEWPORT);
  (void)state;
  say_message(t, "g", 11, "u2");
  say_message(t, "g", 12, "u1");
  say_message(t, "g", 13, "u2");
  say_visible(t, "g", 11, 11);
  at(t, 150);
  assert_int_equal(read_of(t), 12);
  engine_end(t);
}

static void
test_reading__by_name_clears_every_mention_up_to_there(void **state) {
  test_engine *t = start_open(5, SEEN_READ_VIEWPORT);
  (void)state;
  say_mark_read(t, "g", 3); /* moves nothing */
  assert_int_equal(state_of(t, "g").mentions, 1);
  expect_sent(t, "report g 0:5 cleared 3");
  engine_end(t);
}

static void test_reading__a_rollback_brings_no_mention_back(void **state) {
  test_engine *t = start_open(5, SEEN_READ_VIEWPORT);
  (void)state;
  say_mark_read(t, "g", 10);
  say_mark_unread(t, "g", 1);
  assert_int_equal(state_of(t, "g").mentions, 0);
  engine_end(t);
}

static void test_reading__on_open_all_that_is_known_is_read(void **state) {
  test_engine *t = start_open(0, SEEN_READ_ON_OPEN);
  (void)state;
  assert_int_equal(read_of(t), 10);
  say_message(t, "g", 11, "u2");
  assert_int_equal(read_of(t), 11);
  say_on(t, SEEN_INPUT_APP, NULL, false);
  say_message(t, "g", 12, "u2");
  assert_int_equal(read_of(t), 11);
  say_on(t, SEEN_INPUT_APP, NULL, true);
  assert_int_equal(read_of(t), 12);
  say(t, SEEN_INPUT_CLOSE, "g");
  say_message(t, "g", 13, "u2");
  assert_int_equal(read_of(t), 12);
  engine_end(t);
}

static void test_reading__advances_are_counted_and_merged(void **state) {
  test_engine *t = start_open(0, SEEN_READ_VIEWPORT);
  (void)state;
  say_visible(t, "g", 1, 2);
  at(t, 150);
  say_visible(t, "g", 2, 3);
  at(t, 300);
  say_visible(t, "g", 3, 4);
  at(t, 1200);
  expect_sent(t, "report g 0:4");
  assert_int_equal(metrics_of(t).advances, 3);
  assert_int_equal(metrics_of(t).reports_merged, 2);
  assert_int_equal(metrics_of(t).reports_sent, 1);
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reading__a_message_is_read_when_its_dwell_ends),
      cmocka_unit_test(
          test_reading__rows_that_stay_over_a_scroll_keep_their_dwell),
      cmocka_unit_test(
          test_reading__nothing_is_read_in_the_background_or_unfocused),
      cmocka_unit_test(
          test_reading__being_told_again_to_be_active_restarts_no_dwell),
      cmocka_unit_test(test_reading__an_advance_clears_the_mentions_it_passes),
      cmocka_unit_test(
          test_reading__a_mention_on_screen_below_is_cleared_alone),
      cmocka_unit_test(test_reading__a_row_reads_once_a_stay),
      cmocka_unit_test(test_reading__a_read_runs_on_through_uncountable_ones),
      cmocka_unit_test(test_reading__by_name_clears_every_mention_up_to_there),
      cmocka_unit_test(test_reading__a_rollback_brings_no_mention_back),
      cmocka_unit_test(test_reading__on_open_all_that_is_known_is_read),
      cmocka_unit_test(test_reading__advances_are_counted_and_merged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
