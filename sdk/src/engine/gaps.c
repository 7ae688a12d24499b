/*
 * Gaps in order of time (U5). A gap that filled since is noticed when its
 * time comes; gaps that were asked for are in no list, only missing.
 */
#include "engine/gaps.h"

#include <string.h>

#include "base/memory.h"

uint64_t sn_gaps_above(const sn_conv *conv, uint64_t seq) {
  uint64_t lo = sn_max(seq, conv->live_to);
  if (conv->last_seq <= lo) return 0;
  uint64_t live =
      conv->facts ? sn_runs_count(&conv->facts->live, lo + 1, conv->last_seq)
                  : 0;
  return conv->last_seq - lo - live;
}

int sn_gaps_reserve(const seen_allocator *memory, sn_facts *facts,
                    size_t more) {
  return SN_RESERVE(memory, &facts->gaps, &facts->gap_capacity,
                    facts->gap_count + more + 1);
}

void sn_gaps_cover(sn_facts *facts, uint64_t last) {
  size_t kept = 0;
  for (size_t i = 0; i < facts->gap_count; i++) {
    seen_gap gap = facts->gaps[i];
    if (gap.run.hi <= last) continue;
    gap.run.lo = sn_max(gap.run.lo, last + 1);
    facts->gaps[kept++] = gap;
  }
  facts->gap_count = kept;
}

static uint64_t missing(const sn_conv *conv, seen_run run) {
  uint64_t lo = sn_max(run.lo, conv->live_to + 1);
  if (lo > run.hi) return 0;
  return run.hi - lo + 1 - sn_runs_count(&conv->facts->live, lo, run.hi);
}

/* Whether a gap goes on with [lo, …]: all that is between came live. */
static bool goes_on(const sn_conv *conv, const seen_gap *gap, uint64_t lo,
                    uint64_t now) {
  if (gap->since != now || gap->run.hi >= lo) return false;
  return gap->run.hi + 1 == lo ||
         !missing(conv, (seen_run){gap->run.hi + 1, lo - 1});
}

void sn_gaps_show(sn_conv *conv, uint64_t lo, uint64_t hi, uint64_t now) {
  sn_facts *facts = conv->facts;
  if (lo > hi) return;
  size_t count = facts->gap_count;
  if (count && goes_on(conv, &facts->gaps[count - 1], lo, now))
    facts->gaps[count - 1].run.hi = hi;
  else
    facts->gaps[facts->gap_count++] = (seen_gap){{lo, hi}, now};
}

static void drop_first(sn_facts *facts, size_t count) {
  facts->gap_count -= count;
  memmove(facts->gaps, facts->gaps + count,
          facts->gap_count * sizeof *facts->gaps);
}

uint64_t sn_gaps_due(sn_conv *conv, uint32_t wait) {
  sn_facts *facts = conv->facts;
  if (!facts || !facts->gap_count) return SEEN_NEVER;
  size_t filled = 0;
  while (filled < facts->gap_count && !missing(conv, facts->gaps[filled].run))
    filled++;
  if (filled) drop_first(facts, filled);
  return facts->gap_count ? facts->gaps[0].since + wait : SEEN_NEVER;
}

bool sn_gaps_ask(sn_conv *conv, uint64_t now, uint32_t wait) {
  sn_facts *facts = conv->facts;
  bool late = false;
  size_t count = 0;
  while (count < facts->gap_count && facts->gaps[count].since + wait <= now)
    late |= missing(conv, facts->gaps[count++].run) > 0;
  drop_first(facts, count);
  return late;
}

void sn_gaps_new_link(sn_conv *conv) {
  sn_facts *facts = conv->facts;
  if (!facts) return;
  uint64_t listed = 0;
  for (size_t i = 0; i < facts->gap_count; i++)
    listed += missing(conv, facts->gaps[i].run);
  /* While nothing is asked for, what an earlier link listed is listed still. */
  if (sn_gaps_above(conv, 0) <= listed) return;
  memmove(facts->gaps + 1, facts->gaps, facts->gap_count * sizeof *facts->gaps);
  facts->gaps[0] = (seen_gap){{conv->live_to + 1, conv->last_seq}, 0};
  facts->gap_count++;
}
