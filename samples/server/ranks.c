#include "ranks.h"

#include "memory.h"

#include <stdlib.h>

static uint64_t priority_of(uint64_t key) {
  key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9;
  key = (key ^ key >> 27) * 0x94d049bb133111eb;
  return key ^ key >> 31;
}

static uint32_t take_node(ranks *self, uint64_t key, uint64_t weight) {
  uint32_t node = self->free;
  if (node) {
    self->free = self->nodes[node].left;
  } else {
    if (!self->used) self->used = 1;
    self->nodes = MUST_GROW(self->nodes, self->used, self->capacity);
    self->nodes[0] = (rank_node){0, 0, 0, 0, 0};
    node = self->used++;
  }
  self->nodes[node] = (rank_node){key, weight, weight, 0, 0};
  self->count++;
  return node;
}

static void give_node(ranks *self, uint32_t node) {
  self->nodes[node].left = self->free;
  self->free = node;
  self->count--;
}

static void sum_up(ranks *self, uint32_t node) {
  rank_node *nodes = self->nodes, *of = &nodes[node];
  of->sum = of->weight + nodes[of->left].sum + nodes[of->right].sum;
}

/* Both return the new root of the subtree. */
static uint32_t lift_left(ranks *self, uint32_t node) {
  uint32_t left = self->nodes[node].left;
  self->nodes[node].left = self->nodes[left].right;
  self->nodes[left].right = node;
  sum_up(self, node);
  return left;
}

static uint32_t lift_right(ranks *self, uint32_t node) {
  uint32_t right = self->nodes[node].right;
  self->nodes[node].right = self->nodes[right].left;
  self->nodes[right].left = node;
  sum_up(self, node);
  return right;
}

static bool is_above(const ranks *self, uint32_t a, uint32_t b) {
  return priority_of(self->nodes[a].key) > priority_of(self->nodes[b].key);
}

static uint32_t add(ranks *self, uint32_t node, uint64_t key, uint64_t weight) {
  if (!node) return take_node(self, key, weight);
  if (key == self->nodes[node].key) {
    self->nodes[node].weight += weight;
  } else if (key < self->nodes[node].key) {
    uint32_t left = add(self, self->nodes[node].left, key, weight);
    self->nodes[node].left = left;
    if (is_above(self, left, node)) node = lift_left(self, node);
  } else {
    uint32_t right = add(self, self->nodes[node].right, key, weight);
    self->nodes[node].right = right;
    if (is_above(self, right, node)) node = lift_right(self, node);
  }
  sum_up(self, node);
  return node;
}

/* All keys of `a` are below all of `b`. */
static uint32_t join(ranks *self, uint32_t a, uint32_t b) {
  if (!a || !b) return a ? a : b;
  if (is_above(self, a, b)) {
    self->nodes[a].right = join(self, self->nodes[a].right, b);
    sum_up(self, a);
    return a;
  }
  self->nodes[b].left = join(self, a, self->nodes[b].left);
  sum_up(self, b);
  return b;
}

static uint32_t take(ranks *self, uint32_t node, uint64_t key,
                     uint64_t weight) {
  rank_node *of = &self->nodes[node];
  if (!node) return 0;
  if (key == of->key) {
    if (weight >= of->weight) {
      uint32_t rest = join(self, of->left, of->right);
      give_node(self, node);
      return rest;
    }
    of->weight -= weight;
  } else if (key < of->key) {
    of->left = take(self, of->left, key, weight);
  } else {
    of->right = take(self, of->right, key, weight);
  }
  sum_up(self, node);
  return node;
}

void ranks_add(ranks *self, uint64_t key, uint64_t weight) {
  if (weight) self->root = add(self, self->root, key, weight);
}

void ranks_take(ranks *self, uint64_t key, uint64_t weight) {
  if (self->root && weight) self->root = take(self, self->root, key, weight);
}

uint64_t ranks_total(const ranks *self) {
  return self->root ? self->nodes[self->root].sum : 0;
}

uint64_t ranks_below(const ranks *self, uint64_t key) {
  uint64_t sum = 0;
  for (uint32_t node = self->root; node;) {
    const rank_node *of = &self->nodes[node];
    if (of->key < key) {
      sum += of->weight + self->nodes[of->left].sum;
      node = of->right;
    } else {
      node = of->left;
    }
  }
  return sum;
}

uint64_t ranks_at_least(const ranks *self, uint64_t key) {
  return ranks_total(self) - ranks_below(self, key);
}

bool ranks_previous(const ranks *self, uint64_t key, uint64_t *found,
                    uint64_t *weight) {
  uint32_t best = 0;
  for (uint32_t node = self->root; node;) {
    const rank_node *of = &self->nodes[node];
    if (of->key <= key) best = node;
    node = of->key <= key ? of->right : of->left;
  }
  if (!best) return false;
  *found = self->nodes[best].key;
  *weight = self->nodes[best].weight;
  return true;
}

bool ranks_next(const ranks *self, uint64_t key, uint64_t *found,
                uint64_t *weight) {
  uint32_t best = 0;
  for (uint32_t node = self->root; node;) {
    const rank_node *of = &self->nodes[node];
    if (of->key >= key) best = node;
    node = of->key >= key ? of->left : of->right;
  }
  if (!best) return false;
  *found = self->nodes[best].key;
  *weight = self->nodes[best].weight;
  return true;
}

void ranks_free(ranks *self) {
  free(self->nodes);
  *self = (ranks){NULL, 0, 0, 0, 0, 0};
}
