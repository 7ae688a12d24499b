/*
 * One set of facts in any order, each said once or more often, ends in one
 * state: messages, recalls, edits, positions, corrections, purges, membership
 * and what peers have read. Only versions and seqs say what is newer (P1, U2,
 * U3).
 */
#include "naive/truth.h"

#include <seen/sys/trace.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the first two above. */
#include <cmocka.h>

enum { FACTS = 80, ORDERS = 12 };

/* What one conversation is told. The first row is told first. */
typedef struct story {
  naive_world *world;
  truth *of;
  seen_input first;
  seen_input told[FACTS];
  size_t count;
  bool rows;         /* the words are rows, and there is a rejoin (P5) */
  bool reads;        /* the person has read something that is unsent (P8) */
  uint64_t read_seq; /* up to here */
} story;

static void tell(story *facts, const seen_input *input) {
  assert_in_range(facts->count, 0, FACTS - 1);
  facts->told[facts->count++] = *input;
}

static void tell_word(story *facts) {
  seen_input input = world_input(SEEN_INPUT_POSITION, facts->of->id);

  truth_changed(facts->world, facts->of);
  if (facts->rows && world_chance(facts->world, 50))
    input = truth_row(facts->world, facts->of, false);
  else
    input.u.word = truth_word(facts->world, facts->of);
  tell(facts, &input);
}

static void tell_message(story *facts) {
  seen_input input = world_input(SEEN_INPUT_MESSAGE, facts->of->id);

  input.u.message = truth_write(facts->world, facts->of)->said;
  tell(facts, &input);
}

static void tell_peer(story *facts) {
  seen_input input = world_input(SEEN_INPUT_PEER, facts->of->id);

  input.u.peer.user = world_people[world_between(facts->world, 1, 3)];
  input.u.peer.read_seq = world_between(facts->world, 0, facts->of->last);
  input.u.peer.delivered_seq = world_between(facts->world, 0, facts->of->last);
  tell(facts, &input);
}

/* Something that takes no seq, and the word that says it. */
static void change(story *facts) {
  naive_world *world = facts->world;
  truth *of = facts->of;
  seen_position *read = &of->read;
  uint64_t seq = world_between(world, 1, of->last), low = truth_low(of);

  switch (world_below(world, facts->rows ? 5 : 4)) {
  case 0: of->messages[seq].down = !of->messages[seq].down; break;
  case 1: truth_report(of, read->epoch, seq, world_chance(world, 30)); break;
  case 2:
    if (read->seq <= low) break;
    read->high = read->high > read->seq ? read->high : read->seq;
    read->epoch++;
    read->seq = world_between(world, low, read->seq - 1);
    break;
  case 3: of->floor = of->floor > seq / 3 ? of->floor : seq / 3; break;
  default:
    *read = (seen_position){read->epoch + 1, of->last, of->last};
    of->join = of->last + 1;
    break;
  }
  tell_word(facts);
}

/* The word that all orders end with: whole, and with its floor. */
static seen_input last_word(story *facts) {
  seen_input input = world_input(SEEN_INPUT_POSITION, facts->of->id);

  facts->world->versions = true;
  truth_changed(facts->world, facts->of);
  if (facts->rows)
    input = truth_row(facts->world, facts->of, false);
  else
    input.u.word = truth_word(facts->world, facts->of);
  if (facts->rows) {
    input.u.snapshot.word.fields |= SEEN_WORD_FLOOR;
    input.u.snapshot.word.floor = facts->of->floor;
  } else {
    input.u.word.fields |= SEEN_WORD_FLOOR;
    input.u.word.floor = facts->of->floor;
  }
  return input;
}

static void make_facts(story *facts, uint64_t seed) {
  seen_input last;
  truth *of;

  facts->world = naive_world_new(seed, NAIVE_MOOD_CONSISTENT);
  facts->world->versions = true;
  facts->world->options.own_send = SEEN_OWN_SEND_NEUTRAL; /* no act */
  facts->of = of = &facts->world->truths[0];
  for (size_t i = 0; i < 3; i++)
    truth_write(facts->world, of);
  /* A clearing here would be an act that facts meet in their order (M4). */
  for (uint64_t s = 1; s <= of->last && facts->reads; s++) {
    of->messages[s].named = true;
    of->messages[s].open = SEEN_MENTION_NONE;
  }
  truth_changed(facts->world, of);
  facts->first = truth_row(facts->world, of, true);
  facts->read_seq = of->last;
  for (size_t i = 0; i < 20; i++) {
    tell_message(facts);
    if (world_chance(facts->world, 40)) change(facts);
    if (world_chance(facts->world, 10)) tell_peer(facts);
  }
  last = last_word(facts);
  if (!facts->rows) tell(facts, &last);
  for (size_t i = 0; i < 6; i++)
    tell_message(facts);
  if (facts->rows) /* a row dates nothing but its word: it comes last */
    tell(facts, &last);
}

static void feed(seen_engine *engine, const seen_input *input, uint64_t now) {
  seen_effect effect = {.size = (uint32_t)sizeof effect};
  seen_error error = SEEN_ERROR_INIT;

  if (seen_engine_feed(engine, input, now, &error) != SEEN_OK)
    fail_msg("refused: %s", error.message);
  while (seen_engine_next(engine, &effect)) {
  }
}

