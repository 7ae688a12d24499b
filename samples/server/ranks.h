/*
 * An ordered map from seqs to weights that knows the sum of all weights below
 * a seq: O(log n) for each call. Counts of readers are two of its sums, and
 * sets of seqs (runs.h) stand on it.
 *
 * A treap in one array: a search tree by key that is a heap by priority, the
 * priority being a hash of the key.
 */
#ifndef SERVER_RANKS_H
#define SERVER_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rank_node {
  uint64_t key;
  uint64_t weight;
  uint64_t sum; /* of the weights of its subtree */
  uint32_t left;
  uint32_t right;
} rank_node;

/* All zero is empty. Node 0 of the array is the empty subtree. */
typedef struct ranks {
  rank_node *nodes;
  uint32_t root;
  uint32_t count;    /* of keys */
  uint32_t used;     /* nodes of the array that were ever taken */
  uint32_t capacity; /* of the array */
  uint32_t free;     /* nodes given back, linked by `left` */
} ranks;

/* A weight that falls to 0 takes its key away; it never falls below. */
void ranks_add(ranks *self, uint64_t key, uint64_t weight);
void ranks_take(ranks *self, uint64_t key, uint64_t weight);

uint64_t ranks_total(const ranks *self);
uint64_t ranks_below(const ranks *self, uint64_t key);    /* keys < key */
uint64_t ranks_at_least(const ranks *self, uint64_t key); /* keys ≥ key */

/* The nearest key on one side, the key itself included; false: none. */
bool ranks_previous(const ranks *self, uint64_t key, uint64_t *found,
                    uint64_t *weight);
bool ranks_next(const ranks *self, uint64_t key, uint64_t *found,
                uint64_t *weight);

void ranks_free(ranks *self);

#endif
