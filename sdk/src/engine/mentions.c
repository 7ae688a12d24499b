/* M1–M4: what is open, what was cleared here, what goes by name. */
#include "engine/mentions.h"

#define ALL 0, SEEN_SEQ_MAX

static size_t seqs(const sn_runs *runs, size_t more) {
  uint64_t count = sn_runs_count(runs, ALL);
  return count > SIZE_MAX / 16 ? SIZE_MAX / 16 : (size_t)count + more;
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

int sn_mentions_reserve(const seen_allocator *memory, sn_conv *conv,
                        size_t said, size_t found, size_t blockers) {
  sn_facts *facts = conv->facts;
  size_t runs =
      facts->mentions.count + facts->found_mentions.count + said + found;
  sn_reading *reading = conv->reading;
  if (!reading || (!runs && !reading->cleared.count)) return SEEN_OK;
  /* Each uncountable or cleared run may split a run of mentions once. */
  size_t cuts = facts->uncountable.count + facts->found.count +
                reading->cleared.count + blockers;
  size_t pieces = least(runs + cuts, seqs(&facts->mentions, said) +
                                         seqs(&facts->found_mentions, found));
  size_t clearings = pieces + facts->mentions.count + said + 2;
  if (facts->found_mentions.count &&
      sn_runs_reserve(memory, &facts->found_mentions, pieces + 2))
    return SEEN_ENOMEM;
  if (sn_runs_reserve(memory, &facts->open, pieces + 2) ||
      sn_runs_reserve(memory, &reading->cleared,
                      reading->cleared.count + clearings) ||
      sn_runs_reserve(memory, &reading->sent_cleared,
                      reading->cleared.count + clearings))
    return SEEN_ENOMEM;
  return SEEN_OK;
}

static uint64_t first_of(const sn_runs *runs, uint64_t seq, uint64_t *end) {
  sn_run run;
  if (!sn_runs_next(runs, seq, &run)) return UINT64_MAX;
  if (run.lo <= seq) *end = sn_max(*end, run.hi);
  return sn_max(run.lo, seq);
}

/*
 * The first part of [seq, hi] that is neither uncountable nor cleared;
 * false where there is none.
 */
static bool next_visible(const sn_conv *conv, uint64_t seq, uint64_t hi,
                         seen_run *part) {
  const sn_facts *facts = conv->facts;
  while (seq <= hi) {
    uint64_t end = 0;
    uint64_t block = first_of(&facts->uncountable, seq, &end);
    block = sn_min(block, first_of(&facts->found, seq, &end));
    block = sn_min(block, first_of(&conv->reading->cleared, seq, &end));
    if (block > seq) {
      *part = (seen_run){seq, sn_min(block - 1, hi)};
      return true;
    }
    seq = end + 1;
  }
  return false;
}

static void derive_from(sn_conv *conv, const sn_runs *mentions) {
  uint64_t low = sn_conv_low(conv);
  sn_run run;
  seen_run part;
  for (uint64_t s = low + 1;
       s <= conv->last_seq && sn_runs_next(mentions, s, &run); s = run.hi + 1) {
    uint64_t hi = sn_min(run.hi, conv->last_seq);
    for (uint64_t at = sn_max(run.lo, s); next_visible(conv, at, hi, &part);
         at = part.hi + 1)
      sn_runs_put(&conv->facts->open, part.lo, part.hi, run.tag);
  }
}

void sn_mentions_derive(sn_conv *conv) {
  sn_facts *facts = conv->facts;
  if (!facts) return;
  sn_runs_clear(&facts->open);
  if (!conv->reading) return; /* no mention was ever said or found */
  derive_from(conv, &facts->found_mentions);
  derive_from(conv, &facts->mentions);
}

/* The mention at `seq`; what was said of it hides what was found. */
static bool mention_at(const sn_facts *facts, uint64_t seq, sn_run *run) {
  return (sn_runs_next(&facts->mentions, seq, run) && run->lo <= seq) ||
         (sn_runs_next(&facts->found_mentions, seq, run) && run->lo <= seq);
}

void sn_mentions_show(sn_conv *conv, uint64_t seq) {
  const sn_facts *facts = conv->facts;
  sn_run run;
  if (seq <= sn_conv_low(conv) || seq > conv->last_seq) return;
  if (sn_runs_has(&facts->uncountable, seq) ||
      sn_runs_has(&facts->found, seq) ||
      sn_runs_has(&conv->reading->cleared, seq) ||
      !mention_at(facts, seq, &run))
    return;
  sn_runs_put(&conv->facts->open, seq, seq, run.tag);
}

void sn_mentions_say(sn_conv *conv, uint64_t seq, seen_mention_why why) {
  if (!sn_runs_has(&conv->facts->mentions, seq))
    sn_runs_put(&conv->facts->mentions, seq, seq, (uint32_t)why);
  sn_mentions_show(conv, seq);
}

bool sn_mentions_any(const sn_conv *conv, uint64_t lo, uint64_t hi) {
  return conv->facts && conv->facts->open.count &&
         sn_runs_count(&conv->facts->open, lo, hi) > 0;
}

/* [lo, hi], all open: what was said is remembered, what was found goes. */
static void clear_open(sn_conv *conv, uint64_t lo, uint64_t hi) {
  sn_run run;
  if (conv->facts->found_mentions.count) /* U7 */
    sn_runs_remove(&conv->facts->found_mentions, lo, hi);
  for (uint64_t s = lo;
       s <= hi && sn_runs_next(&conv->facts->mentions, s, &run) && run.lo <= hi;
       s = run.hi + 1)
    sn_runs_put(&conv->reading->cleared, sn_max(run.lo, s), sn_min(run.hi, hi),
                0);
}

void sn_mentions_clear(sn_conv *conv, uint64_t lo, uint64_t hi) {
  sn_facts *facts = conv->facts;
  sn_run run;
  if (!sn_mentions_any(conv, lo, hi)) return;
  for (uint64_t s = lo;
       s <= hi && sn_runs_next(&facts->open, s, &run) && run.lo <= hi;
       s = run.hi + 1)
    clear_open(conv, sn_max(run.lo, s), sn_min(run.hi, hi));
  sn_runs_remove(&facts->open, lo, hi);
}

void sn_mentions_confirm(sn_conv *conv, uint64_t last) {
  sn_runs *cleared = conv->reading ? &conv->reading->cleared : NULL;
  if (!cleared || !cleared->count) return;
  sn_run run, said;
  uint64_t s = 0;
  while (sn_runs_next(cleared, s, &run) && run.lo <= last) {
    uint64_t lo = sn_max(run.lo, s), hi = sn_min(run.hi, last);
    bool listed =
        conv->facts && sn_runs_next(&conv->facts->mentions, lo, &said);
    uint64_t end = listed ? sn_min(hi, said.lo ? said.lo - 1 : 0) : hi;
    if (!listed || said.lo > lo) {
      sn_runs_remove(cleared, lo, end);
      s = end + 1;
    } else {
      s = sn_min(hi, said.hi) + 1;
    }
    if (s > last) return;
  }
}

bool sn_mentions_next_named(const sn_conv *conv, uint64_t seq,
                            seen_run *named) {
  const sn_reading *reading = conv->reading;
  const sn_wish *wish = &reading->wish;
  sn_run run;
  if (!sn_runs_next(&reading->cleared, seq, &run)) return false;
  uint64_t lo = sn_max(run.lo, seq), hi = run.hi;
  if (wish->set && !wish->keep && conv->server.seq < wish->read) {
    /* The report clears (server position, read] by itself. */
    if (lo > conv->server.seq && lo <= wish->read) {
      if (hi <= wish->read)
        return sn_mentions_next_named(conv, sn_max(hi, wish->read) + 1, named);
      lo = wish->read + 1;
    } else if (lo <= conv->server.seq) {
      hi = sn_min(hi, conv->server.seq);
    }
  }
  *named = (seen_run){lo, hi};
  return true;
}

bool sn_mentions_named(const sn_conv *conv) {
  seen_run run;
  return conv->reading && conv->reading->cleared.count &&
         sn_mentions_next_named(conv, 0, &run);
}

bool sn_mentions_unsent(const sn_conv *conv) {
  seen_run run;
  if (!conv->reading || !conv->reading->cleared.count) return false;
  for (uint64_t s = 0; sn_mentions_next_named(conv, s, &run); s = run.hi + 1)
    if (sn_runs_count(&conv->reading->sent_cleared, run.lo, run.hi) !=
        run.hi - run.lo + 1)
      return true;
  return false;
}

void sn_mentions_send(sn_conv *conv) {
  seen_run run;
  sn_runs_clear(&conv->reading->sent_cleared);
  for (uint64_t s = 0; sn_mentions_next_named(conv, s, &run); s = run.hi + 1)
    sn_runs_put(&conv->reading->sent_cleared, run.lo, run.hi, 0);
}
