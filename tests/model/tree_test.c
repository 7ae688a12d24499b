#include "model/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"
#include "support/random.h"

/* The height of a subtree whose order, sums and balance were found right. */
static uint32_t height_of(const sn_tree *tree, uint32_t at, uint64_t *sum,
                          uint32_t *count) {
  const sn_tree_node *node = &tree->nodes[at];
  uint64_t left_sum;
  uint64_t right_sum;
  uint32_t left;
  uint32_t right;
  if (!at) {
    *sum = 0;
    return 0;
  }
  if (node->left) assert_true(tree->nodes[node->left].key < node->key);
  if (node->right) assert_true(tree->nodes[node->right].key > node->key);
  left = height_of(tree, node->left, &left_sum, count);
  right = height_of(tree, node->right, &right_sum, count);
  assert_true(left <= right + 1 && right <= left + 1);
  *sum = left_sum + node->weight + right_sum;
  *count += 1;
  assert_int_equal(node->sum, *sum);
  assert_int_equal(node->height, 1 + (left > right ? left : right));
  return node->height;
}

/* How many nodes a subtree has that is right in itself. */
static uint32_t checked(const sn_tree *tree, uint32_t subtree) {
  uint64_t sum;
  uint32_t count = 0;
  height_of(tree, subtree, &sum, &count);
  return count;
}

static uint32_t node(test_alloc *memory, sn_tree *tree, uint64_t key) {
  assert_int_equal(sn_tree_reserve(&memory->allocator, tree, 1), SEEN_OK);
  return sn_tree_take(tree, key, key, 0);
}

/* A subtree of `count` nodes with keys from `first`, in steps of two. */
static uint32_t grown(test_alloc *memory, sn_tree *tree, uint64_t first,
                      uint32_t count) {
  uint32_t subtree = 0;
  uint32_t i;
  for (i = 0; i < count; i++)
    subtree = sn_tree_join(tree, subtree,
                           node(memory, tree, first + 2 * (uint64_t)i), 0);
  return subtree;
}

static void test_tree__joined_of_any_sizes_it_is_balanced(void **state) {
  test_alloc memory;
  sn_tree tree = {0};
  uint32_t left;
  uint32_t right;
  uint32_t at;
  (void)state;
  test_alloc_init(&memory);
  for (left = 0; left < 70; left++) {
    for (right = 0; right < 70; right++) {
      sn_tree_clear(&tree);
      at = node(&memory, &tree, 1001);
      tree.root = grown(&memory, &tree, 1, left);
      tree.root = sn_tree_join(&tree, tree.root, at,
                               grown(&memory, &tree, 2001, right));
      assert_int_equal(checked(&tree, tree.root), left + 1 + right);
      assert_int_equal(tree.count, left + 1 + right);
    }
  }
  sn_tree_free(&memory.allocator, &tree);
  test_alloc_check(&memory);
}

static void test_tree__joined_as_a_pair_it_is_balanced(void **state) {
  test_alloc memory;
  sn_tree tree = {0};
  uint32_t left;
  uint32_t right;
  (void)state;
  test_alloc_init(&memory);
  for (left = 0; left < 70; left++) {
    for (right = 0; right < 70; right++) {
      sn_tree_clear(&tree);
      assert_int_equal(
          sn_tree_reserve(&memory.allocator, &tree, left + right + 1), SEEN_OK);
      tree.root = grown(&memory, &tree, 1, left);
      tree.root = sn_tree_join_pair(&tree, tree.root,
                                    grown(&memory, &tree, 2001, right));
      assert_int_equal(checked(&tree, tree.root), left + right);
    }
  }
  sn_tree_free(&memory.allocator, &tree);
}

static void test_tree__split_anywhere_both_parts_are_right(void **state) {
  test_alloc memory;
  sn_tree tree = {0};
  uint32_t below;
  uint32_t rest;
  uint64_t key;
  (void)state;
  test_alloc_init(&memory);
  for (key = 0; key <= 402; key++) {
    sn_tree_clear(&tree);
    tree.root = grown(&memory, &tree, 1, 200); /* 1, 3 … 399 */
    sn_tree_split(&tree, tree.root, key, &below, &rest);
    assert_int_equal(checked(&tree, below), key < 400 ? key / 2 : 200);
    assert_int_equal(checked(&tree, rest), key < 400 ? 200 - key / 2 : 0);
    if (below) assert_true(tree.nodes[sn_tree_last(&tree, below)].key < key);
    tree.root = rest;
    if (rest) assert_true(tree.nodes[sn_tree_find(&tree, 0).after].key >= key);
  }
  sn_tree_free(&memory.allocator, &tree);
}

/* The i-th key of keys that rise, fall, close in on a middle, or jump. */
static uint64_t key_of(int order, uint32_t i, test_random *random) {
  switch (order) {
  case 0: return i;
  case 1: return UINT32_MAX - i;
  case 2: return i % 2 ? i : UINT32_MAX - i;
  default: return test_random_next(random);
  }
}

