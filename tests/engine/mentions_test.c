/* M1–M4: what is open is kept beside what it is derived from. */
#include "engine/mentions.h"

#include "engine/tally.h"
#include "support/conv.h"
#include "support/random.h"

enum { SEQS = 30, SAYINGS = 60 };

/* The open mentions: why[seq], NONE where none is. */
typedef struct opened {
  uint32_t why[SEQS + 2];
} opened;

static opened open_of(const test_conv *t) {
  opened open = {{0}};
  sn_run run;
  for (uint64_t s = 0; sn_runs_next(&t->conv.facts->open, s, &run);
       s = run.hi + 1)
    for (uint64_t seq = run.lo; seq <= run.hi; seq++)
      open.why[seq] = run.tag;
  return open;
}

static bool is_open(const test_conv *t, uint64_t seq) {
  const sn_facts *facts = t->conv.facts;
  return (sn_runs_has(&facts->mentions, seq) ||
          sn_runs_has(&facts->found_mentions, seq)) &&
         !sn_runs_has(&t->conv.reading->cleared, seq) &&
         !sn_tally_uncountable(&t->conv, seq) && seq > sn_conv_low(&t->conv) &&
         seq <= t->conv.last_seq;
}

static void clear(test_conv *t, uint64_t lo, uint64_t hi) {
  sn_mentions_clear(&t->conv, lo, hi);
}

static void come_at_random(test_conv *t, test_random *random) {
  seen_message message = {.seq = 1 + test_random_below(random, SEQS)};
  if (message.seq <= t->conv.tally_last) return;
  message.kind = (seen_message_kind)test_random_below(random, 4);
  message.mention = (seen_mention_why)test_random_below(random, 4);
  message.target = test_random_below(random, message.seq);
  conv_come(t, message);
}

static void take_at_random(test_conv *t, test_random *random) {
  seen_mention mentions[6];
  seen_run runs[3];
  seen_word word = word_at(0, 0, 0, test_random_below(random, SEQS));
  word.fields = SEEN_WORD_FLOOR;
  word.floor = test_random_below(random, 5);
  for (; word.mention_count < 6; word.mention_count++)
    mentions[word.mention_count] =
        (seen_mention){1 + test_random_below(random, SEQS),
                       (seen_mention_why)(1 + test_random_below(random, 3))};
  for (; word.uncountable_count < 3; word.uncountable_count++) {
    uint64_t lo = 1 + test_random_below(random, SEQS);
    runs[word.uncountable_count] =
        (seen_run){lo, lo + test_random_below(random, 3)};
  }
  word.mentions = mentions;
  word.uncountable = runs;
  if (word.last_seq >= t->conv.tally_last) conv_take(t, &word);
}

static void act(test_conv *t, test_random *random) {
  uint64_t lo = 1 + test_random_below(random, SEQS);
  switch (test_random_below(random, 8)) {
  case 0: take_at_random(t, random); break;
  case 1: clear(t, lo, lo + test_random_below(random, 8)); break;
  case 2: conv_find(t, lo, SEEN_MENTION_NONE); break;
  case 3: conv_find(t, lo, SEEN_MENTION_QUOTE); break;
  default: come_at_random(t, random);
  }
}

static void test_mentions__kept_is_what_would_be_derived(void **state) {
  test_random random = {12};
  (void)state;
  for (uint64_t n = test_scaled(4000); n > 0; n--) {
    test_conv t;
    conv_begin(&t);
    for (int i = 0; i < SAYINGS; i++) {
      act(&t, &random);
      opened kept = open_of(&t);
      sn_mentions_derive(&t.conv);
      opened derived = open_of(&t);
      assert_memory_equal(&kept, &derived, sizeof kept);
      for (uint64_t seq = 1; seq <= SEQS; seq++)
        assert_int_equal(kept.why[seq] != 0, is_open(&t, seq));
    }
    conv_end(&t);
  }
}

/* Of `mentions` seqs, all said by one tally up to `last`. */
static void list(test_conv *t, uint64_t last, const uint64_t *seqs,
                 size_t count) {
  seen_mention mentions[SEQS];
  seen_word word = word_at(0, 0, 0, last);
  for (size_t i = 0; i < count; i++)
    mentions[i] = (seen_mention){seqs[i], SEEN_MENTION_ME};
  word.mentions = mentions;
  word.mention_count = count;
  conv_take(t, &word);
}

static uint64_t count_open(const test_conv *t) {
  return sn_runs_count(&t->conv.facts->open, 0, SEEN_SEQ_MAX);
}

static void
test_mentions__cleared_stay_hidden_until_a_tally_drops_them(void **state) {
  const uint64_t seqs[] = {3, 5};
  test_conv t;
  (void)state;
  conv_begin(&t);
  list(&t, 9, seqs, 2);
  clear(&t, 1, 9);
  list(&t, 9, seqs, 2); /* the server did not hear of it yet */
  assert_int_equal(count_open(&t), 0);
  list(&t, 9, seqs, 1);
  assert_int_equal(count_open(&t), 0);
  assert_int_equal(sn_runs_count(&t.conv.reading->cleared, 0, 9), 1);
  list(&t, 9, seqs, 2); /* listed anew: open anew */
  assert_int_equal(count_open(&t), 1);
  conv_end(&t);
}

static void
test_mentions__a_tally_that_does_not_reach_it_drops_nothing(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  conv_come(&t, (seen_message){.seq = 8, .mention = SEEN_MENTION_ALL});
  clear(&t, 1, 8);
  list(&t, 7, NULL, 0);
  assert_true(sn_runs_has(&t.conv.reading->cleared, 8));
  conv_end(&t);
}

