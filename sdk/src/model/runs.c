/*
 * A run is a node: its key is `lo`, its weight how many seqs it has. The runs
 * are disjoint, so a seq is in the last run that begins at or below it, or in
 * none.
 */
#include "model/runs.h"

#include <assert.h>

void sn_runs_free(const seen_allocator *memory, sn_runs *runs) {
  sn_tree_free(memory, runs);
}

void sn_runs_clear(sn_runs *runs) {
  sn_tree_clear(runs);
}

int sn_runs_reserve(const seen_allocator *memory, sn_runs *runs,
                    size_t operations) {
  /* One that cuts a run in two and lies between needs two nodes. */
  if (operations > SIZE_MAX / 2) return SEEN_ENOMEM;
  return sn_tree_reserve(memory, runs, 2 * operations);
}

static uint64_t end_of(const sn_tree_node *node) {
  return node->key + (node->weight - 1);
}

/* Takes [lo, hi] out and leaves the runs below and above it. */
static void cut(sn_runs *runs, uint64_t lo, uint64_t hi, uint32_t *below,
                uint32_t *above) {
  uint32_t within;
  uint32_t at;
  uint64_t end;
  sn_tree_split(runs, runs->root, lo, below, &within);
  sn_tree_split(runs, within, hi + 1, &within, above);

  /* What reaches over hi is the last run that begins at or below it. */
  at = sn_tree_last(runs, within ? within : *below);
  end = at ? end_of(&runs->nodes[at]) : 0;
  if (end > hi) {
    uint32_t rest = sn_tree_take(runs, hi + 1, end - hi, runs->nodes[at].tag);
    *above = sn_tree_join(runs, 0, rest, *above);
  }

  /* What reaches over lo ends before it. */
  at = sn_tree_last(runs, *below);
  if (at) {
    const sn_tree_node *node = &runs->nodes[at];
    end = end_of(node);
    if (end >= lo) sn_tree_weigh(runs, *below, node->key, lo - 1 - end);
  }
  sn_tree_drop(runs, within);
}

/* The run at or before `seq`, if it has the tag and reaches up to `seq`. */
static const sn_tree_node *touching(const sn_runs *runs, uint64_t seq,
                                    uint32_t tag) {
  uint32_t at = sn_tree_find(runs, seq).before;
  const sn_tree_node *node = at ? &runs->nodes[at] : NULL;
  return node && node->tag == tag && end_of(node) >= seq ? node : NULL;
}

/* A put that meets other runs: those of its tag that it touches become part of
 * it, and what it covers goes. */
static void merge(sn_runs *runs, uint64_t lo, uint64_t hi, uint32_t tag) {
  const sn_tree_node *before = lo ? touching(runs, lo - 1, tag) : NULL;
  const sn_tree_node *after = touching(runs, hi + 1, tag);
  uint32_t below;
  uint32_t above;
  uint32_t node;
  if (before) lo = before->key;
  if (after) hi = end_of(after);
  cut(runs, lo, hi, &below, &above);
  node = sn_tree_take(runs, lo, hi - lo + 1, tag);
  runs->root = sn_tree_join(runs, below, node, above);
}

void sn_runs_put(sn_runs *runs, uint64_t lo, uint64_t hi, uint32_t tag) {
  sn_tree_place around = sn_tree_find(runs, lo);
  const sn_tree_node *before = &runs->nodes[around.before];
  const sn_tree_node *after = &runs->nodes[around.after];
  bool prolongs =
      around.before && before->tag == tag && end_of(before) + 1 >= lo;
  bool is_free = !around.after || after->key > hi + (after->tag == tag);
  assert(lo <= hi && hi <= SEEN_SEQ_MAX);
  if (prolongs && end_of(before) >= hi) return;
  if (prolongs && is_free)
    sn_tree_weigh(runs, runs->root, before->key, hi - end_of(before));
  else if (is_free && (!around.before || end_of(before) < lo))
    sn_tree_insert(runs, sn_tree_take(runs, lo, hi - lo + 1, tag));
  else
    merge(runs, lo, hi, tag);
}

void sn_runs_remove(sn_runs *runs, uint64_t lo, uint64_t hi) {
  uint32_t below;
  uint32_t above;
  if (!sn_runs_count(runs, lo, hi)) return;
  if (hi > SEEN_SEQ_MAX) hi = SEEN_SEQ_MAX; /* nothing is above */
  cut(runs, lo, hi, &below, &above);
  runs->root = sn_tree_join_pair(runs, below, above);
}

/* How many seqs of the set are at or below `seq`. */
static uint64_t up_to(const sn_runs *runs, uint64_t seq) {
  uint64_t sum = 0;
  uint32_t at = runs->root;
  while (at) {
    const sn_tree_node *node = &runs->nodes[at];
    if (node->key > seq) {
      at = node->left;
      continue;
    }
    sum += runs->nodes[node->left].sum;
    if (end_of(node) >= seq) return sum + (seq - node->key) + 1;
    sum += node->weight;
    at = node->right;
  }
  return sum;
}

uint64_t sn_runs_count(const sn_runs *runs, uint64_t lo, uint64_t hi) {
  if (!runs->root || lo > hi) return 0;
  return up_to(runs, hi) - (lo ? up_to(runs, lo - 1) : 0);
}

bool sn_runs_has(const sn_runs *runs, uint64_t seq) {
  uint32_t at = sn_tree_find(runs, seq).before;
  return at && end_of(&runs->nodes[at]) >= seq;
}

static bool found(const sn_runs *runs, uint32_t at, sn_run *run) {
  const sn_tree_node *node;
  if (!at) return false;
  node = &runs->nodes[at];
  run->lo = node->key;
  run->hi = end_of(node);
  run->tag = node->tag;
  return true;
}

bool sn_runs_next(const sn_runs *runs, uint64_t seq, sn_run *run) {
  sn_tree_place around = sn_tree_find(runs, seq);
  if (around.before && end_of(&runs->nodes[around.before]) >= seq)
    return found(runs, around.before, run);
  return found(runs, around.after, run);
}

bool sn_runs_previous(const sn_runs *runs, uint64_t seq, sn_run *run) {
  return found(runs, sn_tree_find(runs, seq).before, run);
}
