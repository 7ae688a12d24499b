/* S6: what is written is what begins again after a restart. */
#include <seen/sys/record.h>

#include "support/engine.h"

/* A conversation with something in every list of its record. */
static void fill(test_engine *t) {
  const seen_run runs[] = {{3, 4}, {9, 9}};
  const seen_mention mentions[] = {{5, SEEN_MENTION_ME}, {8, SEEN_MENTION_ALL}};
  const seen_member roster[] = {{"u2", 1, 0, 4, 6, false},
                                {"u3", 1, 7, 2, 2, false},
                                {"u4", 1, 0, 0, 0, true},
                                {"u3", 12, 0, 13, 13, false}};
  const seen_receipt_row row = {14, 1, 2, 2};
  seen_snapshot snapshot = {.kind = SEEN_KIND_GROUP,
                            .word = word_at(2, 2, 6, 12),
                            .fields = SEEN_SNAPSHOT_ROSTER |
                                      SEEN_SNAPSHOT_PINNED |
                                      SEEN_SNAPSHOT_UPDATED_AT,
                            .pinned = true,
                            .updated_at = 777,
                            .roster = roster,
                            .roster_count = 4};
  snapshot.word.version = 31;
  snapshot.word.uncountable = runs;
  snapshot.word.uncountable_count = 2;
  snapshot.word.mentions = mentions;
  snapshot.word.mention_count = 2;
  say_snapshot(t, "g", snapshot);
  say_message(t, "g", 13, "u2");
  say_message(t, "g", 14, "u1");
  say_message_as(
      t, "g",
      (seen_message){
          .seq = 18, .from = "u3", .kind = SEEN_MESSAGE_RECALL, .target = 7});
  say_found(t, "g", 10, SEEN_MENTION_NONE);
  say_found(t, "g", 11, SEEN_MENTION_QUOTE);
  seen_input input = {
      .size = sizeof input, .type = SEEN_INPUT_RECEIPTS, .id = "g"};
  input.u.receipts = (seen_receipt_rows){&row, 1};
  assert_int_equal(feed(t, &input), SEEN_OK);
  say_on(t, SEEN_INPUT_MUTE, "g", true);
  say_mark_read(t, "g", 6);
}

static seen_record record_of(test_engine *t, const char *id) {
  seen_record record;
  assert_int_equal(
      seen_engine_record(t->engine, seen_engine_find(t->engine, id), &record),
      SEEN_OK);
  return record;
}

static void assert_runs(const seen_run *a, size_t a_count, const seen_run *b,
                        size_t b_count) {
  assert_int_equal(a_count, b_count);
  if (a_count) assert_memory_equal(a, b, a_count * sizeof *a);
}

static void assert_people(const seen_record *a, const seen_record *b) {
  assert_int_equal(a->member_count, b->member_count);
  for (size_t i = 0; i < a->member_count; i++) {
    const seen_member *x = &a->members[i], *y = &b->members[i];
    assert_string_equal(x->user, y->user);
    assert_int_equal(x->join_seq, y->join_seq);
    assert_int_equal(x->leave_seq, y->leave_seq);
    assert_int_equal(x->read_seq, y->read_seq);
    assert_int_equal(x->delivered_seq, y->delivered_seq);
    assert_int_equal(x->bot, y->bot);
  }
  assert_int_equal(a->sender_count, b->sender_count);
  for (size_t i = 0; i < a->sender_count; i++)
    assert_string_equal(a->senders[i].user, b->senders[i].user);
  assert_int_equal(a->receipt_count, b->receipt_count);
  if (a->receipt_count)
    assert_memory_equal(a->receipts, b->receipts,
                        a->receipt_count * sizeof *a->receipts);
}

static void assert_same(const seen_record *a, const seen_record *b) {
  assert_string_equal(a->id, b->id);
  assert_int_equal(a->flags, b->flags);
  assert_memory_equal(&a->read, &b->read,
                      offsetof(seen_record, uncountable) -
                          offsetof(seen_record, read));
  assert_runs(a->uncountable, a->uncountable_count, b->uncountable,
              b->uncountable_count);
  assert_runs(a->live, a->live_count, b->live, b->live_count);
  assert_runs(a->found, a->found_count, b->found, b->found_count);
  assert_runs(a->cleared, a->cleared_count, b->cleared, b->cleared_count);
  assert_int_equal(a->mention_count, b->mention_count);
  assert_int_equal(a->found_mention_count, b->found_mention_count);
  assert_int_equal(a->note_count, b->note_count);
  assert_people(a, b);
}

