/*
 * U1–U6 against every world that agrees with what was said: a world says of
 * each seq whether it counts. The number shown is the largest of all worlds;
 * where it is called exact, they all have it.
 */
#include "engine/tally.h"

#include "engine/found.h"
#include "engine/mentions.h"
#include "support/engine.h"
#include "support/random.h"

enum { SEQS = 11 };

typedef struct bench {
  test_alloc memory;
  sn_conv conv;
  uint32_t listed; /* by the tally, bit by seq */
  uint32_t known;  /* uncountable by a live message, a recall, or found */
  uint32_t came;
} bench;

static void begin(bench *b) {
  *b = (bench){.conv = {.join_seq = 1, .tally_counted = 0}};
  test_alloc_init(&b->memory);
  assert_int_equal(sn_conv_need_facts(&b->memory.allocator, &b->conv), SEEN_OK);
  assert_int_equal(sn_conv_need_reading(&b->memory.allocator, &b->conv),
                   SEEN_OK);
}

static void end(bench *b) {
  sn_conv_free_parts(&b->memory.allocator, &b->conv);
  test_alloc_check(&b->memory);
}

static bool take(bench *b, const seen_word *word) {
  assert_int_equal(sn_tally_reserve(&b->memory.allocator, &b->conv, word),
                   SEEN_OK);
  b->conv.server = word->read;
  return sn_tally_take(&b->conv, word, 0);
}

static void come(bench *b, seen_message message) {
  message.from = "u2";
  assert_int_equal(
      sn_tally_reserve_message(&b->memory.allocator, &b->conv, &message),
      SEEN_OK);
  sn_tally_add_message(&b->conv, &message, false, 0);
}

static void find(bench *b, uint64_t seq) {
  assert_int_equal(
      sn_runs_reserve(&b->memory.allocator, &b->conv.facts->found, 1), SEEN_OK);
  if (!sn_tally_said_uncountable(&b->conv, seq))
    sn_runs_put(&b->conv.facts->found, seq, seq, 0);
}

static void show(bench *b, uint64_t seq) {
  b->conv.reading->wish = (sn_wish){0, SEQS, seq, true, false};
}

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
  take(b, &word);
}

static void random_message(bench *b, test_random *random) {
  uint64_t seq = 1 + test_random_below(random, SEQS);
  seen_message message = {.seq = seq};
  if (seq <= b->conv.tally_last) return; /* the tally has said everything */
  b->came |= bit(seq);
  if (test_random_below(random, 3) == 0) {
    message.kind = SEEN_MESSAGE_RECALL;
    message.target = test_random_below(random, seq);
    if (message.target) b->known |= bit(message.target);
    b->known |= bit(seq);
  }
  come(b, message);
}

/* What every world has, and what is open in each. */
static uint32_t fixed_of(const bench *b, uint32_t *open) {
  const sn_conv *conv = &b->conv;
  uint64_t listed_above = sn_min(conv->tally_from, conv->tally_last);
  uint32_t gaps = bits(conv->tally_last, conv->last_seq) & ~b->came;
  *open = bits(0, listed_above) | gaps;
  if (conv->tally_from <= conv->tally_base) /* listed from there on */
    *open = bits(0, listed_above) | gaps;
  return b->known | b->listed;
}

static void assert_largest(const bench *b) {
  const sn_conv *conv = &b->conv;
  uint32_t open, fixed = fixed_of(b, &open);
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
    bench b;
    begin(&b);
    random_tally(&b, &random);
    for (uint64_t i = test_random_below(&random, 6); i > 0; i--)
      random_message(&b, &random);
    if (test_random_below(&random, 3) == 0) {
      uint64_t seq = 1 + test_random_below(&random, SEQS);
      find(&b, seq);
      b.known |= bit(seq);
    }
    assert_largest(&b);
    show(&b, test_random_below(&random, SEQS + 1));
    assert_largest(&b);
    end(&b);
  }
}

static sn_unread count(const bench *b) {
  return sn_tally_count(&b->conv);
}

static seen_word block_word(uint64_t counted) { /* of 10, listed above 6 */
  seen_word word = word_at(0, 0, 0, 10);
  word.fields = SEEN_WORD_FROM | SEEN_WORD_COUNTED;
  word.from = 6;
  word.counted = counted;
  return word;
}

static void test_tally__a_block_is_exact_at_its_own_base(void **state) {
  bench b;
  (void)state;
  begin(&b);
  seen_word word = block_word(4);
  take(&b, &word);
  assert_int_equal(count(&b).count, 6);
  assert_true(count(&b).exact);
  show(&b, 3);
  assert_int_equal(count(&b).count, 6); /* 4 of 1-3 and one of 4-6 */
  assert_false(count(&b).exact);
  show(&b, 6);
  assert_int_equal(count(&b).count, 4);
  assert_true(count(&b).exact);
  end(&b);
}

static void
test_tally__of_nothing_or_all_a_block_is_exact_above_it(void **state) {
  bench b;
  (void)state;
  begin(&b);
  seen_word word = block_word(6);
  take(&b, &word);
  show(&b, 3);
  assert_int_equal(count(&b).count, 4);
  assert_true(count(&b).exact);
  word = block_word(0);
  take(&b, &word);
  assert_int_equal(count(&b).count, 7);
  assert_true(count(&b).exact);
  end(&b);
}

