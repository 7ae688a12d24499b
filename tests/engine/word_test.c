/* U2, S4: a word's tally is taken whole or dropped whole. */
#include "engine/word.h"

#include "engine/core.h"
#include "support/engine.h"

static seen_word versioned(uint64_t version, uint64_t seq, uint64_t last) {
  seen_word word = word_at(0, seq, 0, last);
  word.version = version;
  return word;
}

static void
test_word__an_older_tally_is_dropped_but_its_position_merged(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", versioned(5, 3, 10));
  say_word(t, "g", versioned(4, 6, 8));
  assert_int_equal(state_of(t, "g").server_read.seq, 6);
  assert_int_equal(state_of(t, "g").last_seq, 10);
  assert_int_equal(state_of(t, "g").unread, 4);
  engine_end(t);
}

static void test_word__a_tally_at_an_older_position_is_dropped(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", versioned(5, 6, 10));
  say_word(t, "g", versioned(6, 3, 12));
  assert_int_equal(state_of(t, "g").last_seq, 10);
  assert_int_equal(metrics_of(t).stale_positions, 1);
  engine_end(t);
}

static void test_word__the_same_position_again_is_not_stale(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", versioned(5, 6, 10));
  say_word(t, "g", versioned(5, 6, 10));
  assert_int_equal(metrics_of(t).stale_positions, 0);
  engine_end(t);
}

static void test_word__without_a_floor_the_floor_stays(void **state) {
  test_engine *t = engine_start();
  seen_word word = versioned(1, 0, 10);
  (void)state;
  word.fields = SEEN_WORD_FLOOR;
  word.floor = 4;
  say_row(t, "g", word);
  say_word(t, "g", versioned(2, 0, 10));
  assert_int_equal(state_of(t, "g").unread, 6);
  engine_end(t);
}

static void test_word__without_lists_there_are_none(void **state) {
  const seen_run run = {3, 4};
  const seen_mention mention = {5, SEEN_MENTION_ME};
  test_engine *t = engine_start();
  seen_word word = versioned(1, 0, 10);
  (void)state;
  word.uncountable = &run;
  word.uncountable_count = 1;
  word.mentions = &mention;
  word.mention_count = 1;
  say_row(t, "g", word);
  assert_int_equal(state_of(t, "g").unread, 8);
  say_word(t, "g", versioned(2, 0, 10));
  assert_int_equal(state_of(t, "g").unread, 10);
  assert_int_equal(state_of(t, "g").mentions, 0);
  engine_end(t);
}

static void test_word__a_count_that_differs_is_told_and_counted(void **state) {
  test_engine *t = engine_start();
  seen_word word = versioned(1, 0, 10);
  (void)state;
  word.fields = SEEN_WORD_UNREAD;
  word.unread = 9;
  say_row(t, "g", word);
  assert_int_equal(metrics_of(t).unread_drift, 1);
  assert_int_equal(state_of(t, "g").unread, 10);
  expect_told(t, "changed g, list, totals, drift");
  engine_end(t);
}

static void
test_word__a_rollback_takes_back_what_was_read_here(void **state) { /* S2 */
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 10));
  say_mark_read(t, "g", 8);
  say_ack(t, "g", SEEN_REQUEST_REPORT, word_at(0, 8, 0, 10));
  say_word(t, "g", word_at(1, 3, 8, 10)); /* marked by another device */
  say(t, SEEN_INPUT_SERVER_RESET, NULL);
  say_row(t, "g", word_at(0, 1, 0, 10)); /* restored from long ago */
  assert_int_equal(state_of(t, "g").read_seq, 3);
  engine_end(t);
}

static size_t facts_of(const test_engine *t) {
  return t->engine->facts;
}

static seen_word with_a_run(seen_word word) {
  static const seen_run run = {3, 4};
  word.uncountable = &run;
  word.uncountable_count = 1;
  return word;
}

static void test_word__what_is_dropped_costs_no_facts(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", versioned(5, 3, 10));
  say_mark_read(t, "g", 6);
  say_word(t, "g", versioned(4, 3, 8));
  say_ack(t, "g", SEEN_REQUEST_REPORT, versioned(4, 6, 8));
  say_word(t, "g", with_a_run(versioned(4, 3, 10)));
  assert_int_equal(facts_of(t), 0);
  assert_int_equal(state_of(t, "g").last_seq, 10);
  engine_end(t);
}

static void test_word__what_is_taken_has_facts(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", versioned(5, 3, 10));
  say_word(t, "g", versioned(6, 3, 8)); /* 9 and 10 are a gap */
  assert_int_equal(facts_of(t), 1);
  say_row(t, "h", with_a_run(versioned(5, 0, 10)));
  assert_int_equal(facts_of(t), 2);
  engine_end(t);
}

static void
test_word__an_older_tally_of_who_lost_a_read_has_facts(void **state) { /* S4 */
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", versioned(5, 3, 10));
  say_mark_read(t, "g", 9);
  say_ack(t, "g", SEEN_REQUEST_REPORT, versioned(5, 9, 10));
  say_row(t, "g", versioned(4, 3, 8));
  assert_int_equal(facts_of(t), 1);
  assert_false(state_of(t, "g").exact); /* 10 may have been recalled */
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(
          test_word__an_older_tally_is_dropped_but_its_position_merged),
      cmocka_unit_test(test_word__a_tally_at_an_older_position_is_dropped),
      cmocka_unit_test(test_word__the_same_position_again_is_not_stale),
      cmocka_unit_test(test_word__without_a_floor_the_floor_stays),
      cmocka_unit_test(test_word__without_lists_there_are_none),
      cmocka_unit_test(test_word__a_count_that_differs_is_told_and_counted),
      cmocka_unit_test(test_word__a_rollback_takes_back_what_was_read_here),
      cmocka_unit_test(test_word__what_is_dropped_costs_no_facts),
      cmocka_unit_test(test_word__what_is_taken_has_facts),
      cmocka_unit_test(test_word__an_older_tally_of_who_lost_a_read_has_facts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
