/* A set of seqs, kept as runs. O(log n) in the number of runs. */
#ifndef SERVER_RUNS_H
#define SERVER_RUNS_H

#include "ranks.h"

#include <seen/types.h>

/* All zero is empty. Runs neither touch nor overlap. */
typedef struct runs {
  ranks by_lo; /* the weight of a run is its length */
} runs;

bool runs_has(const runs *self, uint64_t seq);
void runs_add(runs *self, uint64_t seq); /* no matter if it is in already */
void runs_remove(runs *self, uint64_t seq);
void runs_drop_to(runs *self, uint64_t floor); /* all at or below */

/* How many of (lo, hi]. */
uint64_t runs_count(const runs *self, uint64_t lo, uint64_t hi);

/* The run that holds `seq`, else the one before it; false: none. */
bool runs_previous(const runs *self, uint64_t seq, seen_run *run);

size_t runs_size(const runs *self); /* how many runs */
void runs_free(runs *self);

#endif
