/*
 * U1–U6 against every world that agrees with what was said: a world says of
 * each seq whether it counts. The number shown is the largest of all worlds;
 * where it is called exact, they all have it.
 */
#include "engine/tally.h"

#include "engine/gaps.h"
#include "support/conv.h"
#include "support/random.h"

enum { SEQS = 11 };

typedef struct bench {
  test_conv t;
  uint32_t listed; /* by the tally, bit by seq */
  uint32_t known;  /* uncountable by a live message, a recall, or found */
  uint32_t came;
} bench;

static uint32_t bit(uint64_t seq) {
  return 1u << seq;
}

static uint32_t bits(uint64_t lo, uint64_t hi) { /* of (lo, hi] */
  return hi > lo ? (bit(hi + 1) - 1) & ~(bit(lo + 1) - 1) : 0;
}

static unsigned count_bits(uint32_t set) {
  unsigned count = 0;
  for (; set; set &= set - 1)
    count++;
  return count;
}

/* A random tally: at times with a block, whose number is at times unsaid. */
static void random_tally(bench *b, test_random *random) {
  seen_run runs[SEQS];
  uint64_t last = test_random_below(random, SEQS);
  seen_word word = word_at(0, test_random_below(random, SEQS), 0, last);
  uint64_t base = word.read.seq;
  word.uncountable = runs;
  word.fields = SEEN_WORD_FROM;
  word.from = test_random_below(random, SEQS);
  if (word.from > last) word.from = last;
  uint32_t block = bits(base, word.from);
  for (uint64_t seq = word.from + 1; seq <= last; seq++) {
    if (test_random_below(random, 3)) continue;
    runs[word.uncountable_count++] = (seen_run){seq, seq};
    b->listed |= bit(seq);
  }
  if (test_random_below(random, 4)) {
    word.fields |= SEEN_WORD_COUNTED;
    word.counted = test_random_below(random, count_bits(block) + 1);
  }
  conv_take(&b->t, &word);
}

static void random_message(bench *b, test_random *random) {
  uint64_t seq = 1 + test_random_below(random, SEQS);
  seen_message message = {.seq = seq};
  if (seq <= b->t.conv.tally_last) return; /* the tally has said everything */
  b->came |= bit(seq);
  if (test_random_below(random, 3) == 0) {
    message.kind = SEEN_MESSAGE_RECALL;
    message.target = test_random_below(random, seq);
    if (message.target) b->known |= bit(message.target);
    b->known |= bit(seq);
  }
  conv_come(&b->t, message);
}

/* What is open, to be filled by each world; the rest is fixed. */
static uint32_t open_of(const bench *b) {
  const sn_conv *conv = &b->t.conv;
  return bits(0, sn_min(conv->tally_from, conv->tally_last)) |
         (bits(conv->tally_last, conv->last_seq) & ~b->came);
}

static void assert_largest(const bench *b) {
  const sn_conv *conv = &b->t.conv;
  uint32_t open = open_of(b), fixed = b->known | b->listed;
  uint32_t block = bits(conv->tally_base, conv->tally_from);
  uint32_t above = bits(sn_conv_base(conv), conv->last_seq);
  unsigned most = 0, least = SEQS;
  for (uint32_t world = open;; world = (world - 1) & open) {
    unsigned unread = count_bits(above & ~(world | fixed));
    bool possible = conv->tally_counted == SN_NOT_COUNTED || !block ||
                    count_bits(world & block) == conv->tally_counted;
    if (possible && unread > most) most = unread;
    if (possible && unread < least) least = unread;
    if (!world) break;
  }
  sn_unread unread = sn_tally_count(conv);
  assert_int_equal(unread.count, most);
  if (unread.exact) assert_int_equal(least, most);
}

static void test_tally__unread_is_the_largest_of_all_worlds(void **state) {
  test_random random = {11};
  (void)state;
  for (uint64_t n = test_scaled(4000); n > 0; n--) {
    bench b = {0};
    conv_begin(&b.t);
    random_tally(&b, &random);
    for (uint64_t i = test_random_below(&random, 6); i > 0; i--)
      random_message(&b, &random);
    if (test_random_below(&random, 3) == 0) {
      uint64_t seq = 1 + test_random_below(&random, SEQS);
      conv_find(&b.t, seq, SEEN_MENTION_NONE);
      b.known |= bit(seq);
    }
    assert_largest(&b);
    conv_wish(&b.t, SEQS, test_random_below(&random, SEQS + 1));
    assert_largest(&b);
    conv_end(&b.t);
  }
}

