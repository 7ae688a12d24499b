#include "tally.h"

#include "mentions.h"
#include "periods.h"

uint64_t tally_low(const conversation *conv, const member *of) {
  return most(conv->floor, periods_latest(of)->join_seq - 1);
}

uint64_t tally_last(const conversation *conv, const member *of) {
  return least(conv->last_seq, periods_latest(of)->leave_seq);
}

static uint64_t version_of(const conversation *conv, const member *of) {
  return periods_is_present(of) ? most(conv->version, of->version)
                                : of->version;
}

/* How many of (lo, hi] do not count for this member (F3). */
static uint64_t uncountable(const conversation *conv, const member *of,
                            uint64_t lo, uint64_t hi) {
  return runs_count(&conv->dead, lo, hi) + runs_count(&of->own, lo, hi);
}

static uint64_t base_of(const conversation *conv, const member *of) {
  return most(of->read.seq, tally_low(conv, of));
}

uint64_t tally_unread(const conversation *conv, const member *of) {
  uint64_t base = base_of(conv, of), last = tally_last(conv, of);
  return last > base ? last - base - uncountable(conv, of, base, last) : 0;
}

/* The newest piece that begins at or below `seq`, cut to it. */
static bool previous_piece(const conversation *conv, const member *of,
                           uint64_t seq, seen_run *piece) {
  seen_run dead, own;
  bool has_dead = runs_previous(&conv->dead, seq, &dead);
  bool has_own = runs_previous(&of->own, seq, &own);
  if (!has_dead && !has_own) return false;
  if (!has_own || (has_dead && dead.hi > own.hi))
    *piece = dead;
  else
    *piece = own;
  piece->hi = least(piece->hi, seq);
  return true;
}

/* Lists what is uncountable in (from, last], newest first; raises `from`. */
static void list_runs(const conversation *conv, const member *of, word *into) {
  uint64_t seq = into->last_seq;
  seen_run piece;
  size_t pieces = 0;
  while (seq > into->from && previous_piece(conv, of, seq, &piece) &&
         piece.hi > into->from) {
    seen_run *last = &into->runs[into->run_count - (into->run_count > 0)];
    bool touches = into->run_count && last->lo == piece.hi + 1;
    if ((!touches && into->run_count == WORD_RUNS) || pieces++ == WORD_PIECES) {
      into->from = piece.hi;
      return;
    }
    piece.lo = most(piece.lo, into->from + 1);
    if (touches)
      last->lo = piece.lo;
    else
      into->runs[into->run_count++] = piece;
    seq = piece.lo - 1;
  }
}

void tally_word(const conversation *conv, const member *of, word *into) {
  uint64_t base = base_of(conv, of), last = tally_last(conv, of);
  uint64_t newest = last > WORD_NEWEST ? last - WORD_NEWEST : 0;
  into->read = of->read;
  into->last_seq = last;
  into->run_count = 0;
  into->from = most(least(base, newest), tally_low(conv, of));
  list_runs(conv, of, into);
  into->has_counted = into->from > base;
  into->counted =
      into->has_counted ? uncountable(conv, of, base, into->from) : 0;
  into->mention_count = mentions_list(conv, of, into->mentions);
  into->floor = conv->floor;
  into->version = version_of(conv, of);
  into->unread = tally_unread(conv, of);
}