static void test_record__a_restart_changes_no_record(void **state) {
  test_engine *t = engine_start();
  seen_engine *next;
  (void)state;
  fill(t);
  seen_record before = record_of(t, "g"), after;
  assert_true(before.mention_count && before.found_mention_count &&
              before.cleared_count && before.note_count && before.found_count &&
              before.sender_count && before.member_count && before.live_count);
  assert_int_equal(seen_engine_new(&t->options, 0, &next, NULL), SEEN_OK);
  assert_int_equal(seen_engine_restore(next, &before, NULL), SEEN_OK);
  assert_int_equal(seen_engine_record(next, 1, &after), SEEN_OK);
  assert_same(&before, &after);
  seen_engine_free(next);
  engine_end(t);
}

/* Who only joined has said nothing of what was read. */
static void test_record__a_restart_makes_nobody_a_peer(void **state) {
  const seen_membership joined = {"u2", 5, false};
  test_engine *t = engine_start();
  seen_input input = {.size = sizeof input,
                      .type = SEEN_INPUT_MEMBERS,
                      .id = "g",
                      .u.members = {&joined, 1, NULL, 0}};
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  feed(t, &input);
  assert_int_equal(record_of(t, "g").peer_count, 0);
  say(t, SEEN_INPUT_CLOSE, "g");
  t = engine_restart(t);
  assert_int_equal(record_of(t, "g").member_count, 1);
  assert_int_equal(record_of(t, "g").peer_count, 0);
  engine_end(t);
}

/* R3: who left before the first message holds none, also after a restart. */
static void test_record__who_left_at_0_is_gone_for_good(void **state) {
  const seen_membership joined[] = {{"u2", 1, false}, {"u3", 1, false}};
  const seen_membership left = {"u2", 0, false};
  test_engine *t = engine_start();
  seen_input input = {.size = sizeof input,
                      .type = SEEN_INPUT_MEMBERS,
                      .id = "g",
                      .u.members = {joined, 2, NULL, 0}};
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 0));
  feed(t, &input);
  input.u.members = (seen_members){NULL, 0, &left, 1};
  feed(t, &input);
  say_message(t, "g", 1, "me");
  assert_int_equal(receipt_of(t, "g", 1).audience, 1);
  say(t, SEEN_INPUT_CLOSE, "g");
  t = engine_restart(t);
  assert_int_equal(receipt_of(t, "g", 1).audience, 1);
  engine_end(t);
}

/* What a record can't tell of a roster, that it is empty, decides nothing. */
static void test_record__an_empty_roster_keeps_no_senders(void **state) {
  const seen_membership left = {"u2", 5, false};
  test_engine *t = engine_start();
  seen_input input = {.size = sizeof input,
                      .type = SEEN_INPUT_MEMBERS,
                      .id = "g",
                      .u.members = {NULL, 0, &left, 1}};
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  feed(t, &input);
  say_message(t, "g", 10, "u2");
  assert_int_equal(record_of(t, "g").sender_count, 0);
  engine_end(t);
}

static void test_record__a_restart_shows_the_same(void **state) {
  test_engine *t = engine_start();
  (void)state;
  fill(t);
  seen_state before = state_of(t, "g");
  seen_receipt sent = receipt_of(t, "g", 14);
  seen_totals totals = totals_of(t);
  t = engine_restart(t);
  seen_state after = state_of(t, "g");
  assert_int_equal(after.unread, before.unread);
  assert_int_equal(after.exact, before.exact);
  assert_int_equal(after.mentions, before.mentions);
  assert_int_equal(after.first_mention, before.first_mention);
  assert_int_equal(after.read_seq, before.read_seq);
  assert_int_equal(after.updated_at, before.updated_at);
  assert_true(after.muted && after.pinned && after.pending);
  seen_receipt now = receipt_of(t, "g", 14);
  assert_memory_equal(&now, &sent, sizeof now);
  seen_totals summed = totals_of(t);
  assert_memory_equal(&summed, &totals, sizeof summed);
  engine_end(t);
}

