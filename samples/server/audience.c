#include "audience.h"

#include "periods.h"

static uint64_t cut_to(uint64_t seq, seen_run stretch) {
  return least(most(seq, stretch.lo - 1), stretch.hi);
}

typedef void (*change)(ranks *, uint64_t, uint64_t);

static void change_ends(ranks *lo, ranks *hi, seen_run stretch, change by) {
  by(lo, stretch.lo, 1);
  if (stretch.hi != SEEN_SEQ_MAX) by(hi, stretch.hi, 1);
}

static void change_period(audience *self, const period *of, bool off,
                          change by) {
  seen_run stretch;
  for (uint64_t seq = 0; periods_stretch(of, true, seq, &stretch);
       seq = stretch.hi + 1)
    change_ends(&self->whole_lo, &self->whole_hi, stretch, by);
  if (off) return;
  for (uint64_t seq = 0; periods_stretch(of, false, seq, &stretch);
       seq = stretch.hi + 1) {
    change_ends(&self->lo, &self->hi, stretch, by);
    by(&self->read, cut_to(of->receipt, stretch), 1);
    by(&self->delivered, cut_to(of->delivered, stretch), 1);
  }
}

static void change_member(conversation *conv, const member *of, change by) {
  if (of->role == ROLE_BOT) return;
  for (size_t i = 0; i < of->period_count; i++)
    change_period(&conv->audience, &of->periods[i], of->off, by);
}

void audience_put(conversation *conv, const member *of) {
  change_member(conv, of, ranks_add);
}

void audience_take(conversation *conv, const member *of) {
  change_member(conv, of, ranks_take);
}

static void move(ranks *self, uint64_t from, uint64_t to) {
  if (from == to) return;
  ranks_take(self, from, 1);
  ranks_add(self, to, 1);
}

void audience_move(conversation *conv, const member *of, const period *moved,
                   uint64_t old_receipt, uint64_t old_delivered) {
  audience *self = &conv->audience;
  seen_run stretch;
  if (of->off || of->role == ROLE_BOT) return;
  for (uint64_t seq = 0; periods_stretch(moved, false, seq, &stretch);
       seq = stretch.hi + 1) {
    move(&self->read, cut_to(old_receipt, stretch),
         cut_to(moved->receipt, stretch));
    move(&self->delivered, cut_to(old_delivered, stretch),
         cut_to(moved->delivered, stretch));
  }
}

static bool holds(const member *of, uint64_t seq, bool whole,
                  const period **found) {
  seen_run stretch;
  const period *in = periods_holding(of, seq);
  if (!in || of->role == ROLE_BOT) return false;
  *found = in;
  return periods_stretch(in, whole, seq, &stretch) && stretch.lo == seq;
}

reader_state audience_state(const member *of, uint64_t seq) {
  const period *in;
  if (of->off || !holds(of, seq, false, &in)) return READER_OUTSIDE;
  if (in->receipt >= seq) return READER_READ;
  return in->delivered >= seq ? READER_DELIVERED : READER_UNREAD;
}

counts audience_count(const conversation *conv, uint64_t seq,
                      const member *sender) {
  const audience *self = &conv->audience;
  uint64_t later = ranks_at_least(&self->lo, seq + 1);
  uint64_t whole =
      ranks_below(&self->whole_lo, seq + 1) - ranks_below(&self->whole_hi, seq);
  counts found = {0, 0, 0, 0};
  const period *in;
  found.audience =
      ranks_below(&self->lo, seq + 1) - ranks_below(&self->hi, seq);
  found.read = ranks_at_least(&self->read, seq) - later;
  found.delivered = ranks_at_least(&self->delivered, seq) - later;
  if (sender) {
    reader_state state = audience_state(sender, seq);
    whole -= holds(sender, seq, true, &in);
    found.audience -= state != READER_OUTSIDE;
    found.read -= state == READER_READ;
    found.delivered -= state >= READER_DELIVERED;
  }
  found.hidden = whole - found.audience;
  return found;
}

counts audience_recount(const conversation *conv, uint64_t seq) {
  counts found = {0, 0, 0, 0};
  const period *in;
  const member *of;
  for (size_t at = 0; (of = map_next(&conv->members, &at));) {
    reader_state state = audience_state(of, seq);
    found.audience += state != READER_OUTSIDE;
    found.read += state == READER_READ;
    found.delivered += state >= READER_DELIVERED;
    found.hidden += state == READER_OUTSIDE && holds(of, seq, true, &in);
  }
  return found;
}

void audience_free(audience *self) {
  ranks_free(&self->whole_lo);
  ranks_free(&self->whole_hi);
  ranks_free(&self->lo);
  ranks_free(&self->hi);
  ranks_free(&self->read);
  ranks_free(&self->delivered);
}
