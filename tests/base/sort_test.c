#include "base/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"

enum { MOST = 4096 };

/* `from` is where an item was: a check that none is lost or doubled. */
typedef struct item {
  uint32_t key;
  uint32_t from;
} item;

static uint64_t compared;

/* Total: by key, then by where it was. */
static bool less(const void *a, const void *b, const void *user_data) {
  const item *left = a;
  const item *right = b;
  assert_ptr_equal(user_data, &compared);
  compared++;
  if (left->key != right->key) return left->key < right->key;
  return left->from < right->from;
}

/* Sorts, checks, and that it took no more than 2 n log2 n comparisons. */
static void check(item *items, size_t count) {
  static uint32_t keys[MOST];
  static bool seen[MOST];
  uint64_t limit = 0;
  size_t i;
  for (i = 0; i < count; i++) {
    items[i].from = (uint32_t)i;
    keys[i] = items[i].key;
    seen[i] = false;
  }
  for (i = count; i > 0; i /= 2)
    limit += 2 * count;
  compared = 0;
  sn_sort(items, count, sizeof *items, less, &compared);
  assert_true(compared <= limit);
  for (i = 0; i < count; i++) {
    assert_false(seen[items[i].from]);
    seen[items[i].from] = true;
    assert_int_equal(items[i].key, keys[items[i].from]);
    if (i) assert_true(less(&items[i - 1], &items[i], &compared));
  }
}

static void test_sort__every_order_of_few(void **state) {
  item items[6];
  uint32_t code;
  uint32_t rest;
  size_t count;
  size_t i;
  (void)state;
  for (count = 0; count <= 6; count++) {
    for (code = 0; code < 46656; code++) { /* 6^6 */
      for (i = 0, rest = code; i < count; i++, rest /= 6)
        items[i].key = rest % 6;
      if (!rest) check(items, count);
    }
  }
}

static void test_sort__random_items(void **state) {
  static item items[MOST];
  test_random random = {1};
  uint64_t round;
  size_t count;
  size_t i;
  (void)state;
  for (round = test_scaled(300); round > 0; round--) {
    count = (size_t)test_random_below(&random, MOST + 1);
    for (i = 0; i < count; i++)
      items[i].key = (uint32_t)test_random_below(&random, count);
    check(items, count);
  }
}

static void test_sort__orders_that_others_are_slow_on(void **state) {
  static item items[MOST];
  uint32_t i;
  (void)state;
  for (i = 0; i < MOST; i++)
    items[i].key = i; /* sorted */
  check(items, MOST);
  for (i = 0; i < MOST; i++)
    items[i].key = MOST - i; /* reversed */
  check(items, MOST);
  for (i = 0; i < MOST; i++)
    items[i].key = 0; /* all the same */
  check(items, MOST);
  for (i = 0; i < MOST; i++)
    items[i].key = i < MOST / 2 ? i : MOST - i; /* up and down */
  check(items, MOST);
  for (i = 0; i < MOST; i++)
    items[i].key = i % 64; /* saw teeth */
  check(items, MOST);
  for (i = 0; i < MOST / 2; i++) { /* the killer of median-of-three */
    items[2 * (size_t)i].key = i;
    items[2 * (size_t)i + 1].key = MOST / 2 + i;
  }
  check(items, MOST);
}

static bool byte_less(const void *a, const void *b, const void *user_data) {
  (void)user_data;
  return *(const unsigned char *)a < *(const unsigned char *)b;
}

static void test_sort__items_of_any_size(void **state) {
  unsigned char items[50 * 64];
  size_t size;
  size_t i;
  size_t j;
  (void)state;
  for (size = 1; size <= 64; size++) {
    for (i = 0; i < 50; i++)
      memset(items + i * size, (int)(i * 37 % 50), size);
    sn_sort(items, 50, size, byte_less, NULL);
    for (i = 0; i < 50; i++)
      for (j = 0; j < size; j++)
        assert_int_equal(items[i * size + j], i);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sort__every_order_of_few),
      cmocka_unit_test(test_sort__random_items),
      cmocka_unit_test(test_sort__orders_that_others_are_slow_on),
      cmocka_unit_test(test_sort__items_of_any_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