static void test_tally__a_recall_in_the_block_leaves_it_open(void **state) {
  bench b;
  (void)state;
  begin(&b);
  seen_word word = block_word(4);
  take(&b, &word);
  come(&b, (seen_message){.seq = 11, .kind = SEEN_MESSAGE_RECALL, .target = 2});
  assert_int_equal(count(&b).count, 6); /* 2 may be one of the four */
  assert_false(count(&b).exact);
  end(&b);
}

static void
test_tally__nothing_unread_is_exact_whatever_is_missing(void **state) {
  bench b;
  (void)state;
  begin(&b);
  come(&b, (seen_message){.seq = 9});
  assert_false(count(&b).exact);
  show(&b, 9);
  assert_int_equal(count(&b).count, 0);
  assert_true(count(&b).exact);
  end(&b);
}

static void test_tally__a_recall_before_its_target_is_the_same(void **state) {
  bench b;
  (void)state;
  begin(&b);
  come(&b, (seen_message){.seq = 2, .kind = SEEN_MESSAGE_RECALL, .target = 1});
  come(&b, (seen_message){.seq = 1});
  assert_int_equal(count(&b).count, 0);
  end(&b);
}

static void test_tally__copies_of_one_seq_add_up_their_flags(void **state) {
  bench b;
  (void)state;
  begin(&b);
  come(&b, (seen_message){.seq = 1});
  come(&b, (seen_message){.seq = 1, .countable = SEEN_COUNTABLE_NO});
  come(&b, (seen_message){.seq = 1});
  assert_int_equal(count(&b).count, 0);
  end(&b);
}

static void test_tally__many_copies_of_a_recall_are_one_note(void **state) {
  bench b;
  (void)state;
  begin(&b);
  for (int i = 0; i < 9; i++)
    come(&b,
         (seen_message){.seq = 2, .kind = SEEN_MESSAGE_RECALL, .target = 1});
  assert_int_equal(b.conv.facts->note_count, 1);
  end(&b);
}

static void test_tally__effects_from_above_outlive_a_tally_below(void **state) {
  bench b;
  (void)state;
  begin(&b);
  come(&b, (seen_message){.seq = 9, .kind = SEEN_MESSAGE_RECALL, .target = 3});
  seen_word word = word_at(0, 0, 0, 8);
  take(&b, &word);
  assert_int_equal(count(&b).count, 7);
  word = word_at(0, 0, 0, 9); /* covers the recall, and names nothing */
  take(&b, &word);
  assert_int_equal(count(&b).count, 9);
  end(&b);
}

static void test_tally__a_lower_tally_leaves_gaps_above_it(void **state) {
  bench b;
  (void)state;
  begin(&b);
  seen_word word = word_at(0, 0, 0, 8);
  take(&b, &word);
  word.last_seq = 5;
  take(&b, &word);
  assert_int_equal(b.conv.last_seq, 8);
  assert_int_equal(count(&b).count, 8);
  assert_false(count(&b).exact);
  end(&b);
}

static void test_tally__one_that_knows_nothing_counts_all(void **state) {
  bench b;
  (void)state;
  begin(&b);
  seen_word word = word_at(0, 2, 0, 8);
  word.fields = SEEN_WORD_UNCOUNTABLE_UNKNOWN;
  take(&b, &word);
  assert_int_equal(count(&b).count, 6);
  assert_false(count(&b).exact);
  come(&b, (seen_message){.seq = 9});
  show(&b, 8);
  assert_int_equal(count(&b).count, 1);
  assert_true(count(&b).exact);
  end(&b);
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
  bench b;
  (void)state;
  begin(&b);
  seen_word word = block_word(4);
  word.fields |= SEEN_WORD_UNREAD;
  word.uncountable = runs;
  word.uncountable_count = 2;
  word.unread = 3;
  assert_true(take(&b, &word));
  word.unread = 4;
  assert_false(take(&b, &word));
  word.fields &= ~(uint32_t)SEEN_WORD_COUNTED; /* nothing to hold against */
  assert_true(take(&b, &word));
  end(&b);
}

static void
test_tally__a_read_runs_on_through_what_does_not_count(void **state) {
  bench b;
  (void)state;
  begin(&b);
  for (uint64_t seq = 1; seq <= 6; seq++)
    come(&b, (seen_message){.seq = seq,
                            .kind = seq == 3 || seq >= 5 ? SEEN_MESSAGE_SYSTEM
                                                         : SEEN_MESSAGE_TEXT});
  find(&b, 4);
  assert_int_equal(sn_tally_read_through(&b.conv, 1), 1);
  assert_int_equal(sn_tally_read_through(&b.conv, 2), 6);
  assert_int_equal(sn_tally_read_through(&b.conv, 99), 6);
  assert_int_equal(sn_tally_next_countable(&b.conv, 3), 7);
  assert_int_equal(sn_tally_previous_countable(&b.conv, 6), 2);
  assert_int_equal(sn_tally_previous_countable(&b.conv, 1), 1);
  end(&b);
}

static void test_tally__at_the_last_seq_there_is(void **state) {
  bench b;
  (void)state;
  begin(&b);
  seen_word word = word_at(0, SEEN_SEQ_MAX - 2, 0, SEEN_SEQ_MAX - 1);
  take(&b, &word);
  come(&b, (seen_message){.seq = SEEN_SEQ_MAX,
                          .kind = SEEN_MESSAGE_RECALL,
                          .target = SEEN_SEQ_MAX - 1});
  assert_int_equal(count(&b).count, 0);
  assert_int_equal(sn_tally_read_through(&b.conv, SEEN_SEQ_MAX - 2),
                   SEEN_SEQ_MAX);
  end(&b);
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
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