/* Each fact once to three times, in an order of its own. */
static size_t mix(const story *facts, test_random *random,
                  const seen_input **order) {
  size_t last = facts->rows ? facts->count - 1 : facts->count, count = 0;

  for (size_t i = 0; i < last; i++)
    for (uint64_t n = 1 + test_random_below(random, 3); n > 0; n--)
      order[count++] = &facts->told[i];
  for (size_t i = count; i > 1; i--) {
    size_t other = (size_t)test_random_below(random, i);
    const seen_input *swapped = order[i - 1];

    order[i - 1] = order[other];
    order[other] = swapped;
  }
  if (facts->rows) order[count++] = &facts->told[last];
  return count;
}

/* What is left out: the order in which notes came, what receipts say below,
 * and how far was read less the rollbacks that were heard of (S2). */
static void normalise(seen_record *record, seen_note *notes, bool reads) {
  assert_in_range(record->note_count, 0, FACTS - 1);
  for (size_t i = 0; i < record->note_count; i++) {
    size_t at = i;

    for (; at > 0 && notes[at - 1].seq > record->notes[i].seq; at--)
      notes[at] = notes[at - 1];
    notes[at] = record->notes[i];
  }
  record->notes = notes;
  record->peer_count = 0;
  if (reads) record->own = 0;
}

/* All that is held and shown of it, as text. */
static void write_state(seen_engine *engine, const story *facts, char *text,
                        size_t size) {
  seen_trace_line line = {.size = (uint32_t)sizeof line,
                          .type = SEEN_TRACE_RECORD};
  seen_state state = {.size = (uint32_t)sizeof state};
  seen_receipt receipt = {.size = (uint32_t)sizeof receipt};
  seen_conv conv = seen_engine_find(engine, facts->of->id);
  seen_note notes[FACTS];
  size_t length;

  line.u.record.size = (uint32_t)sizeof line.u.record;
  assert_int_equal(seen_engine_record(engine, conv, &line.u.record), SEEN_OK);
  normalise(&line.u.record, notes, facts->reads);
  assert_int_equal(seen_trace_write(&line, text, size, &length, NULL), SEEN_OK);
  assert_in_range(length, 1, size - 2000);
  assert_int_equal(seen_engine_state(engine, conv, &state), SEEN_OK);
  length += (size_t)snprintf(
      text + length, size - length,
      "\nunread %llu exact %d mentions %llu divider %llu pending %d",
      (unsigned long long)state.unread, state.exact,
      (unsigned long long)state.mentions,
      (unsigned long long)state.first_unread, state.pending);
  for (uint64_t s = 1; s <= state.last_seq; s++) {
    assert_int_equal(seen_engine_receipt(engine, conv, s, &receipt), SEEN_OK);
    length += (size_t)snprintf(text + length, size - length, " %llu/%llu",
                               (unsigned long long)receipt.read,
                               (unsigned long long)receipt.audience);
  }
}

/* Tells all in one order. */
static void tell_all(const story *facts, test_random *random, char *text,
                     size_t size) {
  const seen_input *order[FACTS * 3];
  seen_engine *engine;
  seen_input act = world_input(SEEN_INPUT_LINK, NULL);
  size_t count = mix(facts, random, order);
  uint64_t now = 0;

  assert_int_equal(
      seen_engine_new(naive_world_options(facts->world), 0, &engine, NULL),
      SEEN_OK);
  feed(engine, &facts->first, now);
  if (facts->reads) {
    feed(engine, &act, now); /* the link is down: it stays unsent */
    act = world_input(SEEN_INPUT_MARK_READ, facts->of->id);
    act.u.seq = (seen_optional_seq){true, facts->read_seq};
    feed(engine, &act, now);
  }
  for (size_t i = 0; i < count; i++)
    feed(engine, order[i], now += test_random_below(random, 60));
  write_state(engine, facts, text, size);
  seen_engine_free(engine);
}

static void converge(bool rows, bool reads, uint64_t seed) {
  static char wanted[20000], got[20000];
  test_random seeds = {seed};

  for (uint64_t n = test_scaled(300); n > 0; n--) {
    uint64_t one = test_random_next(&seeds);
    test_random random = {one};
    story facts = {.rows = rows, .reads = reads};

    make_facts(&facts, one);
    tell_all(&facts, &random, wanted, sizeof wanted);
    for (size_t i = 1; i < ORDERS; i++) {
      tell_all(&facts, &random, got, sizeof got);
      if (strcmp(got, wanted) == 0) continue;
      printf("%s\nis not\n%s\n", got, wanted);
      fail_msg("seed %llu: order %zu ends in another state",
               (unsigned long long)one, i);
    }
    naive_world_free(facts.world);
  }
}

static uint64_t fresh;

static void test_convergence__words_and_messages_in_any_order(void **state) {
  (void)state;
  converge(false, false, 1);
  converge(false, false, fresh);
}

static void test_convergence__an_unsent_read_meets_them_in_any_order(void **s) {
  (void)s;
  converge(false, true, 2);
  converge(false, true, fresh + 1);
}

static void test_convergence__rows_and_a_rejoin_before_one_last_row(void **s) {
  (void)s;
  converge(true, false, 3);
  converge(true, false, fresh + 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_convergence__words_and_messages_in_any_order),
      cmocka_unit_test(
          test_convergence__an_unsent_read_meets_them_in_any_order),
      cmocka_unit_test(test_convergence__rows_and_a_rejoin_before_one_last_row),
  };

  fresh = test_fresh_seed();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