static void test_mentions__of_an_edit_the_edit_has_to_be_reached(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  conv_come(&t, (seen_message){.seq = 8,
                               .kind = SEEN_MESSAGE_EDIT,
                               .target = 2,
                               .mention = SEEN_MENTION_ME});
  clear(&t, 2, 2);
  list(&t, 7, NULL, 0); /* reaches the target only */
  assert_int_equal(count_open(&t), 0);
  assert_true(sn_runs_has(&t.conv.reading->cleared, 2));
  list(&t, 8, NULL, 0);
  assert_int_equal(t.conv.reading->cleared.count, 0);
  conv_end(&t);
}

static void test_mentions__a_found_one_goes_and_is_not_sent(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  list(&t, 9, NULL, 0);
  conv_find(&t, 4, SEEN_MENTION_ME);
  assert_true(sn_mentions_any(&t.conv, 4, 4));
  clear(&t, 1, 9);
  assert_false(sn_mentions_any(&t.conv, 1, 9));
  assert_false(sn_mentions_named(&t.conv));
  conv_end(&t);
}

static void
test_mentions__a_found_one_not_shown_yet_is_not_cleared(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  conv_come(&t, (seen_message){.seq = 1, .mention = SEEN_MENTION_ME});
  conv_find(&t, 2, SEEN_MENTION_ME);
  clear(&t, 1, SEEN_SEQ_MAX);
  conv_come(&t, (seen_message){.seq = 2});
  assert_true(sn_mentions_any(&t.conv, 2, 2));
  conv_end(&t);
}

/* Against the page: sent by name is what no report clears by itself. */
static void assert_named(test_conv *t) {
  const sn_wish *wish = &t->conv.reading->wish;
  uint64_t read = t->conv.server.seq;
  seen_run run;
  uint64_t next = 1;
  for (uint64_t s = 0; sn_mentions_next_named(&t->conv, s, &run);
       s = run.hi + 1) {
    for (; next < run.lo; next++)
      assert_true(!sn_runs_has(&t->conv.reading->cleared, next) ||
                  (!wish->keep && next > read && next <= wish->read));
    for (; next <= run.hi; next++) {
      assert_true(sn_runs_has(&t->conv.reading->cleared, next));
      assert_true(wish->keep || next <= read || next > wish->read);
    }
  }
  for (; next <= SEQS; next++)
    assert_true(!sn_runs_has(&t->conv.reading->cleared, next) ||
                (!wish->keep && next > read && next <= wish->read));
}

static void test_mentions__named_is_what_no_report_clears(void **state) {
  test_random random = {13};
  (void)state;
  for (uint64_t n = test_scaled(20000); n > 0; n--) {
    test_conv t;
    conv_begin(&t);
    assert_int_equal(
        sn_runs_reserve(&t.memory.allocator, &t.conv.reading->cleared, 9),
        SEEN_OK);
    for (int i = 0; i < 4; i++) {
      uint64_t lo = 1 + test_random_below(&random, SEQS - 5);
      sn_runs_put(&t.conv.reading->cleared, lo,
                  lo + test_random_below(&random, 5), 0);
    }
    t.conv.server.seq = test_random_below(&random, SEQS);
    uint64_t read = t.conv.server.seq + test_random_below(&random, 9);
    conv_wish(&t, read, read);
    t.conv.reading->wish.keep = test_random_below(&random, 4) == 0;
    assert_named(&t);
    conv_end(&t);
  }
}

static void test_mentions__in_flight_are_not_unsent(void **state) {
  const uint64_t seqs[] = {3, 5, 6};
  test_conv t;
  (void)state;
  conv_begin(&t);
  list(&t, 9, seqs, 3);
  clear(&t, 1, 5);
  assert_true(sn_mentions_unsent(&t.conv));
  sn_mentions_send(&t.conv);
  assert_false(sn_mentions_unsent(&t.conv));
  assert_true(sn_mentions_named(&t.conv));
  clear(&t, 6, 6);
  assert_true(sn_mentions_unsent(&t.conv));
  conv_end(&t);
}

static void test_mentions__once_reserved_nothing_asks_for_memory(void **state) {
  uint64_t seqs[SEQS];
  test_conv t;
  (void)state;
  conv_begin(&t);
  for (uint64_t i = 0; i < SEQS; i++)
    seqs[i] = i + 1;
  list(&t, SEQS, seqs, SEQS);
  uint64_t calls = t.memory.calls;
  for (uint64_t seq = 1; seq <= SEQS; seq += 2)
    clear(&t, seq, seq);
  sn_mentions_send(&t.conv);
  sn_mentions_derive(&t.conv);
  clear(&t, 1, SEQS);
  sn_mentions_send(&t.conv);
  assert_int_equal(t.memory.calls, calls);
  conv_end(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mentions__kept_is_what_would_be_derived),
      cmocka_unit_test(
          test_mentions__cleared_stay_hidden_until_a_tally_drops_them),
      cmocka_unit_test(
          test_mentions__a_tally_that_does_not_reach_it_drops_nothing),
      cmocka_unit_test(test_mentions__of_an_edit_the_edit_has_to_be_reached),
      cmocka_unit_test(test_mentions__a_found_one_goes_and_is_not_sent),
      cmocka_unit_test(test_mentions__a_found_one_not_shown_yet_is_not_cleared),
      cmocka_unit_test(test_mentions__named_is_what_no_report_clears),
      cmocka_unit_test(test_mentions__in_flight_are_not_unsent),
      cmocka_unit_test(test_mentions__once_reserved_nothing_asks_for_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
