/* audience.c, periods.c: counts against a look at every member. */
#include "audience.h"
#include "core.h"
#include "periods.h"
#include "server/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MEMBERS = 12, SEQS = 60 };

/* What a member is to each seq, kept seq by seq. */
typedef struct truth {
  bool in[SEQS + 1];     /* a member, not disabled, when it was sent */
  bool read[SEQS + 1];   /* reported */
  bool have[SEQS + 1];   /* delivered */
  bool secret[SEQS + 1]; /* receipts were off */
} truth;

typedef struct scene {
  conversation conv;
  member of[MEMBERS];
  truth truths[MEMBERS];
  uint64_t last;
} scene;

static void send_one(scene *self) {
  self->last++;
  for (int i = 0; i < MEMBERS; i++) {
    const member *of = &self->of[i];
    self->truths[i].in[self->last] = of->period_count &&
                                     periods_is_present(of) && !of->disabled &&
                                     of->role != ROLE_BOT;
  }
}

static void mark(const period *in, bool *flags, uint64_t to) {
  for (uint64_t seq = in->join_seq; seq <= to && seq <= in->leave_seq; seq++)
    flags[seq] = true;
}

static void report(scene *self, int i, uint64_t seq, bool read) {
  member *of = &self->of[i];
  period *in = of->period_count ? periods_holding(of, seq) : NULL;
  if (!in) return;
  uint64_t receipt = in->receipt, delivered = in->delivered;
  seq = least(seq, in->leave_seq);
  if (read) in->receipt = most(receipt, seq);
  in->delivered = most(delivered, seq);
  audience_move(&self->conv, of, in, receipt, delivered);
  if (read) mark(in, self->truths[i].read, seq);
  mark(in, self->truths[i].have, seq);
}

static void come_or_go(scene *self, int i) {
  member *of = &self->of[i];
  audience_take(&self->conv, of);
  if (of->period_count && periods_is_present(of)) {
    periods_latest(of)->leave_seq = self->last;
  } else {
    period *in = periods_begin(of, self->last + 1);
    if (of->off) periods_exclude(in, in->join_seq, 'p');
    if (of->disabled) periods_exclude(in, in->join_seq, 'd');
  }
  audience_put(&self->conv, of);
}

static void turn_receipts(scene *self, int i) {
  member *of = &self->of[i];
  truth *is = &self->truths[i];
  audience_take(&self->conv, of);
  for (size_t p = 0; p < of->period_count; p++) {
    period *in = &of->periods[p];
    if (of->off)
      periods_include(in, self->last, 'p');
    else
      periods_exclude(in, in->receipt + 1, 'p');
  }
  /* Secret is from now on what was not read in public before. */
  for (uint64_t seq = 1; seq <= SEQS && !of->off; seq++)
    if (!is->read[seq]) is->secret[seq] = true;
  for (uint64_t seq = self->last + 1; seq <= SEQS && of->off; seq++)
    is->secret[seq] = false;
  of->off = !of->off;
  audience_put(&self->conv, of);
}

static void turn_account(scene *self, int i) {
  member *of = &self->of[i];
  audience_take(&self->conv, of);
  if (of->period_count && of->disabled)
    periods_include(periods_latest(of), self->last, 'd');
  else if (of->period_count)
    periods_exclude(periods_latest(of),
                    most(self->last + 1, periods_latest(of)->join_seq), 'd');
  of->disabled = !of->disabled;
  audience_put(&self->conv, of);
}

static counts count_by_hand(const scene *self, uint64_t seq, int sender) {
  counts found = {0, 0, 0, 0};
  for (int i = 0; i < MEMBERS; i++) {
    const truth *is = &self->truths[i];
    if (i == sender || !is->in[seq]) continue;
    bool hides = self->of[i].off || is->secret[seq];
    found.hidden += hides;
    found.audience += !hides;
    found.read += !hides && is->read[seq];
    found.delivered += !hides && is->have[seq];
  }
  return found;
}

