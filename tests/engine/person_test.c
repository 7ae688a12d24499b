#include "engine/person.h"

#include "support/engine.h"

static test_engine *start_at(uint64_t seq, uint64_t last) {
  test_engine *t = engine_start();
  say_row(t, "g", word_at(0, seq, 0, last));
  return t;
}

static void test_person__the_divider_is_still_while_open(void **state) {
  test_engine *t = start_at(5, 9); /* B5 */
  (void)state;
  say(t, SEEN_INPUT_OPEN, "g");
  say_mark_read(t, "g", 8);
  say_message_as(
      t, "g",
      (seen_message){
          .seq = 10, .from = "u2", .kind = SEEN_MESSAGE_RECALL, .target = 6});
  assert_int_equal(state_of(t, "g").first_unread, 6);
  say(t, SEEN_INPUT_OPEN, "g"); /* it is open */
  assert_int_equal(state_of(t, "g").first_unread, 6);
  say(t, SEEN_INPUT_CLOSE, "g");
  assert_int_equal(state_of(t, "g").first_unread, 9);
  engine_end(t);
}

static void
test_person__opened_with_nothing_unread_has_no_divider(void **state) {
  test_engine *t = start_at(9, 9);
  (void)state;
  say(t, SEEN_INPUT_OPEN, "g");
  say_message(t, "g", 10, "u2");
  assert_int_equal(state_of(t, "g").first_unread, 0);
  engine_end(t);
}

static void
test_person__what_is_on_screen_ends_at_the_last_seq(void **state) { /* V1 */
  test_engine *t = start_at(0, 5);
  (void)state;
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 0, 90);
  say_message(t, "g", 6, "u2");
  at(t, 500);
  assert_int_equal(state_of(t, "g").read_seq, 5);
  say_visible(t, "g", 1, 90);
  at(t, 650);
  assert_int_equal(state_of(t, "g").read_seq, 6);
  engine_end(t);
}

static void test_person__the_same_rows_again_ask_for_nothing(void **state) {
  test_engine *t = start_at(0, 5);
  (void)state;
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 1, 5);
  expect_told(t, "changed g, list, totals");
  uint64_t calls = t->memory.calls;
  t->now = 100;
  say_visible(t, "g", 1, 9);
  assert_int_equal(t->memory.calls, calls);
  expect_told(t, "");
  at(t, 150); /* their dwell goes on */
  assert_int_equal(state_of(t, "g").read_seq, 5);
  engine_end(t);
}

static void
test_person__rows_of_a_closed_conversation_are_not_seen(void **state) {
  test_engine *t = start_at(0, 5);
  (void)state;
  say_visible(t, "g", 1, 5);
  say(t, SEEN_INPUT_OPEN, "g");
  at(t, 500);
  assert_int_equal(state_of(t, "g").read_seq, 0);
  engine_end(t);
}

static void test_person__mark_read_is_cut_at_the_last_seq(void **state) {
  test_engine *t = start_at(0, 5); /* P3 */
  (void)state;
  say_mark_read(t, "g", SEEN_SEQ_MAX);
  expect_sent(t, "report g 0:5");
  engine_end(t);
}

static void test_person__mark_read_below_sends_what_was_unsent(void **state) {
  test_engine *t = start_at(0, 9); /* V3 */
  (void)state;
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 1, 5);
  at(t, 200);
  say_mark_read(t, "g", 2);
  expect_sent(t, "report g 0:5");
  engine_end(t);
}

static void
test_person__a_mark_without_a_target_shows_one_unread(void **state) { /* P4 */
  test_engine *t = start_at(5, 5);
  (void)state;
  say_message(t, "g", 6, "u2");
  say_message(t, "g", 7, "u1"); /* not countable for this user */
  say_mark_read(t, "g", 7);
  say(t, SEEN_INPUT_MARK_UNREAD, "g");
  assert_int_equal(state_of(t, "g").read_seq, 5);
  assert_int_equal(state_of(t, "g").unread, 1);
  engine_end(t);
}

static void
test_person__with_nothing_countable_it_goes_one_seq_back(void **state) {
  const seen_run run = {1, 5};
  test_engine *t = engine_start();
  seen_word word = word_at(0, 5, 0, 5);
  (void)state;
  word.uncountable = &run;
  word.uncountable_count = 1;
  say_row(t, "g", word);
  say(t, SEEN_INPUT_MARK_UNREAD, "g");
  assert_int_equal(state_of(t, "g").read_seq, 4);
  assert_true(state_of(t, "g").marked_unread);
  engine_end(t);
}

