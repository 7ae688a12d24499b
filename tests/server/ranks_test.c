/* ranks.c and runs.c against plain arrays. */
#include "ranks.h"
#include "runs.h"
#include "server/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { KEYS = 200 };

typedef struct plain {
  uint64_t weights[KEYS + 2];
  bool in[KEYS + 2];
} plain;

static uint64_t below(const plain *self, uint64_t key) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < key; i++)
    sum += self->weights[i];
  return sum;
}

static void check_neighbours(const plain *self, const ranks *tree,
                             uint64_t key) {
  uint64_t found, weight, at;
  for (at = key; at > 0 && !self->weights[at]; at--) {
  }
  assert_int_equal(ranks_previous(tree, key, &found, &weight),
                   self->weights[at] != 0);
  if (self->weights[at]) {
    assert_int_equal(found, at);
    assert_int_equal(weight, self->weights[at]);
  }
  for (at = key; at < KEYS && !self->weights[at]; at++) {
  }
  assert_int_equal(ranks_next(tree, key, &found, &weight),
                   self->weights[at] != 0);
  if (self->weights[at]) assert_int_equal(found, at);
}

static void test_ranks__sums_are_those_of_a_plain_array(void **state) {
  uint64_t seed = stage_seed();
  plain model = {{0}, {false}};
  ranks tree = {NULL, 0, 0, 0, 0, 0};
  (void)state;
  for (uint64_t i = 0; i < stage_scaled(40000); i++) {
    uint64_t key = stage_random(&seed, KEYS), weight = stage_random(&seed, 4);
    if (stage_random(&seed, 2)) {
      ranks_add(&tree, key, weight);
      model.weights[key] += weight;
    } else {
      ranks_take(&tree, key, weight);
      model.weights[key] -=
          weight < model.weights[key] ? weight : model.weights[key];
    }
    key = stage_random(&seed, KEYS + 1);
    assert_int_equal(ranks_below(&tree, key), below(&model, key));
    assert_int_equal(ranks_at_least(&tree, key),
                     below(&model, KEYS) - below(&model, key));
    check_neighbours(&model, &tree, key);
  }
  ranks_free(&tree);
}

static void test_ranks__a_tree_of_rising_keys_stays_flat(void **state) {
  ranks tree = {NULL, 0, 0, 0, 0, 0};
  uint64_t keys = 200000, found, weight;
  (void)state;
  for (uint64_t key = 1; key <= keys; key++)
    ranks_add(&tree, key, 1);
  uint32_t deepest = 0;
  for (uint64_t key = 1; key <= keys; key += 997) {
    uint32_t depth = 0;
    for (uint32_t at = tree.root; tree.nodes[at].key != key; depth++)
      at =
          tree.nodes[at].key > key ? tree.nodes[at].left : tree.nodes[at].right;
    if (depth > deepest) deepest = depth;
  }
  assert_true(deepest < 60);
  assert_true(ranks_previous(&tree, SEEN_SEQ_MAX, &found, &weight));
  assert_int_equal(found, keys);
  for (uint64_t key = 1; key <= keys; key++)
    ranks_take(&tree, key, 1);
  assert_int_equal(ranks_total(&tree), 0);
  assert_int_equal(tree.count, 0);
  ranks_free(&tree);
}

static uint64_t count_in(const plain *self, uint64_t lo, uint64_t hi) {
  uint64_t count = 0;
  for (uint64_t i = lo + 1; i <= hi; i++)
    count += self->in[i];
  return count;
}

static void check_run(const plain *self, const runs *set, uint64_t seq) {
  seen_run run;
  uint64_t hi = seq, lo;
  while (hi > 0 && !self->in[hi])
    hi--;
  assert_int_equal(runs_has(set, seq), self->in[seq]);
  assert_int_equal(runs_previous(set, seq, &run), hi > 0);
  if (!hi) return;
  for (lo = hi; self->in[lo - 1]; lo--) {
  }
  while (self->in[hi + 1])
    hi++;
  assert_int_equal(run.lo, lo);
  assert_int_equal(run.hi, hi);
}

static void test_runs__a_set_of_seqs_is_that_of_a_plain_array(void **state) {
  uint64_t seed = stage_seed() + 1;
  plain model = {{0}, {false}};
  runs set = {{NULL, 0, 0, 0, 0, 0}};
  (void)state;
  for (uint64_t i = 0; i < stage_scaled(40000); i++) {
    uint64_t seq = 1 + stage_random(&seed, KEYS), act = stage_random(&seed, 40);
    if (act == 0) {
      seq = stage_random(&seed, KEYS / 4);
      runs_drop_to(&set, seq);
      memset(model.in, 0, (size_t)seq + 1);
    } else if (act < 24) {
      runs_add(&set, seq);
      model.in[seq] = true;
    } else {
      runs_remove(&set, seq);
      model.in[seq] = false;
    }
    uint64_t lo = stage_random(&seed, KEYS), hi = stage_random(&seed, KEYS);
    assert_int_equal(runs_count(&set, lo, hi),
                     lo < hi ? count_in(&model, lo, hi) : 0);
    check_run(&model, &set, 1 + stage_random(&seed, KEYS));
  }
  runs_free(&set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ranks__sums_are_those_of_a_plain_array),
      cmocka_unit_test(test_ranks__a_tree_of_rising_keys_stays_flat),
      cmocka_unit_test(test_runs__a_set_of_seqs_is_that_of_a_plain_array),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
