/* A node is a seq, its weight how many times the seq is there. */
#include "model/ranks.h"

#include <assert.h>

void sn_ranks_free(const seen_allocator *memory, sn_ranks *ranks) {
  sn_tree_free(memory, ranks);
}

void sn_ranks_clear(sn_ranks *ranks) {
  sn_tree_clear(ranks);
}

int sn_ranks_reserve(const seen_allocator *memory, sn_ranks *ranks,
                     size_t operations) {
  return sn_tree_reserve(memory, ranks, operations);
}

/* The node of a seq; 0 where it is not there. */
static uint32_t node_of(const sn_ranks *ranks, uint64_t seq) {
  uint32_t at = sn_tree_find(ranks, seq).before;
  return at && ranks->nodes[at].key == seq ? at : 0;
}

void sn_ranks_add(sn_ranks *ranks, uint64_t seq) {
  if (node_of(ranks, seq))
    sn_tree_weigh(ranks, ranks->root, seq, 1);
  else
    sn_tree_insert(ranks, sn_tree_take(ranks, seq, 1, 0));
}

void sn_ranks_remove(sn_ranks *ranks, uint64_t seq) {
  uint32_t at = node_of(ranks, seq);
  uint32_t below;
  uint32_t node;
  uint32_t above;
  assert(at);
  if (ranks->nodes[at].weight > 1) {
    sn_tree_weigh(ranks, ranks->root, seq, UINT64_MAX); /* one less */
    return;
  }
  sn_tree_split(ranks, ranks->root, seq, &below, &node);
  sn_tree_split(ranks, node, seq + 1, &node, &above);
  sn_tree_drop(ranks, node);
  ranks->root = sn_tree_join_pair(ranks, below, above);
}

uint64_t sn_ranks_at_least(const sn_ranks *ranks, uint64_t seq) {
  uint64_t sum = 0;
  uint32_t at = ranks->root;
  while (at) {
    const sn_tree_node *node = &ranks->nodes[at];
    if (node->key < seq) {
      at = node->right;
      continue;
    }
    sum += ranks->nodes[node->right].sum + node->weight;
    at = node->left;
  }
  return sum;
}

uint64_t sn_ranks_total(const sn_ranks *ranks) {
  return ranks->root ? ranks->nodes[ranks->root].sum : 0;
}