static void test_person__with_nothing_read_nothing_is_marked(void **state) {
  test_engine *t = start_at(0, 5);
  (void)state;
  say(t, SEEN_INPUT_MARK_UNREAD, "g");
  assert_false(state_of(t, "g").marked_unread);
  expect_sent(t, "");
  engine_end(t);
}

static void test_person__a_target_is_no_lower_than_the_floor(void **state) {
  test_engine *t = engine_start();
  seen_word word = word_at(0, 9, 0, 9);
  (void)state;
  word.fields = SEEN_WORD_FLOOR;
  word.floor = 4;
  say_row(t, "g", word);
  say_mark_unread(t, "g", 0);
  expect_sent(t, "mark_unread g 0:9 to 4");
  engine_end(t);
}

static void
test_person__a_mark_at_what_is_shown_stops_nothing(void **state) { /* V8 */
  test_engine *t = start_at(3, 9);
  (void)state;
  say(t, SEEN_INPUT_OPEN, "g");
  say_mark_unread(t, "g", 3);
  say_visible(t, "g", 4, 9);
  at(t, 150);
  assert_int_equal(state_of(t, "g").unread, 0);
  engine_end(t);
}

static void test_person__a_mark_stops_reading_until_it_is_opened_again(
    void **state) { /* V8 */
  test_engine *t = start_at(5, 9);
  (void)state;
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 6, 9);
  say_mark_unread(t, "g", 2);
  at(t, 500);
  assert_int_equal(state_of(t, "g").read_seq, 2);
  say_mark_read(t, "g", 4); /* by name it works */
  assert_int_equal(state_of(t, "g").read_seq, 4);
  say(t, SEEN_INPUT_CLOSE, "g");
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 6, 9);
  at(t, 650);
  assert_int_equal(state_of(t, "g").read_seq, 9);
  engine_end(t);
}

static void test_person__clearing_mentions_moves_no_position(void **state) {
  const seen_mention mentions[] = {{3, SEEN_MENTION_ME}, {8, SEEN_MENTION_ALL}};
  test_engine *t = engine_start();
  seen_word word = word_at(0, 5, 0, 9);
  (void)state;
  word.mentions = mentions;
  word.mention_count = 2;
  say_row(t, "g", word);
  say(t, SEEN_INPUT_CLEAR_MENTIONS, "g");
  assert_int_equal(state_of(t, "g").mentions, 0);
  assert_int_equal(state_of(t, "g").unread, 4);
  expect_sent(t, "report g 0:5 cleared 3 8");
  engine_end(t);
}

static void test_person__acts_on_what_was_left_do_nothing(void **state) {
  test_engine *t = start_at(3, 9);
  (void)state;
  say(t, SEEN_INPUT_LEFT, "g");
  say(t, SEEN_INPUT_OPEN, "g");
  say_mark_read(t, "g", 7);
  say_mark_unread(t, "g", 1);
  say(t, SEEN_INPUT_CLEAR_MENTIONS, "g");
  say_on(t, SEEN_INPUT_PIN, "g", true);
  say(t, SEEN_INPUT_CLOSE, "g");
  expect_sent(t, "");
  say_row(t, "g", word_at(0, 3, 0, 9));
  seen_state shown = state_of(t, "g");
  assert_false(shown.pending || shown.pinned || shown.open);
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_person__the_divider_is_still_while_open),
      cmocka_unit_test(test_person__opened_with_nothing_unread_has_no_divider),
      cmocka_unit_test(test_person__what_is_on_screen_ends_at_the_last_seq),
      cmocka_unit_test(test_person__the_same_rows_again_ask_for_nothing),
      cmocka_unit_test(test_person__rows_of_a_closed_conversation_are_not_seen),
      cmocka_unit_test(test_person__mark_read_is_cut_at_the_last_seq),
      cmocka_unit_test(test_person__mark_read_below_sends_what_was_unsent),
      cmocka_unit_test(test_person__a_mark_without_a_target_shows_one_unread),
      cmocka_unit_test(
          test_person__with_nothing_countable_it_goes_one_seq_back),
      cmocka_unit_test(test_person__with_nothing_read_nothing_is_marked),
      cmocka_unit_test(test_person__a_target_is_no_lower_than_the_floor),
      cmocka_unit_test(test_person__a_mark_at_what_is_shown_stops_nothing),
      cmocka_unit_test(
          test_person__a_mark_stops_reading_until_it_is_opened_again),
      cmocka_unit_test(test_person__clearing_mentions_moves_no_position),
      cmocka_unit_test(test_person__acts_on_what_was_left_do_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