static sn_unread count(const test_conv *t) {
  return sn_tally_count(&t->conv);
}

static seen_word block_word(uint64_t counted) { /* of 10, listed above 6 */
  seen_word word = word_at(0, 0, 0, 10);
  word.fields = SEEN_WORD_FROM | SEEN_WORD_COUNTED;
  word.from = 6;
  word.counted = counted;
  return word;
}

static void test_tally__a_block_is_exact_at_its_own_base(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  seen_word word = block_word(4);
  conv_take(&t, &word);
  assert_int_equal(count(&t).count, 6);
  assert_true(count(&t).exact);
  conv_wish(&t, 11, 3);
  assert_int_equal(count(&t).count, 6); /* 4 of 1-3 and one of 4-6 */
  assert_false(count(&t).exact);
  conv_wish(&t, 11, 6);
  assert_int_equal(count(&t).count, 4);
  assert_true(count(&t).exact);
  conv_end(&t);
}

static void
test_tally__of_nothing_or_all_a_block_is_exact_above_it(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  seen_word word = block_word(6);
  conv_take(&t, &word);
  conv_wish(&t, 11, 3);
  assert_int_equal(count(&t).count, 4);
  assert_true(count(&t).exact);
  word = block_word(0);
  conv_take(&t, &word);
  assert_int_equal(count(&t).count, 7);
  assert_true(count(&t).exact);
  conv_end(&t);
}

static void test_tally__a_recall_in_the_block_leaves_it_open(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  seen_word word = block_word(4);
  conv_take(&t, &word);
  conv_come(
      &t, (seen_message){.seq = 11, .kind = SEEN_MESSAGE_RECALL, .target = 2});
  assert_int_equal(count(&t).count, 6); /* 2 may be one of the four */
  assert_false(count(&t).exact);
  conv_end(&t);
}

static void
test_tally__nothing_unread_is_exact_whatever_is_missing(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  conv_come(&t, (seen_message){.seq = 9});
  assert_false(count(&t).exact);
  conv_wish(&t, 11, 9);
  assert_int_equal(count(&t).count, 0);
  assert_true(count(&t).exact);
  conv_end(&t);
}

static void test_tally__a_recall_before_its_target_is_the_same(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  conv_come(&t,
            (seen_message){.seq = 2, .kind = SEEN_MESSAGE_RECALL, .target = 1});
  conv_come(&t, (seen_message){.seq = 1});
  assert_int_equal(count(&t).count, 0);
  conv_end(&t);
}

static void test_tally__copies_of_one_seq_add_up_their_flags(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  conv_come(&t, (seen_message){.seq = 1});
  conv_come(&t, (seen_message){.seq = 1, .countable = SEEN_COUNTABLE_NO});
  conv_come(&t, (seen_message){.seq = 1});
  assert_int_equal(count(&t).count, 0);
  conv_end(&t);
}

static void test_tally__many_copies_of_a_recall_are_one_note(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  for (int i = 0; i < 9; i++)
    conv_come(
        &t, (seen_message){.seq = 2, .kind = SEEN_MESSAGE_RECALL, .target = 1});
  assert_int_equal(t.conv.facts->note_count, 1);
  conv_end(&t);
}

static void test_tally__effects_from_above_outlive_a_tally_below(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  conv_come(&t,
            (seen_message){.seq = 9, .kind = SEEN_MESSAGE_RECALL, .target = 3});
  seen_word word = word_at(0, 0, 0, 8);
  conv_take(&t, &word);
  assert_int_equal(count(&t).count, 7);
  word = word_at(0, 0, 0, 9); /* covers the recall, and names nothing */
  conv_take(&t, &word);
  assert_int_equal(count(&t).count, 9);
  conv_end(&t);
}

static void test_tally__a_lower_tally_leaves_gaps_above_it(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  seen_word word = word_at(0, 0, 0, 8);
  conv_take(&t, &word);
  word.last_seq = 5;
  conv_take(&t, &word);
  assert_int_equal(t.conv.last_seq, 8);
  assert_int_equal(count(&t).count, 8);
  assert_false(count(&t).exact);
  conv_end(&t);
}

