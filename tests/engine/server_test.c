#include "engine/server.h"

#include "support/engine.h"

static const seen_request REPORT = SEEN_REQUEST_REPORT;
static const seen_request MARK = SEEN_REQUEST_MARK_UNREAD;

static void test_server__a_message_of_ones_own_is_neutral(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 2, 0, 5));
  say_message(t, "g", 6, "u1");
  assert_int_equal(state_of(t, "g").unread, 3);
  assert_int_equal(state_of(t, "g").read_seq, 2);
  engine_end(t);
}

static void test_server__by_policy_ones_own_text_reads(void **state) {
  seen_options options = engine_options();
  (void)state;
  options.own_send = SEEN_OWN_SEND_READS;
  test_engine *t = engine_start_with(&options);
  say_row(t, "g", word_at(0, 2, 0, 5));
  say_message_as(
      t, "g",
      (seen_message){
          .seq = 6, .from = "u1", .kind = SEEN_MESSAGE_RECALL, .target = 1});
  assert_int_equal(state_of(t, "g").read_seq, 2);
  say_message(t, "g", 7, "u1");
  assert_int_equal(state_of(t, "g").unread, 0);
  expect_sent(t, "report g 0:7");
  expect_stored(t, "store g");
  engine_end(t);
}

static void
test_server__a_message_the_tally_covers_changes_no_number(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 2, 0, 5));
  say_message_as(
      t, "g",
      (seen_message){
          .seq = 4, .from = "u2", .mention = SEEN_MENTION_ME, .sent_at = 77});
  assert_int_equal(state_of(t, "g").unread, 3);
  assert_int_equal(state_of(t, "g").mentions, 0);
  assert_int_equal(state_of(t, "g").updated_at, 77);
  engine_end(t);
}

static void
test_server__only_what_counts_by_itself_moves_the_row(void **state) { /* B3 */
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 0));
  say_message_as(
      t, "g",
      (seen_message){
          .seq = 1, .from = "u2", .kind = SEEN_MESSAGE_SYSTEM, .sent_at = 90});
  assert_int_equal(state_of(t, "g").updated_at, 0);
  say_message_as(t, "g", (seen_message){.seq = 2, .from = "u1", .sent_at = 80});
  say_message_as(t, "g", (seen_message){.seq = 3, .from = "u2", .sent_at = 70});
  assert_int_equal(state_of(t, "g").updated_at, 80);
  engine_end(t);
}

static void test_server__an_ack_ends_what_was_pending(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_mark_read(t, "g", 5);
  assert_true(state_of(t, "g").pending);
  say_ack(t, "g", REPORT, word_at(0, 5, 0, 9));
  assert_false(state_of(t, "g").pending);
  assert_int_equal(state_of(t, "g").read_seq, 5);
  engine_end(t);
}

static void
test_server__a_late_copy_of_a_marks_ack_answers_nothing(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 8, 0, 9));
  say_mark_unread(t, "g", 3);
  say_ack(t, "g", MARK, word_at(1, 3, 8, 9));
  say_mark_unread(t, "g", 1);
  say_ack(t, "g", MARK, word_at(1, 3, 8, 9));
  assert_int_equal(state_of(t, "g").read_seq, 1);
  expect_sent(t, "mark_unread g 0:8 to 3, mark_unread g 1:3 to 1");
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "mark_unread g 1:3 to 1");
  engine_end(t);
}

static void test_server__a_conflict_leaves_the_concurrent_read(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 5, 0, 9));
  say_mark_unread(t, "g", 3);
  say_refusal(t, "g", MARK, SEEN_REFUSAL_CONFLICT, word_at(0, 7, 0, 9));
  assert_int_equal(state_of(t, "g").read_seq, 7);
  assert_false(state_of(t, "g").pending || state_of(t, "g").marked_unread);
  assert_int_equal(metrics_of(t).refused, 1);
  engine_end(t);
}

