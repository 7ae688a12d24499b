#include "engine/people.h"

#include "support/engine.h"

static void say_roster(test_engine *t, const seen_member *roster,
                       size_t count) {
  say_snapshot(t, "g",
               (seen_snapshot){.kind = SEEN_KIND_GROUP,
                               .word = word_at(0, 0, 0, 9),
                               .fields = SEEN_SNAPSHOT_ROSTER,
                               .roster = roster,
                               .roster_count = count});
}

static void say_members(test_engine *t, const seen_membership *joined,
                        const seen_membership *left) {
  seen_input input = {
      .size = sizeof input, .type = SEEN_INPUT_MEMBERS, .id = "g"};
  input.u.members = (seen_members){joined, joined != NULL, left, left != NULL};
  assert_int_equal(feed(t, &input), SEEN_OK);
}

static test_engine *start(void) {
  const seen_member roster[] = {{"u3", 4, 0, 5, 5, false},
                                {"u1", 1, 0, 9, 9, false},
                                {"u2", 1, 0, 7, 8, false}};
  test_engine *t = engine_start();
  say_roster(t, roster, 3);
  return t;
}

static void test_people__the_sender_is_not_of_the_audience(void **state) {
  test_engine *t = start();
  (void)state;
  say_message(t, "g", 10, "u2");
  assert_int_equal(receipt_of(t, "g", 10).audience, 2); /* u1 and u3 */
  say_message(t, "g", 11, "u1");
  assert_int_equal(receipt_of(t, "g", 11).audience, 2); /* u2 and u3 */
  engine_end(t);
}

static void test_people__a_sender_not_known_is_this_user(void **state) {
  test_engine *t = start();
  (void)state;
  assert_int_equal(receipt_of(t, "g", 5).audience, 2);
  assert_int_equal(receipt_of(t, "g", 5).read, 2);
  assert_int_equal(receipt_of(t, "g", 8).delivered, 1);
  engine_end(t);
}

static void test_people__the_newest_senders_are_kept(void **state) {
  test_engine *t = start();
  (void)state;
  say_message(t, "g", 10, "u2");
  say_peer(t, "g", "u2", 10, 10);
  assert_int_equal(receipt_of(t, "g", 10).read, 0); /* its own sender */
  for (uint64_t seq = 11; seq <= 10 + SN_SENDERS_KEPT; seq++)
    say_message(t, "g", seq, seq % 2 ? "u3" : "u2");
  assert_int_equal(receipt_of(t, "g", 10).read, 1); /* of one's own again */
  engine_end(t);
}

static void test_people__a_roster_replaces_the_one_before(void **state) {
  const seen_member roster[] = {{"u9", 1, 0, 0, 0, false}};
  test_engine *t = start();
  (void)state;
  say_roster(t, roster, 1);
  assert_int_equal(receipt_of(t, "g", 5).audience, 1);
  assert_int_equal(receipt_of(t, "g", 5).read, 0);
  say_roster(t, NULL, 0);
  assert_int_equal(receipt_of(t, "g", 5).audience, 0);
  engine_end(t);
}

static void test_people__a_snapshot_without_a_roster_keeps_it(void **state) {
  test_engine *t = start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  assert_int_equal(receipt_of(t, "g", 5).audience, 2);
  engine_end(t);
}

static void
test_people__periods_of_a_roster_may_come_in_any_order(void **state) {
  const seen_member roster[] = {{"u2", 8, 0, 8, 8, false},
                                {"u3", 1, 0, 0, 0, false},
                                {"u2", 1, 3, 2, 2, false},
                                {"u2", 5, 6, 5, 5, false}};
  test_engine *t = engine_start();
  (void)state;
  say_roster(t, roster, 4);
  assert_int_equal(receipt_of(t, "g", 4).audience, 1);
  say_peer(t, "g", "u2", 3, 3); /* of the earlier period */
  assert_int_equal(receipt_of(t, "g", 3).read, 1);
  assert_int_equal(receipt_of(t, "g", 8).read, 1);
  assert_int_equal(receipt_of(t, "g", 9).read, 0);
  engine_end(t);
}

static void test_people__joining_and_leaving_later_change_no_audience(
    void **state) { /* R2 */
  const seen_membership joins = {"u4", 12, false}, leaves = {"u2", 11, false};
  test_engine *t = start();
  (void)state;
  say_members(t, &joins, &leaves);
  assert_int_equal(receipt_of(t, "g", 9).audience, 2);
  assert_int_equal(receipt_of(t, "g", 12).audience, 2); /* u3 and u4 */
  engine_end(t);
}

static void test_people__a_stranger_cannot_leave(void **state) {
  const seen_membership leaves = {"u77", 11, false};
  test_engine *t = start();
  (void)state;
  say_members(t, NULL, &leaves);
  assert_int_equal(receipt_of(t, "g", 9).audience, 2);
  engine_end(t);
}

static void test_people__bots_and_messages_of_bots(void **state) {
  const seen_membership joins = {"bot", 10, true};
  test_engine *t = start();
  (void)state;
  say_members(t, &joins, NULL);
  say_message(t, "g", 10, "bot");
  assert_int_equal(receipt_of(t, "g", 10).audience, 3);
  engine_end(t);
}

static void
test_people__the_servers_counts_win_over_an_empty_roster(void **state) {
  const seen_receipt_row row = {5, 12, 79, 40};
  test_engine *t = engine_start();
  seen_input input = {
      .size = sizeof input, .type = SEEN_INPUT_RECEIPTS, .id = "g"};
  (void)state;
  say_snapshot(
      t, "g",
      (seen_snapshot){.kind = SEEN_KIND_LARGE, .word = word_at(0, 0, 0, 9)});
  input.u.receipts = (seen_receipt_rows){&row, 1};
  assert_int_equal(feed(t, &input), SEEN_OK);
  assert_int_equal(receipt_of(t, "g", 5).audience, 79);
  assert_int_equal(receipt_of(t, "g", 5).read, 12);
  assert_int_equal(receipt_of(t, "g", 5).delivered, 40);
  assert_int_equal(receipt_of(t, "g", 6).audience, 0);
  engine_end(t);
}

static void test_people__ones_own_position_is_not_the_peers(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_snapshot(t, "d", (seen_snapshot){.word = word_at(0, 0, 0, 9)});
  say_peer(t, "d", "u1", 9, 9);
  assert_int_equal(receipt_of(t, "d", 5).state, SEEN_RECEIPT_SENT);
  say_peer(t, "d", "u2", 5, 0);
  assert_int_equal(receipt_of(t, "d", 5).state, SEEN_RECEIPT_READ);
  say_peer(t, "d", "u2", 2, 0); /* late */
  assert_int_equal(receipt_of(t, "d", 5).state, SEEN_RECEIPT_READ);
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_people__the_sender_is_not_of_the_audience),
      cmocka_unit_test(test_people__a_sender_not_known_is_this_user),
      cmocka_unit_test(test_people__the_newest_senders_are_kept),
      cmocka_unit_test(test_people__a_roster_replaces_the_one_before),
      cmocka_unit_test(test_people__a_snapshot_without_a_roster_keeps_it),
      cmocka_unit_test(test_people__periods_of_a_roster_may_come_in_any_order),
      cmocka_unit_test(
          test_people__joining_and_leaving_later_change_no_audience),
      cmocka_unit_test(test_people__a_stranger_cannot_leave),
      cmocka_unit_test(test_people__bots_and_messages_of_bots),
      cmocka_unit_test(
          test_people__the_servers_counts_win_over_an_empty_roster),
      cmocka_unit_test(test_people__ones_own_position_is_not_the_peers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
