/*
 * What runs and ranks stand on: a map from keys to weights that knows the sum
 * of the weights of each subtree.
 *
 * A balanced (AVL) tree in one array with 32-bit links. It is balanced by its
 * shape alone, so no order of keys, not even an attacker's, makes it deeper
 * than 1.45 log2(n); recursion is that deep at most. All but a plain insert
 * is made of join and split.
 */
#ifndef SN_MODEL_TREE_H
#define SN_MODEL_TREE_H

#include <seen/error.h>
#include <seen/sys/alloc.h>
#include <seen/types.h>

typedef struct sn_tree_node {
  uint64_t key;
  uint64_t weight;
  uint64_t sum;  /* of the weights of its subtree */
  uint32_t left; /* smaller keys; 0: none */
  uint32_t right;
  uint32_t tag; /* the owner's */
  uint32_t height;
} sn_tree_node;

/* All zero is an empty tree. Node 0 is the empty subtree. */
typedef struct sn_tree {
  sn_tree_node *nodes;
  uint32_t root;
  uint32_t free;     /* a list of nodes given back, by `left`; 0: none */
  uint32_t used;     /* nodes of the array ever taken since it was cleared */
  uint32_t capacity; /* of the array */
  uint32_t count;    /* nodes in the tree */
} sn_tree;

void sn_tree_free(const seen_allocator *memory, sn_tree *tree);
void sn_tree_clear(sn_tree *tree); /* keeps the memory */

/* After it, `nodes` nodes can be taken. 0, or SEEN_ENOMEM and no change. */
int sn_tree_reserve(const seen_allocator *memory, sn_tree *tree, size_t nodes);

/* A node in no subtree yet; room was reserved. */
uint32_t sn_tree_take(sn_tree *tree, uint64_t key, uint64_t weight,
                      uint32_t tag);

/* Puts a node into the tree; its key is not there. */
void sn_tree_insert(sn_tree *tree, uint32_t node);

/* Gives back a whole subtree. */
void sn_tree_drop(sn_tree *tree, uint32_t subtree);

/* One subtree of `left`, `node` and `right`, whose keys rise in this order. */
uint32_t sn_tree_join(sn_tree *tree, uint32_t left, uint32_t node,
                      uint32_t right);
uint32_t sn_tree_join_pair(sn_tree *tree, uint32_t left, uint32_t right);

/* Cuts a subtree into the keys below `key` and those at or above it. */
void sn_tree_split(sn_tree *tree, uint32_t subtree, uint64_t key,
                   uint32_t *below, uint32_t *rest);

/* Adds to the weight of the node with `key`; modulo 2^64, so it subtracts. */
void sn_tree_weigh(sn_tree *tree, uint32_t subtree, uint64_t key,
                   uint64_t more);

/* The last node of a subtree; 0 if it is empty. */
uint32_t sn_tree_last(const sn_tree *tree, uint32_t subtree);

/* The last node at or below `key` and the first above it; 0: none. */
typedef struct sn_tree_place {
  uint32_t before;
  uint32_t after;
} sn_tree_place;

static inline sn_tree_place sn_tree_find(const sn_tree *tree, uint64_t key) {
  sn_tree_place place = {0, 0};
  uint32_t at = tree->root;
  while (at) {
    const sn_tree_node *node = &tree->nodes[at];
    if (node->key <= key) {
      place.before = at;
      at = node->right;
    } else {
      place.after = at;
      at = node->left;
    }
  }
  return place;
}

#endif
