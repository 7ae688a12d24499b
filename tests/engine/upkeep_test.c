/* What every change ends with: recount, totals, list, timers, notices. */
#include "engine/upkeep.h"

#include "support/engine.h"

static void test_upkeep__totals_follow_every_change_of_a_row(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_row(t, "h", word_at(0, 9, 0, 9));
  say_on(t, SEEN_INPUT_MUTE, "g", true);
  assert_int_equal(totals_of(t).muted, 9);
  assert_int_equal(totals_of(t).unread, 0);
  say_mark_unread(t, "h", 8);
  assert_int_equal(totals_of(t).unread, 1);
  assert_int_equal(totals_of(t).conversations, 1);
  engine_end(t);
}

static void
test_upkeep__marked_unread_with_nothing_unread_counts_as_one(void **state) {
  const seen_run run = {9, 9};
  test_engine *t = engine_start();
  seen_word word = word_at(1, 8, 9, 9); /* marked by another device */
  (void)state;
  word.uncountable = &run;
  word.uncountable_count = 1;
  say_row(t, "g", word);
  assert_int_equal(totals_of(t).unread, 0);
  assert_int_equal(totals_of(t).conversations, 1);
  assert_int_equal(state_of(t, "g").badge, SEEN_BADGE_DOT_KIND);
  engine_end(t);
}

static void
test_upkeep__the_ui_hears_of_totals_only_when_they_changed(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  expect_told(t, "changed g, list, totals");
  say_row(t, "g", word_at(0, 0, 0, 9));
  expect_told(t, "changed g");
  say_message(t, "g", 10, "u2");
  expect_told(t, "changed g, totals");
  engine_end(t);
}

static void test_upkeep__a_read_that_outlives_a_rollback_is_due_at_once(
    void **state) { /* P8 */
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 5, 0, 20));
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 6, 10);
  at(t, 200); /* read at 150, to be reported at 650 */
  say_word(t, "g", word_at(1, 3, 8, 20));
  expect_sent(t, "report g 1:10");
  engine_end(t);
}

static void test_upkeep__a_satisfied_wish_leaves_no_deadline(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 1, 5);
  at(t, 350);
  say_word(t, "g", word_at(0, 5, 0, 9)); /* another device read the same */
  at(t, 550);                            /* it is written */
  assert_int_equal(seen_engine_deadline(t->engine), SEEN_NEVER);
  expect_sent(t, "");
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_upkeep__totals_follow_every_change_of_a_row),
      cmocka_unit_test(
          test_upkeep__marked_unread_with_nothing_unread_counts_as_one),
      cmocka_unit_test(
          test_upkeep__the_ui_hears_of_totals_only_when_they_changed),
      cmocka_unit_test(
          test_upkeep__a_read_that_outlives_a_rollback_is_due_at_once),
      cmocka_unit_test(test_upkeep__a_satisfied_wish_leaves_no_deadline),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