static void
test_server__out_of_range_shows_the_servers_position_even_below(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 5, 0, 9));
  say_mark_read(t, "g", 9);
  say_refusal(t, "g", REPORT, SEEN_REFUSAL_SEQ_OUT_OF_RANGE,
              word_at(0, 4, 0, 8));
  assert_int_equal(state_of(t, "g").read_seq, 4);
  assert_int_equal(state_of(t, "g").server_read.seq, 4);
  assert_false(state_of(t, "g").pending);
  engine_end(t);
}

static void
test_server__of_a_lost_epoch_what_was_read_is_said_again(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(2, 5, 0, 9));
  say_mark_read(t, "g", 8);
  expect_sent(t, "report g 2:8");
  say_refusal(t, "g", REPORT, SEEN_REFUSAL_EPOCH_AHEAD, word_at(1, 4, 0, 9));
  expect_sent(t, "report g 1:8");
  engine_end(t);
}

static void test_server__a_late_epoch_ahead_is_only_merged(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(2, 5, 0, 9));
  say_refusal(t, "g", REPORT, SEEN_REFUSAL_EPOCH_AHEAD, word_at(2, 3, 0, 9));
  assert_int_equal(state_of(t, "g").server_read.seq, 5);
  engine_end(t);
}

static void test_server__refused_for_good_is_as_if_left(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 5, 0, 9));
  say_mark_read(t, "g", 8);
  say_refusal(t, "g", REPORT, SEEN_REFUSAL_NOT_MEMBER, word_at(0, 0, 0, 0));
  assert_false(has_row(t, "g"));
  assert_int_equal(totals_of(t).unread, 0);
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "report g 0:8"); /* the one that was refused */
  engine_end(t);
}

/* A snapshot below a read that the server acknowledged to this device (S4). */
static void
test_server__an_acknowledged_read_it_forgot_is_said_again(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_mark_read(t, "g", 5);
  say_ack(t, "g", REPORT, word_at(0, 5, 0, 9));
  expect_sent(t, "report g 0:5");
  say_word(t, "g", word_at(0, 3, 0, 9)); /* late news */
  expect_sent(t, "");
  say_row(t, "g", word_at(0, 3, 0, 9));
  expect_sent(t, "report g 0:5");
  assert_int_equal(state_of(t, "g").read_seq, 5);
  assert_int_equal(state_of(t, "g").server_read.seq, 3);
  engine_end(t);
}

static void
test_server__found_facts_go_when_the_position_passes(void **state) { /* U7 */
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_found(t, "g", 4, SEEN_MENTION_NONE);
  say_word(t, "g", word_at(0, 0, 0, 9)); /* a tally does not touch it */
  assert_int_equal(state_of(t, "g").unread, 8);
  say_word(t, "g", word_at(0, 4, 0, 9));
  say_mark_unread(t, "g", 2);
  assert_int_equal(state_of(t, "g").unread, 7);
  engine_end(t);
}

static void
test_server__a_snapshot_writes_no_field_it_lacks(void **state) { /* S3 */
  test_engine *t = engine_start();
  seen_snapshot row = {.kind = SEEN_KIND_GROUP,
                       .word = word_at(0, 0, 0, 9),
                       .fields = SEEN_SNAPSHOT_MUTED | SEEN_SNAPSHOT_PINNED |
                                 SEEN_SNAPSHOT_JOIN_SEQ |
                                 SEEN_SNAPSHOT_UPDATED_AT,
                       .muted = true,
                       .pinned = true,
                       .updated_at = 5,
                       .join_seq = 4};
  (void)state;
  say_snapshot(t, "g", row);
  say_row(t, "g", word_at(0, 0, 0, 9));
  seen_state shown = state_of(t, "g");
  assert_true(shown.muted && shown.pinned);
  assert_int_equal(shown.updated_at, 5);
  assert_int_equal(shown.unread, 6);
  engine_end(t);
}

static void test_server__only_what_it_reported_was_acknowledged(void **state) {
  test_engine *t = engine_start(); /* S4 */
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_mark_read(t, "g", 5);
  say_ack(t, "g", REPORT, word_at(0, 8, 0, 9)); /* another device read on */
  expect_sent(t, "report g 0:5");
  say_row(t, "g", word_at(0, 6, 0, 9)); /* late, not lost */
  expect_sent(t, "");
  assert_int_equal(state_of(t, "g").server_read.seq, 8);
  engine_end(t);
}