static void test_tree__no_order_of_keys_makes_it_deep(void **state) {
  test_alloc memory;
  sn_tree tree = {0};
  test_random random = {1};
  uint32_t count = (uint32_t)test_scaled(20000);
  uint32_t deepest = 1;
  uint32_t i;
  int order;
  (void)state;
  test_alloc_init(&memory);
  for (i = 1; i < count; i *= 2)
    deepest++;
  deepest = deepest * 145 / 100 + 1;
  for (order = 0; order < 4; order++) {
    sn_tree_clear(&tree);
    for (i = 1; i <= count; i++)
      sn_tree_insert(&tree, node(&memory, &tree, key_of(order, i, &random)));
    assert_int_equal(checked(&tree, tree.root), count);
    assert_true(tree.nodes[tree.root].height <= deepest);
  }
  sn_tree_free(&memory.allocator, &tree);
}

static void test_tree__a_weight_changes_the_sums_above_it(void **state) {
  test_alloc memory;
  sn_tree tree = {0};
  uint64_t sum;
  uint64_t key;
  (void)state;
  test_alloc_init(&memory);
  tree.root = grown(&memory, &tree, 1, 100);
  sum = tree.nodes[tree.root].sum;
  for (key = 1; key < 200; key += 2) {
    sn_tree_weigh(&tree, tree.root, key, 5);
    sn_tree_weigh(&tree, tree.root, key, UINT64_MAX);
    sum += 4;
    assert_int_equal(tree.nodes[tree.root].sum, sum);
    assert_int_equal(checked(&tree, tree.root), 100);
    assert_int_equal(tree.nodes[sn_tree_find(&tree, key).before].weight,
                     key + 4);
  }
  sn_tree_free(&memory.allocator, &tree);
}

static void test_tree__it_finds_the_neighbours_of_a_key(void **state) {
  test_alloc memory;
  sn_tree tree = {0};
  sn_tree_place place;
  uint64_t key;
  (void)state;
  test_alloc_init(&memory);
  place = sn_tree_find(&tree, 7);
  assert_int_equal(place.before, 0);
  assert_int_equal(place.after, 0);
  tree.root = grown(&memory, &tree, 1, 50); /* 1, 3 … 99 */
  assert_int_equal(sn_tree_find(&tree, 0).before, 0);
  assert_int_equal(sn_tree_find(&tree, 99).after, 0);
  for (key = 1; key <= 98; key++) {
    place = sn_tree_find(&tree, key);
    assert_int_equal(tree.nodes[place.before].key, (key - 1) / 2 * 2 + 1);
    assert_int_equal(tree.nodes[place.after].key, (key - 1) / 2 * 2 + 3);
  }
  assert_int_equal(tree.nodes[sn_tree_last(&tree, tree.root)].key, 99);
  assert_int_equal(sn_tree_last(&tree, 0), 0);
  sn_tree_free(&memory.allocator, &tree);
}

static void test_tree__what_was_dropped_is_taken_again(void **state) {
  test_alloc memory;
  sn_tree tree = {0};
  uint64_t calls;
  int round;
  (void)state;
  test_alloc_init(&memory);
  tree.root = grown(&memory, &tree, 1, 100);
  calls = memory.calls;
  for (round = 0; round < 10; round++) {
    uint32_t half;
    sn_tree_split(&tree, tree.root, 101, &half, &tree.root);
    sn_tree_drop(&tree, half);
    assert_int_equal(tree.count, 50);
    half = grown(&memory, &tree, 1, 50);
    tree.root = sn_tree_join_pair(&tree, half, tree.root);
    assert_int_equal(checked(&tree, tree.root), 100);
  }
  assert_int_equal(memory.calls, calls);
  assert_int_equal(tree.used, 100);
  sn_tree_free(&memory.allocator, &tree);
  test_alloc_check(&memory);
}

static void test_tree__a_reserve_that_fails_changes_nothing(void **state) {
  test_alloc memory;
  sn_tree tree = {0};
  sn_tree before;
  (void)state;
  test_alloc_init(&memory);
  tree.root = grown(&memory, &tree, 1, 10);
  before = tree;
  test_alloc_fail(&memory, 1);
  assert_int_equal(sn_tree_reserve(&memory.allocator, &tree, 1000),
                   SEEN_ENOMEM);
  assert_int_equal(sn_tree_reserve(&memory.allocator, &tree, UINT32_MAX),
                   SEEN_ENOMEM);
  assert_int_equal(sn_tree_reserve(&memory.allocator, &tree, SIZE_MAX),
                   SEEN_ENOMEM);
  assert_memory_equal(&tree, &before, sizeof tree);
  assert_int_equal(checked(&tree, tree.root), 10);
  sn_tree_free(&memory.allocator, &tree);
  test_alloc_check(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tree__joined_of_any_sizes_it_is_balanced),
      cmocka_unit_test(test_tree__joined_as_a_pair_it_is_balanced),
      cmocka_unit_test(test_tree__split_anywhere_both_parts_are_right),
      cmocka_unit_test(test_tree__no_order_of_keys_makes_it_deep),
      cmocka_unit_test(test_tree__a_weight_changes_the_sums_above_it),
      cmocka_unit_test(test_tree__it_finds_the_neighbours_of_a_key),
      cmocka_unit_test(test_tree__what_was_dropped_is_taken_again),
      cmocka_unit_test(test_tree__a_reserve_that_fails_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
