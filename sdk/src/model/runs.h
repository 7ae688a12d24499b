/*
 * A set of seqs as disjoint runs, each with a tag: what is uncountable, what
 * came live, who sent what. Runs of one tag that touch are one run.
 *
 * A balanced tree in one array, so every operation is O(log runs) (plus the
 * runs it swallows), whatever seqs a server sends, and an empty set is four
 * words. A set of one run, which is the normal case, costs a few instructions.
 */
#ifndef SN_MODEL_RUNS_H
#define SN_MODEL_RUNS_H

#include <seen/error.h>
#include <seen/sys/alloc.h>
#include <seen/types.h>

#include "model/tree.h"

typedef struct sn_run {
  uint64_t lo;
  uint64_t hi;
  uint32_t tag;
} sn_run;

/* All zero is an empty set; `count` is how many runs there are. */
typedef sn_tree sn_runs;

void sn_runs_free(const seen_allocator *memory, sn_runs *runs);

/*
 * After it, `operations` calls of sn_runs_put() or sn_runs_remove() cannot
 * fail. 0 or SEEN_ENOMEM with nothing changed.
 */
int sn_runs_reserve(const seen_allocator *memory, sn_runs *runs,
                    size_t operations);

/* Sets [lo, hi] to `tag`, whatever was there. */
void sn_runs_put(sn_runs *runs, uint64_t lo, uint64_t hi, uint32_t tag);
void sn_runs_remove(sn_runs *runs, uint64_t lo, uint64_t hi);
void sn_runs_clear(sn_runs *runs); /* keeps the memory */

/* How many seqs of [lo, hi] are in the set; 0 where lo > hi. */
uint64_t sn_runs_count(const sn_runs *runs, uint64_t lo, uint64_t hi);
bool sn_runs_has(const sn_runs *runs, uint64_t seq);

/*
 * The first run that ends at or above `seq`; it may begin below. Walk with
 *   for (s = lo; sn_runs_next(runs, s, &run); s = run.hi + 1)
 */
bool sn_runs_next(const sn_runs *runs, uint64_t seq, sn_run *run);

/* The last run that begins at or below `seq`. */
bool sn_runs_previous(const sn_runs *runs, uint64_t seq, sn_run *run);

#endif
