/* tally.c: the word on random conversations against a count of every seq. */
#include "conversations.h"
#include "core.h"
#include "periods.h"
#include "server/stage.h"
#include "tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST = 700 };

static char user[] = "u";

/* A conversation and a member without a server. */
typedef struct scene {
  conversation conv;
  member of;
  period period;
  bool uncountable[LONGEST + 1];
} scene;

static void begin(scene *self, uint64_t last, uint64_t join_seq) {
  memset(self, 0, sizeof *self);
  self->conv.last_seq = last;
  self->period = (period){.join_seq = join_seq, .leave_seq = SEEN_SEQ_MAX};
  self->of.periods = &self->period;
  self->of.period_count = 1;
  self->of.user = user;
  self->of.own_loaded = true;
}

static void end(scene *self) {
  runs_free(&self->conv.dead);
  runs_free(&self->of.own);
}

static void set(scene *self, uint64_t seq, bool own) {
  if (self->uncountable[seq]) return;
  runs_add(own ? &self->of.own : &self->conv.dead, seq);
  self->uncountable[seq] = true;
}

static uint64_t base_of(const scene *self) {
  uint64_t base = self->of.read.seq;
  if (base < self->conv.floor) base = self->conv.floor;
  if (base < self->period.join_seq - 1) base = self->period.join_seq - 1;
  return base;
}

static uint64_t counted_by_hand(const scene *self, uint64_t lo, uint64_t hi) {
  uint64_t count = 0;
  for (uint64_t seq = lo + 1; seq <= hi; seq++)
    count += self->uncountable[seq];
  return count;
}

static bool is_listed(const word *said, uint64_t seq) {
  for (size_t i = 0; i < said->run_count; i++)
    if (seq >= said->runs[i].lo && seq <= said->runs[i].hi) return true;
  return false;
}

/* U2 and rule 5 of the protocol, read off the word. */
static void check(const scene *self) {
  word said;
  uint64_t last = self->conv.last_seq, base = base_of(self);
  tally_word(&self->conv, &self->of, &said);
  assert_int_equal(said.last_seq, last);
  assert_true(said.run_count <= WORD_RUNS);
  for (uint64_t seq = said.from + 1; seq <= last; seq++)
    assert_int_equal(is_listed(&said, seq), self->uncountable[seq]);
  for (uint64_t seq = 1; seq <= said.from && seq <= last; seq++)
    assert_false(is_listed(&said, seq));
  for (size_t i = 1; i < said.run_count; i++)
    assert_true(said.runs[i].hi + 1 < said.runs[i - 1].lo);
  assert_int_equal(said.has_counted, said.from > base);
  if (said.has_counted)
    assert_int_equal(said.counted, counted_by_hand(self, base, said.from));
  uint64_t low = tally_low(&self->conv, &self->of);
  assert_true(said.from <= most(low, last > 32 ? last - 32 : 0) ||
              said.from <= base || said.run_count == WORD_RUNS);
  uint64_t unread =
      last > base ? last - base - counted_by_hand(self, base, last) : 0;
  assert_int_equal(said.unread, unread);
}

static void fill(scene *self, uint64_t *seed) {
  uint64_t density = 1 + stage_random(seed, 10);
  for (uint64_t seq = 1; seq <= self->conv.last_seq; seq++)
    if (stage_random(seed, 10) < density)
      set(self, seq, stage_random(seed, 2) == 0);
}

static void test_tally__the_word_agrees_with_a_count_of_every_seq(void **s) {
  uint64_t seed = stage_seed();
  scene self;
  (void)s;
  for (uint64_t i = 0; i < stage_scaled(3000); i++) {
    uint64_t last = stage_random(&seed, LONGEST + 1);
    begin(&self, last, 1 + stage_random(&seed, last + 1));
    if (stage_random(&seed, 3) == 0)
      self.conv.floor = stage_random(&seed, last + 1);
    self.of.read.seq = stage_random(&seed, last + 1);
    fill(&self, &seed);
    check(&self);
    end(&self);
  }
}

static void test_tally__beyond_64_runs_a_number_stands_for_the_rest(void **s) {
  scene self;
  word said;
  (void)s;
  begin(&self, 400, 1);
  for (uint64_t seq = 2; seq <= 400; seq += 2)
    set(&self, seq, false);
  tally_word(&self.conv, &self.of, &said);
  assert_int_equal(said.run_count, 64);
  assert_int_equal(said.from, 272);
  assert_int_equal(said.counted, 136);
  assert_int_equal(said.unread, 200);
  check(&self);
  end(&self);
}

static void test_tally__pieces_that_touch_do_not_make_it_walk_on(void **s) {
  scene self;
  word said;
  (void)s;
  begin(&self, LONGEST, 1);
  for (uint64_t seq = 1; seq <= LONGEST; seq++)
    set(&self, seq, seq % 2);
  tally_word(&self.conv, &self.of, &said);
  assert_int_equal(said.run_count, 1);
  assert_int_equal(said.from, LONGEST - WORD_PIECES);
  assert_int_equal(said.counted, LONGEST - WORD_PIECES);
  assert_int_equal(said.unread, 0);
  end(&self);
}

static void test_tally__its_cost_does_not_follow_the_unread(void **s) {
  scene self;
  word said;
  (void)s;
  begin(&self, SEEN_SEQ_MAX, 1);
  for (uint64_t i = 0; i < 1000; i++) {
    self.of.read.seq = i;
    tally_word(&self.conv, &self.of, &said);
    assert_int_equal(said.unread, SEEN_SEQ_MAX - i);
  }
  end(&self);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tally__the_word_agrees_with_a_count_of_every_seq),
      cmocka_unit_test(test_tally__beyond_64_runs_a_number_stands_for_the_rest),
      cmocka_unit_test(test_tally__pieces_that_touch_do_not_make_it_walk_on),
      cmocka_unit_test(test_tally__its_cost_does_not_follow_the_unread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