static void
test_record__nobody_reads_for_somebody_else_over_a_restart(void **state) {
  test_engine *t = engine_start();
  (void)state;
  fill(t);
  uint64_t read = receipt_of(t, "g", 3).read;
  t = engine_restart(t);
  assert_int_equal(receipt_of(t, "g", 3).read, read);
  engine_end(t);
}

static void test_record__all_that_was_wished_is_due_at_link_up(void **state) {
  test_engine *t = engine_start();
  (void)state;
  fill(t);
  t = engine_restart(t);
  at(t, 9000);
  expect_sent(t, ""); /* the link is down */
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "fetch g, mute g on, report g 2:7");
  engine_end(t);
}

/* Of the mark that is sent now. */
static uint64_t op_sent(test_engine *t) {
  seen_effect effect;
  uint64_t op = 0;
  while (seen_engine_next(t->engine, &effect))
    if (effect.type == SEEN_EFFECT_MARK_UNREAD) op = effect.u.mark.op;
  assert_true(op != 0);
  return op;
}

static void test_record__an_open_mark_goes_again_with_its_op(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 5, 0, 9));
  say_mark_unread(t, "g", 2);
  uint64_t op = op_sent(t);
  t = engine_restart(t);
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  assert_true(op_sent(t) == op);
  engine_end(t);
}

static void test_record__what_was_left_is_kept_without_a_row(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 5, 0, 9));
  say(t, SEEN_INPUT_LEFT, "g");
  t = engine_restart(t);
  assert_false(has_row(t, "g"));
  assert_int_equal(totals_of(t).unread, 0);
  engine_end(t);
}

static void test_record__restored_only_once_and_first(void **state) {
  test_engine *t = engine_start(), *next = engine_start();
  (void)state;
  fill(t);
  seen_record record = record_of(t, "g");
  assert_int_equal(seen_engine_restore(next->engine, &record, NULL), SEEN_OK);
  assert_int_equal(seen_engine_restore(next->engine, &record, NULL),
                   SEEN_ESTATE);
  engine_end(next);
  next = engine_start();
  at(next, 1);
  assert_int_equal(seen_engine_restore(next->engine, &record, NULL),
                   SEEN_ESTATE);
  engine_end(next);
  engine_end(t);
}

static void test_record__without_memory_nothing_of_it_is_taken(void **state) {
  test_engine *t = engine_start();
  (void)state;
  fill(t);
  seen_record record = record_of(t, "g");
  for (uint64_t n = 1;; n++) {
    test_engine *next = engine_start();
    test_alloc_fail(&next->memory, n);
    int status = seen_engine_restore(next->engine, &record, NULL);
    test_alloc_fail(&next->memory, 0);
    if (status) {
      assert_int_equal(status, SEEN_ENOMEM);
      assert_false(has_row(next, "g"));
      assert_int_equal(seen_engine_restore(next->engine, &record, NULL),
                       SEEN_OK);
    }
    seen_record again = record_of(next, "g");
    assert_same(&record, &again);
    engine_end(next);
    if (!status) break;
  }
  engine_end(t);
}

static void test_record__gaps_show_anew(void **state) {
  test_engine *t = engine_start();
  (void)state;
  fill(t); /* 15 to 17 are missed */
  at(t, 5000);
  t = engine_restart(t);
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  at(t, 5999);
  expect_sent(t, "mute g on, report g 2:7");
  at(t, 6000);
  expect_sent(t, "fetch g");
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_record__a_restart_changes_no_record),
      cmocka_unit_test(test_record__a_restart_makes_nobody_a_peer),
      cmocka_unit_test(test_record__who_left_at_0_is_gone_for_good),
      cmocka_unit_test(test_record__an_empty_roster_keeps_no_senders),
      cmocka_unit_test(test_record__a_restart_shows_the_same),
      cmocka_unit_test(
          test_record__nobody_reads_for_somebody_else_over_a_restart),
      cmocka_unit_test(test_record__all_that_was_wished_is_due_at_link_up),
      cmocka_unit_test(test_record__an_open_mark_goes_again_with_its_op),
      cmocka_unit_test(test_record__what_was_left_is_kept_without_a_row),
      cmocka_unit_test(test_record__restored_only_once_and_first),
      cmocka_unit_test(test_record__without_memory_nothing_of_it_is_taken),
      cmocka_unit_test(test_record__gaps_show_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