static void test_tally__one_that_knows_nothing_counts_all(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  seen_word word = word_at(0, 2, 0, 8);
  word.fields = SEEN_WORD_UNCOUNTABLE_UNKNOWN;
  conv_take(&t, &word);
  assert_int_equal(count(&t).count, 6);
  assert_false(count(&t).exact);
  conv_come(&t, (seen_message){.seq = 9});
  conv_wish(&t, 11, 8);
  assert_int_equal(count(&t).count, 1);
  assert_true(count(&t).exact);
  conv_end(&t);
}

static void test_tally__newer_is_by_version_then_last_seq(void **state) {
  sn_conv conv = {.tally_version = 5, .tally_last = 7};
  seen_word word = {.version = 6, .last_seq = 1};
  (void)state;
  assert_true(sn_tally_is_newer(&conv, &word));
  word.version = 4;
  word.last_seq = 99;
  assert_false(sn_tally_is_newer(&conv, &word));
  word.version = 5;
  assert_true(sn_tally_is_newer(&conv, &word));
  word.last_seq = 6;
  assert_false(sn_tally_is_newer(&conv, &word));
}

static void
test_tally__the_servers_count_is_held_against_its_list(void **state) {
  const seen_run runs[] = {{7, 8}, {8, 9}};
  test_conv t;
  (void)state;
  conv_begin(&t);
  seen_word word = block_word(4);
  word.fields |= SEEN_WORD_UNREAD;
  word.uncountable = runs;
  word.uncountable_count = 2;
  word.unread = 3;
  assert_true(conv_take(&t, &word));
  word.unread = 4;
  assert_false(conv_take(&t, &word));
  word.fields &= ~(uint32_t)SEEN_WORD_COUNTED; /* nothing to hold against */
  assert_true(conv_take(&t, &word));
  conv_end(&t);
}

static void
test_tally__a_read_runs_on_through_what_does_not_count(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  for (uint64_t seq = 1; seq <= 6; seq++)
    conv_come(&t,
              (seen_message){.seq = seq,
                             .kind = seq == 3 || seq >= 5 ? SEEN_MESSAGE_SYSTEM
                                                          : SEEN_MESSAGE_TEXT});
  conv_find(&t, 4, SEEN_MENTION_NONE);
  assert_int_equal(sn_tally_read_through(&t.conv, 1), 1);
  assert_int_equal(sn_tally_read_through(&t.conv, 2), 6);
  assert_int_equal(sn_tally_read_through(&t.conv, 99), 6);
  assert_int_equal(sn_tally_next_countable(&t.conv, 3), 7);
  assert_int_equal(sn_tally_previous_countable(&t.conv, 6), 2);
  assert_int_equal(sn_tally_previous_countable(&t.conv, 1), 1);
  conv_end(&t);
}

static void test_tally__at_the_last_seq_there_is(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  seen_word word = word_at(0, SEEN_SEQ_MAX - 2, 0, SEEN_SEQ_MAX - 1);
  conv_take(&t, &word);
  conv_come(&t, (seen_message){.seq = SEEN_SEQ_MAX,
                               .kind = SEEN_MESSAGE_RECALL,
                               .target = SEEN_SEQ_MAX - 1});
  assert_int_equal(count(&t).count, 0);
  assert_int_equal(sn_tally_read_through(&t.conv, SEEN_SEQ_MAX - 2),
                   SEEN_SEQ_MAX);
  conv_end(&t);
}

static void test_tally__what_is_found_and_said_counts_once(void **state) {
  const seen_run run = {4, 4};
  test_conv t;
  (void)state;
  conv_begin(&t);
  seen_word word = word_at(0, 0, 0, 10);
  conv_take(&t, &word);
  conv_find(&t, 4, SEEN_MENTION_NONE);
  word.uncountable = &run;
  word.uncountable_count = 1;
  conv_take(&t, &word);
  assert_int_equal(count(&t).count, 9);
  conv_end(&t);
}

