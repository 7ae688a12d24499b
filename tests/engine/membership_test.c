#include "engine/membership.h"

#include "support/engine.h"

static void test_membership__left_has_no_row_and_counts_nowhere(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_row(t, "h", word_at(0, 0, 0, 3));
  say(t, SEEN_INPUT_LEFT, "g");
  assert_false(has_row(t, "g"));
  assert_int_equal(totals_of(t).unread, 3);
  assert_int_equal(seen_engine_count(t->engine), 1);
  engine_end(t);
}

static void
test_membership__left_ends_what_was_wished_and_opened(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 1, 5);
  at(t, 150);
  say(t, SEEN_INPUT_LEFT, "g");
  say_row(t, "g", word_at(0, 0, 0, 9));
  at(t, 9000);
  expect_sent(t, "");
  assert_false(state_of(t, "g").open);
  assert_int_equal(state_of(t, "g").unread, 9);
  engine_end(t);
}

static void
test_membership__after_a_rejoin_nothing_older_is_unread(void **state) { /* P5 */
  test_engine *t = engine_start();
  seen_snapshot row = {.kind = SEEN_KIND_GROUP,
                       .word = word_at(1, 20, 20, 22),
                       .fields = SEEN_SNAPSHOT_JOIN_SEQ,
                       .join_seq = 21};
  (void)state;
  say_row(t, "g", word_at(0, 3, 0, 9));
  say(t, SEEN_INPUT_LEFT, "g");
  say_snapshot(t, "g", row);
  assert_int_equal(state_of(t, "g").unread, 2);
  say_mark_unread(t, "g", 1); /* no further than the membership */
  assert_int_equal(state_of(t, "g").unread, 2);
  engine_end(t);
}

static void test_membership__a_snapshot_that_says_left_is_no_row(void **state) {
  test_engine *t = engine_start();
  seen_snapshot row = {.kind = SEEN_KIND_GROUP,
                       .word = word_at(0, 3, 0, 9),
                       .fields = SEEN_SNAPSHOT_LEAVE_SEQ,
                       .leave_seq = 9};
  (void)state;
  say_snapshot(t, "g", row);
  assert_false(has_row(t, "g"));
  say_row(t, "g", word_at(0, 3, 0, 9));
  assert_true(has_row(t, "g"));
  engine_end(t);
}

static void test_membership__forgotten_is_as_never_known(void **state) {
  const seen_mention mention = {5, SEEN_MENTION_ME};
  test_engine *t = engine_start();
  seen_word word = word_at(3, 2, 0, 9);
  seen_record record;
  (void)state;
  word.mentions = &mention;
  word.mention_count = 1;
  say_row(t, "g", word);
  say_on(t, SEEN_INPUT_MUTE, "g", true);
  say_mark_read(t, "g", 7);
  seen_conv conv = seen_engine_find(t->engine, "g");
  say(t, SEEN_INPUT_FORGET, "g");
  assert_int_equal(seen_engine_record(t->engine, conv, &record),
                   SEEN_ENOTFOUND);
  say_row(t, "g", word_at(0, 1, 0, 9)); /* a lower epoch, and all anew */
  seen_state shown = state_of(t, "g");
  assert_int_equal(shown.conv, conv);
  assert_int_equal(shown.unread, 8);
  assert_false(shown.muted || shown.pending || shown.mentions);
  engine_end(t);
}

static void test_membership__forgotten_leaves_no_timer(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_message(t, "g", 20, "u2"); /* a gap */
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 1, 5);
  at(t, 150);
  say(t, SEEN_INPUT_FORGET, "g");
  expect_stored(t, "delete g");
  assert_int_equal(seen_engine_deadline(t->engine), SEEN_NEVER);
  engine_end(t);
}

static void test_membership__forgetting_gives_the_memory_back(void **state) {
  test_engine *t = engine_start();
  size_t blocks = 0;
  (void)state;
  for (int round = 0; round < 3; round++) {
    say_row(t, "g", word_at(0, 0, 0, 9));
    say_mark_read(t, "g", 4);
    say_message(t, "g", 12, "u1");
    say_peer(t, "g", "u2", 3, 3);
    say(t, SEEN_INPUT_FORGET, "g");
    if (round) assert_int_equal(t->memory.blocks, blocks);
    blocks = t->memory.blocks;
  }
  engine_end(t);
}

static void test_membership__another_incarnation_keeps_what_was_read(
    void **state) { /* S2 */
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(5, 2, 0, 20));
  say_mark_read(t, "g", 12);
  say(t, SEEN_INPUT_SERVER_RESET, NULL);
  expect_sent(t, "report g 5:12, resync");
  assert_int_equal(state_of(t, "g").unread, 8);
  say_mark_read(t, "g", 15); /* nothing is sent before its snapshot */
  expect_sent(t, "");
  say_row(t, "g", word_at(0, 1, 0, 14));
  expect_sent(t, "report g 0:14");
  assert_int_equal(state_of(t, "g").last_seq, 14);
  engine_end(t);
}

static void test_membership__rows_not_named_in_it_are_gone(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_row(t, "h", word_at(0, 0, 0, 9));
  say(t, SEEN_INPUT_SERVER_RESET, NULL);
  say_row(t, "h", word_at(0, 0, 0, 9));
  assert_true(has_row(t, "g")); /* shown until the snapshot is complete */
  say(t, SEEN_INPUT_SNAPSHOT_END, NULL);
  assert_false(has_row(t, "g"));
  assert_true(has_row(t, "h"));
  engine_end(t);
}

static void test_membership__forgotten_passes_no_limit(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say_mark_read(t, "g", 4);
  say_on(t, SEEN_INPUT_APP, NULL, false);
  assert_int_equal(t->engine->pass_limit, 1);
  say(t, SEEN_INPUT_FORGET, "g");
  assert_int_equal(t->engine->pass_limit, 0);
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_membership__left_has_no_row_and_counts_nowhere),
      cmocka_unit_test(test_membership__left_ends_what_was_wished_and_opened),
      cmocka_unit_test(test_membership__after_a_rejoin_nothing_older_is_unread),
      cmocka_unit_test(test_membership__a_snapshot_that_says_left_is_no_row),
      cmocka_unit_test(test_membership__forgotten_is_as_never_known),
      cmocka_unit_test(test_membership__forgotten_leaves_no_timer),
      cmocka_unit_test(test_membership__forgetting_gives_the_memory_back),
      cmocka_unit_test(
          test_membership__another_incarnation_keeps_what_was_read),
      cmocka_unit_test(test_membership__rows_not_named_in_it_are_gone),
      cmocka_unit_test(test_membership__forgotten_passes_no_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
