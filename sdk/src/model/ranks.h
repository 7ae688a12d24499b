/*
 * A multiset of seqs that answers "how many are at least this" in O(log n):
 * where people joined, left, and how far they read (R2, R3).
 */
#ifndef SN_MODEL_RANKS_H
#define SN_MODEL_RANKS_H

#include <seen/error.h>
#include <seen/sys/alloc.h>
#include <seen/types.h>

#include "model/tree.h"

/* All zero is an empty multiset. */
typedef sn_tree sn_ranks;

void sn_ranks_free(const seen_allocator *memory, sn_ranks *ranks);

/* After it, `operations` calls of sn_ranks_add() cannot fail. */
int sn_ranks_reserve(const seen_allocator *memory, sn_ranks *ranks,
                     size_t operations);

void sn_ranks_add(sn_ranks *ranks, uint64_t seq);
void sn_ranks_remove(sn_ranks *ranks, uint64_t seq); /* one; it is there */
void sn_ranks_clear(sn_ranks *ranks);

uint64_t sn_ranks_at_least(const sn_ranks *ranks, uint64_t seq);
uint64_t sn_ranks_total(const sn_ranks *ranks);

#endif