static void test_tally__what_it_covers_is_held_no_longer(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  for (uint64_t seq = 3; seq <= 30; seq += 3)
    conv_come(&t, (seen_message){
                      .seq = seq, .kind = SEEN_MESSAGE_RECALL, .target = 1});
  seen_word word = word_at(0, 0, 0, 30);
  conv_take(&t, &word);
  const sn_facts *facts = t.conv.facts;
  assert_int_equal(facts->note_count + facts->gap_count, 0);
  assert_int_equal(facts->live.count + facts->uncountable.count, 0);
  conv_end(&t);
}

static void test_tally__what_comes_in_turn_is_one_number(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  for (uint64_t seq = 1; seq <= 3; seq++)
    conv_come(&t, (seen_message){.seq = seq});
  conv_come(&t, (seen_message){.seq = 5});
  assert_int_equal(t.conv.live_to, 3);
  assert_int_equal(t.conv.facts->live.count, 1);
  conv_come(&t, (seen_message){.seq = 4});
  assert_int_equal(t.conv.live_to, 5);
  assert_int_equal(t.conv.facts->live.count, 0);
  conv_end(&t);
}

static void test_tally__below_a_lower_tally_only_what_it_had_covered_is_a_gap(
    void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  seen_word word = word_at(0, 0, 0, 8);
  conv_take(&t, &word);
  conv_come(&t, (seen_message){.seq = 9});
  conv_come(&t, (seen_message){.seq = 10});
  word.last_seq = 5;
  conv_take(&t, &word);
  assert_int_equal(sn_gaps_above(&t.conv, 0), 3);
  for (uint64_t seq = 8; seq >= 6; seq--)
    conv_come(&t, (seen_message){.seq = seq});
  assert_int_equal(sn_gaps_above(&t.conv, 0), 0);
  assert_int_equal(t.conv.live_to, 10);
  conv_end(&t);
}

static void test_tally__the_next_text_of_others_needs_no_facts(void **state) {
  sn_conv conv = {.last_seq = 7, .live_to = 7};
  seen_message next = {.seq = 8}, beyond = {.seq = 9};
  seen_message recall = {.seq = 8, .kind = SEEN_MESSAGE_RECALL, .target = 3};
  seen_message mention = {.seq = 8, .mention = SEEN_MENTION_ME};
  (void)state;
  assert_true(sn_tally_is_next(&conv, &next, false));
  assert_false(sn_tally_is_next(&conv, &next, true));
  assert_false(sn_tally_is_next(&conv, &beyond, false));
  assert_false(sn_tally_is_next(&conv, &recall, false));
  assert_false(sn_tally_is_next(&conv, &mention, false));
  sn_tally_add_next(&conv, 8);
  assert_int_equal(sn_tally_unread(&conv), 8);
  assert_true(sn_tally_count(&conv).exact);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tally__unread_is_the_largest_of_all_worlds),
      cmocka_unit_test(test_tally__a_block_is_exact_at_its_own_base),
      cmocka_unit_test(test_tally__of_nothing_or_all_a_block_is_exact_above_it),
      cmocka_unit_test(test_tally__a_recall_in_the_block_leaves_it_open),
      cmocka_unit_test(test_tally__nothing_unread_is_exact_whatever_is_missing),
      cmocka_unit_test(test_tally__a_recall_before_its_target_is_the_same),
      cmocka_unit_test(test_tally__copies_of_one_seq_add_up_their_flags),
      cmocka_unit_test(test_tally__many_copies_of_a_recall_are_one_note),
      cmocka_unit_test(test_tally__effects_from_above_outlive_a_tally_below),
      cmocka_unit_test(test_tally__a_lower_tally_leaves_gaps_above_it),
      cmocka_unit_test(test_tally__one_that_knows_nothing_counts_all),
      cmocka_unit_test(test_tally__newer_is_by_version_then_last_seq),
      cmocka_unit_test(test_tally__the_servers_count_is_held_against_its_list),
      cmocka_unit_test(test_tally__a_read_runs_on_through_what_does_not_count),
      cmocka_unit_test(test_tally__at_the_last_seq_there_is),
      cmocka_unit_test(test_tally__what_is_found_and_said_counts_once),
      cmocka_unit_test(test_tally__what_it_covers_is_held_no_longer),
      cmocka_unit_test(test_tally__what_comes_in_turn_is_one_number),
      cmocka_unit_test(
          test_tally__below_a_lower_tally_only_what_it_had_covered_is_a_gap),
      cmocka_unit_test(test_tally__the_next_text_of_others_needs_no_facts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
