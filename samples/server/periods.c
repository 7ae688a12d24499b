#include "periods.h"

#include "memory.h"

#include <stdlib.h>

period *periods_latest(const member *self) {
  return &self->periods[self->period_count - 1];
}

bool periods_is_present(const member *self) {
  return periods_latest(self)->leave_seq == SEEN_SEQ_MAX;
}

period *periods_holding(const member *self, uint64_t seq) {
  for (size_t i = self->period_count; i > 0; i--)
    if (self->periods[i - 1].join_seq <= seq) return &self->periods[i - 1];
  return NULL;
}

period *periods_begin(member *self, uint64_t join_seq) {
  self->periods =
      MUST_GROW(self->periods, self->period_count, self->period_capacity);
  period *fresh = &self->periods[self->period_count++];
  *fresh = (period){.join_seq = join_seq,
                    .leave_seq = SEEN_SEQ_MAX,
                    .receipt = join_seq - 1,
                    .delivered = join_seq - 1};
  return fresh;
}

bool periods_stretch(const period *self, bool whole, uint64_t seq,
                     seen_run *stretch) {
  uint64_t lo = most(seq, self->join_seq), hi = self->leave_seq;
  for (size_t i = 0; i < self->excluded_count;) {
    const exclusion *cut = &self->excluded[i++];
    if ((whole && cut->why == 'p') || lo < cut->lo || lo > cut->hi) continue;
    lo = cut->hi + 1;
    i = 0; /* another one may go on from there */
  }
  if (lo > hi || lo > SEEN_SEQ_MAX) return false;
  for (size_t i = 0; i < self->excluded_count; i++) {
    const exclusion *cut = &self->excluded[i];
    if (!(whole && cut->why == 'p') && cut->lo > lo)
      hi = least(hi, cut->lo - 1);
  }
  *stretch = (seen_run){lo, hi};
  return true;
}

static void add_exclusion(period *self, exclusion cut) {
  self->excluded =
      MUST_GROW(self->excluded, self->excluded_count, self->excluded_capacity);
  self->excluded[self->excluded_count++] = cut;
}

void periods_exclude(period *self, uint64_t lo, char why) {
  if (lo <= self->leave_seq)
    add_exclusion(self, (exclusion){lo, SEEN_SEQ_MAX, why});
}

void periods_include(period *self, uint64_t hi, char why) {
  size_t kept = 0;
  for (size_t i = 0; i < self->excluded_count; i++) {
    exclusion cut = self->excluded[i];
    if (cut.why == why && cut.hi == SEEN_SEQ_MAX)
      cut.hi = least(hi, self->leave_seq);
    if (cut.lo <= cut.hi) self->excluded[kept++] = cut;
  }
  self->excluded_count = kept;
}

uint64_t periods_public(const period *self, uint64_t reached) {
  uint64_t best = self->join_seq - 1;
  seen_run stretch;
  for (uint64_t seq = 0;
       periods_stretch(self, false, seq, &stretch) && stretch.lo <= reached;
       seq = stretch.hi + 1)
    best = least(reached, stretch.hi);
  return best;
}

static void write_exclusions(const period *self, text *into) {
  for (size_t i = 0; i < self->excluded_count; i++) {
    const exclusion *cut = &self->excluded[i];
    const char why[] = {' ', cut->why};
    text_add_bytes(into, into->length ? why : why + 1, into->length ? 2 : 1);
    text_add_number(into, cut->lo);
    text_add(into, "-");
    if (cut->hi != SEEN_SEQ_MAX) text_add_number(into, cut->hi);
  }
}

void periods_write_excluded(const member *self, text *into) {
  write_exclusions(periods_latest(self), into);
}

void periods_write_past(const member *self, text *into) {
  for (size_t i = 0; i + 1 < self->period_count; i++) {
    const period *of = &self->periods[i];
    if (i) text_add(into, ";");
    text_add_number(into, of->join_seq);
    text_add(into, "-");
    text_add_number(into, of->leave_seq);
    text_add(into, ":");
    text_add_number(into, of->receipt);
    text_add(into, ":");
    text_add_number(into, of->delivered);
    write_exclusions(of, into);
  }
}

static bool read_number(const char **at, uint64_t *number) {
  if (**at < '0' || **at > '9') return false;
  for (*number = 0; **at >= '0' && **at <= '9'; (*at)++) {
    *number = *number * 10 + (uint64_t)(**at - '0');
    if (*number > SEEN_SEQ_MAX) return false;
  }
  return true;
}

static bool read_sign(const char **at, char sign) {
  if (**at != sign) return false;
  (*at)++;
  return true;
}

static bool read_exclusions(const char **at, period *into) {
  while (**at == 'p' || **at == 'd') {
    exclusion cut = {0, SEEN_SEQ_MAX, **at};
    (*at)++;
    if (!read_number(at, &cut.lo) || !read_sign(at, '-')) return false;
    if (**at >= '0' && **at <= '9' && !read_number(at, &cut.hi)) return false;
    add_exclusion(into, cut);
    read_sign(at, ' ');
  }
  return true;
}

static bool read_past(const char *at, member *into) {
  while (*at) {
    uint64_t join_seq;
    if (!read_number(&at, &join_seq)) return false;
    period *of = periods_begin(into, join_seq);
    if (!read_sign(&at, '-') || !read_number(&at, &of->leave_seq) ||
        !read_sign(&at, ':') || !read_number(&at, &of->receipt) ||
        !read_sign(&at, ':') || !read_number(&at, &of->delivered))
      return false;
    read_sign(&at, ' ');
    if (!read_exclusions(&at, of)) return false;
    if (*at && !read_sign(&at, ';')) return false;
  }
  return true;
}

int periods_read(member *self, const stored_member *from) {
  const char *excluded = from->excluded;
  if (!read_past(from->past, self)) return SEEN_ECORRUPT;
  period *latest = periods_begin(self, from->join_seq);
  latest->leave_seq = from->leave_seq;
  latest->receipt = from->receipt;
  latest->delivered = from->delivered;
  if (!read_exclusions(&excluded, latest) || *excluded) return SEEN_ECORRUPT;
  return SEEN_OK;
}

void periods_free(member *self) {
  for (size_t i = 0; i < self->period_count; i++)
    free(self->periods[i].excluded);
  free(self->periods);
}