static void
test_server__a_read_said_again_takes_what_waits_along(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_mark_read(t, "g", 5);
  say_ack(t, "g", REPORT, word_at(0, 5, 0, 9));
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 6, 7);
  at(t, 200); /* read at 150, to be reported at 650 */
  expect_sent(t, "report g 0:5");
  say_row(t, "g", word_at(0, 3, 0, 9));
  expect_sent(t, "report g 0:7");
  engine_end(t);
}

static void
test_server__nothing_is_found_below_the_servers_position(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 5, 0, 9));
  say_found(t, "g", 4, SEEN_MENTION_NONE);
  say_mark_unread(t, "g", 2);
  assert_int_equal(state_of(t, "g").unread, 7);
  engine_end(t);
}

static void
test_server__a_membership_that_begins_later_hides_mentions(void **state) {
  const seen_mention mentions[] = {{3, SEEN_MENTION_ME}, {8, SEEN_MENTION_ME}};
  test_engine *t = engine_start();
  seen_snapshot row = {.kind = SEEN_KIND_GROUP, .word = word_at(0, 0, 0, 9)};
  (void)state;
  row.word.version = 5;
  row.word.mentions = mentions;
  row.word.mention_count = 2;
  say_snapshot(t, "g", row);
  row.word = word_at(0, 0, 0, 9); /* an older tally, which is dropped */
  row.word.version = 4;
  row.fields = SEEN_SNAPSHOT_JOIN_SEQ;
  row.join_seq = 5;
  say_snapshot(t, "g", row);
  assert_int_equal(state_of(t, "g").first_mention, 8);
  engine_end(t);
}

static void
test_server__out_of_range_takes_back_what_was_cleared_above(void **state) {
  test_engine *t = engine_start();
  seen_word word = word_at(0, 4, 0, 9);
  (void)state;
  word.version = 5;
  say_row(t, "g", word);
  say_message_as(
      t, "g",
      (seen_message){.seq = 10, .from = "u2", .mention = SEEN_MENTION_ME});
  say_mark_read(t, "g", 10);
  assert_int_equal(state_of(t, "g").mentions, 0);
  word.version = 4;
  say_refusal(t, "g", REPORT, SEEN_REFUSAL_SEQ_OUT_OF_RANGE, word);
  assert_int_equal(state_of(t, "g").mentions, 1);
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_server__a_message_of_ones_own_is_neutral),
      cmocka_unit_test(test_server__by_policy_ones_own_text_reads),
      cmocka_unit_test(
          test_server__a_message_the_tally_covers_changes_no_number),
      cmocka_unit_test(test_server__only_what_counts_by_itself_moves_the_row),
      cmocka_unit_test(test_server__an_ack_ends_what_was_pending),
      cmocka_unit_test(test_server__a_late_copy_of_a_marks_ack_answers_nothing),
      cmocka_unit_test(test_server__a_conflict_leaves_the_concurrent_read),
      cmocka_unit_test(
          test_server__out_of_range_shows_the_servers_position_even_below),
      cmocka_unit_test(
          test_server__of_a_lost_epoch_what_was_read_is_said_again),
      cmocka_unit_test(test_server__a_late_epoch_ahead_is_only_merged),
      cmocka_unit_test(test_server__refused_for_good_is_as_if_left),
      cmocka_unit_test(
          test_server__an_acknowledged_read_it_forgot_is_said_again),
      cmocka_unit_test(test_server__found_facts_go_when_the_position_passes),
      cmocka_unit_test(test_server__a_snapshot_writes_no_field_it_lacks),
      cmocka_unit_test(test_server__only_what_it_reported_was_acknowledged),
      cmocka_unit_test(test_server__a_read_said_again_takes_what_waits_along),
      cmocka_unit_test(
          test_server__nothing_is_found_below_the_servers_position),
      cmocka_unit_test(
          test_server__a_membership_that_begins_later_hides_mentions),
      cmocka_unit_test(
          test_server__out_of_range_takes_back_what_was_cleared_above),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
