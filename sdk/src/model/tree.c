/*
 * Join puts two trees of any heights together by walking down the higher one's
 * inner edge; split takes a tree apart along one path and joins the pieces.
 * Each is O(log n), as the heights joined on a path add up to no more.
 */
#include "model/tree.h"

#include <string.h>

#include "base/memory.h"

void sn_tree_free(const seen_allocator *memory, sn_tree *tree) {
  sn_release(memory, tree->nodes);
  tree->nodes = NULL;
  tree->capacity = 0;
  sn_tree_clear(tree);
}

void sn_tree_clear(sn_tree *tree) {
  tree->root = tree->free = tree->used = tree->count = 0;
}

int sn_tree_reserve(const seen_allocator *memory, sn_tree *tree, size_t nodes) {
  size_t capacity = tree->capacity;
  size_t need = tree->count + nodes + 1;
  if (nodes >= UINT32_MAX - tree->count) return SEEN_ENOMEM;
  if (need <= capacity) return SEEN_OK;
  if (SN_RESERVE(memory, &tree->nodes, &capacity, need)) return SEEN_ENOMEM;
  if (!tree->capacity) memset(tree->nodes, 0, sizeof *tree->nodes);
  tree->capacity = capacity < UINT32_MAX ? (uint32_t)capacity : UINT32_MAX;
  return SEEN_OK;
}

uint32_t sn_tree_take(sn_tree *tree, uint64_t key, uint64_t weight,
                      uint32_t tag) {
  uint32_t at = tree->free;
  if (at)
    tree->free = tree->nodes[at].left;
  else
    at = ++tree->used;
  tree->count++;
  tree->nodes[at] = (sn_tree_node){key, weight, weight, 0, 0, tag, 1};
  return at;
}

void sn_tree_drop(sn_tree *tree, uint32_t subtree) {
  uint32_t right;
  for (; subtree; subtree = right) {
    sn_tree_drop(tree, tree->nodes[subtree].left);
    right = tree->nodes[subtree].right;
    tree->nodes[subtree].left = tree->free;
    tree->free = subtree;
    tree->count--;
  }
}

/* Makes `at` know its children again. */
static void refresh(sn_tree_node *nodes, uint32_t at) {
  sn_tree_node *node = &nodes[at];
  const sn_tree_node *left = &nodes[node->left];
  const sn_tree_node *right = &nodes[node->right];
  node->sum = left->sum + node->weight + right->sum;
  node->height =
      1 + (left->height > right->height ? left->height : right->height);
}

static uint32_t turn_left(sn_tree_node *nodes, uint32_t at) {
  uint32_t up = nodes[at].right;
  nodes[at].right = nodes[up].left;
  nodes[up].left = at;
  refresh(nodes, at);
  refresh(nodes, up);
  return up;
}

static uint32_t turn_right(sn_tree_node *nodes, uint32_t at) {
  uint32_t up = nodes[at].left;
  nodes[at].left = nodes[up].right;
  nodes[up].right = at;
  refresh(nodes, at);
  refresh(nodes, up);
  return up;
}

/* Mends a node whose balanced subtrees differ in height by two at most. */
static uint32_t balance(sn_tree_node *nodes, uint32_t at) {
  sn_tree_node *node = &nodes[at];
  const sn_tree_node *left = &nodes[node->left];
  const sn_tree_node *right = &nodes[node->right];
  if (left->height > right->height + 1) {
    if (nodes[left->right].height > nodes[left->left].height)
      node->left = turn_left(nodes, node->left);
    return turn_right(nodes, at);
  }
  if (right->height > left->height + 1) {
    if (nodes[right->left].height > nodes[right->right].height)
      node->right = turn_right(nodes, node->right);
    return turn_left(nodes, at);
  }
  refresh(nodes, at);
  return at;
}

static uint32_t inserted(sn_tree_node *nodes, uint32_t subtree, uint32_t node) {
  if (!subtree) return node;
  if (nodes[node].key < nodes[subtree].key)
    nodes[subtree].left = inserted(nodes, nodes[subtree].left, node);
  else
    nodes[subtree].right = inserted(nodes, nodes[subtree].right, node);
  return balance(nodes, subtree);
}

void sn_tree_insert(sn_tree *tree, uint32_t node) {
  tree->root = inserted(tree->nodes, tree->root, node);
}

uint32_t sn_tree_join(sn_tree *tree, uint32_t left, uint32_t node,
                      uint32_t right) {
  sn_tree_node *nodes = tree->nodes;
  if (nodes[left].height > nodes[right].height + 1) {
    nodes[left].right = sn_tree_join(tree, nodes[left].right, node, right);
    return balance(nodes, left);
  }
  if (nodes[right].height > nodes[left].height + 1) {
    nodes[right].left = sn_tree_join(tree, left, node, nodes[right].left);
    return balance(nodes, right);
  }
  nodes[node].left = left;
  nodes[node].right = right;
  refresh(nodes, node);
  return node;
}

/* Takes the last node out of a subtree: what is left of it. */
static uint32_t detach_last(sn_tree_node *nodes, uint32_t subtree,
                            uint32_t *last) {
  if (!nodes[subtree].right) {
    *last = subtree;
    return nodes[subtree].left;
  }
  nodes[subtree].right = detach_last(nodes, nodes[subtree].right, last);
  return balance(nodes, subtree);
}

uint32_t sn_tree_join_pair(sn_tree *tree, uint32_t left, uint32_t right) {
  uint32_t last;
  if (!left) return right;
  left = detach_last(tree->nodes, left, &last);
  return sn_tree_join(tree, left, last, right);
}

void sn_tree_split(sn_tree *tree, uint32_t subtree, uint64_t key,
                   uint32_t *below, uint32_t *rest) {
  const sn_tree_node *node;
  uint32_t left;
  uint32_t right;
  if (!subtree) {
    *below = *rest = 0;
    return;
  }
  node = &tree->nodes[subtree];
  left = node->left;
  right = node->right;
  if (node->key < key) {
    sn_tree_split(tree, right, key, &right, rest);
    *below = sn_tree_join(tree, left, subtree, right);
  } else {
    sn_tree_split(tree, left, key, below, &left);
    *rest = sn_tree_join(tree, left, subtree, right);
  }
}

void sn_tree_weigh(sn_tree *tree, uint32_t subtree, uint64_t key,
                   uint64_t more) {
  sn_tree_node *node = &tree->nodes[subtree];
  while (node->key != key) {
    node->sum += more;
    node = &tree->nodes[node->key < key ? node->right : node->left];
  }
  node->weight += more;
  node->sum += more;
}

uint32_t sn_tree_last(const sn_tree *tree, uint32_t subtree) {
  if (!subtree) return 0;
  while (tree->nodes[subtree].right)
    subtree = tree->nodes[subtree].right;
  return subtree;
}
