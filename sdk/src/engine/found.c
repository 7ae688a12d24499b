/* U7: found facts yield to what is said, and to the server's position. */
#include "engine/found.h"

static size_t least(size_t a, uint64_t b) {
  return b < a ? (size_t)b : a;
}

static size_t size_of(const sn_runs *runs) {
  uint64_t seqs = sn_runs_count(runs, 0, SEEN_SEQ_MAX);
  return seqs > SIZE_MAX / 4 ? SIZE_MAX / 4 : (size_t)seqs;
}

int sn_found_reserve(const seen_allocator *memory, sn_facts *facts,
                     size_t more) {
  size_t said = facts->uncountable.count + more;
  if (facts->found.count) {
    size_t cuts = facts->found.count + said;
    if (sn_runs_reserve(memory, &facts->found,
                        least(cuts, size_of(&facts->found)) + 2))
      return SEEN_ENOMEM;
  }
  if (facts->found_mentions.count) {
    size_t cuts = facts->found_mentions.count + facts->found.count + said;
    if (sn_runs_reserve(memory, &facts->found_mentions,
                        least(cuts, size_of(&facts->found_mentions)) + 2))
      return SEEN_ENOMEM;
  }
  return SEEN_OK;
}

void sn_found_drop_seq(sn_facts *facts, uint64_t seq) {
  if (facts->found.count) sn_runs_remove(&facts->found, seq, seq);
  if (facts->found_mentions.count)
    sn_runs_remove(&facts->found_mentions, seq, seq);
}

static void subtract(sn_runs *from, const sn_runs *what) {
  sn_run run, cut;
  uint64_t seq = 0;
  if (!from->count) return;
  while (sn_runs_next(from, seq, &run)) {
    if (!sn_runs_next(what, run.lo > seq ? run.lo : seq, &cut)) return;
    if (cut.lo <= run.hi) sn_runs_remove(from, cut.lo, cut.hi);
    seq = (cut.lo <= run.hi ? cut.hi : run.hi) + 1;
  }
}

void sn_found_drop_said(sn_facts *facts) {
  subtract(&facts->found_mentions, &facts->uncountable);
  subtract(&facts->found_mentions, &facts->found);
  subtract(&facts->found, &facts->uncountable);
}

bool sn_found_drop_passed(sn_facts *facts, uint64_t seq) {
  if (!facts->found.count || !sn_runs_count(&facts->found, 0, seq))
    return false;
  sn_runs_remove(&facts->found, 0, seq);
  return true;
}