static void check(const scene *self, uint64_t *seed) {
  int sender = (int)stage_random(seed, MEMBERS);
  for (uint64_t seq = 1; seq <= self->last; seq++) {
    counts expected = count_by_hand(self, seq, sender);
    counts found = audience_count(
        &self->conv, seq,
        self->of[sender].period_count ? &self->of[sender] : NULL);
    assert_int_equal(found.audience, expected.audience);
    assert_int_equal(found.read, expected.read);
    assert_int_equal(found.delivered, expected.delivered);
    assert_int_equal(found.hidden, expected.hidden);
    assert_true(found.read <= found.audience);
  }
}

/* What was written of a member is the same member when it is read. */
static void check_written(const member *of) {
  text excluded = {NULL, 0, 0}, past = excluded;
  member copy = {.period_count = 0};
  if (!of->period_count) return;
  periods_write_excluded(of, &excluded);
  periods_write_past(of, &past);
  const period *latest = periods_latest(of);
  stored_member row = {.join_seq = latest->join_seq,
                       .leave_seq = latest->leave_seq,
                       .receipt = latest->receipt,
                       .delivered = latest->delivered,
                       .excluded = excluded.bytes ? excluded.bytes : "",
                       .past = past.bytes ? past.bytes : ""};
  assert_int_equal(periods_read(&copy, &row), SEEN_OK);
  assert_int_equal(copy.period_count, of->period_count);
  for (size_t i = 0; i < of->period_count; i++) {
    const period *a = &of->periods[i], *b = &copy.periods[i];
    assert_int_equal(a->join_seq, b->join_seq);
    assert_int_equal(a->leave_seq, b->leave_seq);
    assert_int_equal(a->receipt, b->receipt);
    assert_int_equal(a->delivered, b->delivered);
    assert_int_equal(a->excluded_count, b->excluded_count);
    for (size_t k = 0; k < a->excluded_count; k++) {
      assert_int_equal(a->excluded[k].lo, b->excluded[k].lo);
      assert_int_equal(a->excluded[k].hi, b->excluded[k].hi);
      assert_int_equal(a->excluded[k].why, b->excluded[k].why);
    }
  }
  periods_free(&copy);
  text_free(&excluded);
  text_free(&past);
}

static void act(scene *self, uint64_t *seed) {
  int i = (int)stage_random(seed, MEMBERS);
  switch (stage_random(seed, 9)) {
  case 0: come_or_go(self, i); break;
  case 1: turn_receipts(self, i); break;
  case 2: turn_account(self, i); break;
  case 3:
  case 4: report(self, i, stage_random(seed, self->last + 1), true); break;
  case 5: report(self, i, stage_random(seed, self->last + 1), false); break;
  default:
    if (self->last < SEQS) send_one(self);
  }
}

static void test_audience__counts_are_those_of_a_look_at_everybody(void **s) {
  static scene self;
  uint64_t seed = stage_seed();
  (void)s;
  for (uint64_t world = 0; world < stage_scaled(200); world++) {
    memset(&self, 0, sizeof self);
    self.of[0].role = ROLE_BOT;
    for (int step = 0; step < 200; step++) {
      act(&self, &seed);
      if (step % 10 == 0) check(&self, &seed);
    }
    check(&self, &seed);
    for (int i = 0; i < MEMBERS; i++) {
      check_written(&self.of[i]);
      periods_free(&self.of[i]);
    }
    audience_free(&self.conv.audience);
  }
}

static void test_periods__a_text_that_is_none_is_corrupt(void **s) {
  static const char *const bad[] = {"x",
                                    "1",
                                    "1-",
                                    "1-2:3",
                                    "1-2:3:4 z1-2",
                                    "1-2:3:4;;",
                                    "99999999999999999-1:1:1"};
  (void)s;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    member of = {.period_count = 0};
    stored_member row = {.past = bad[i], .excluded = ""};
    assert_int_equal(periods_read(&of, &row), SEEN_ECORRUPT);
    periods_free(&of);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_audience__counts_are_those_of_a_look_at_everybody),
      cmocka_unit_test(test_periods__a_text_that_is_none_is_corrupt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
