/* Heapsort: no memory, no recursion and no input that makes it quadratic. */
#include "base/sort.h"

#include <assert.h>
#include <string.h>

enum { ITEM_MAX = 64 };

typedef struct sorting {
  unsigned char *items;
  size_t size; /* of an item */
  sn_less less;
  const void *user_data;
} sorting;

static unsigned char *item(const sorting *sort, size_t index) {
  return sort->items + index * sort->size;
}

static bool is_less(const sorting *sort, const void *a, const void *b) {
  return sort->less(a, b, sort->user_data);
}

/* Puts `held` where it belongs in the heap of `count` items below `hole`. */
static void sift(const sorting *sort, size_t hole, size_t count,
                 const void *held) {
  size_t child;
  for (; hole < count / 2; hole = child) {
    child = 2 * hole + 1;
    if (child + 1 < count &&
        is_less(sort, item(sort, child), item(sort, child + 1)))
      child++;
    if (!is_less(sort, held, item(sort, child))) break;
    memcpy(item(sort, hole), item(sort, child), sort->size);
  }
  memcpy(item(sort, hole), held, sort->size);
}

void sn_sort(void *items, size_t count, size_t item_size, sn_less less,
             const void *user_data) {
  sorting sort = {items, item_size, less, user_data};
  /* Aligned as an item is, for `less` reads it as one. */
  union {
    unsigned char bytes[ITEM_MAX];
    max_align_t align;
  } held;
  size_t i;
  assert(item_size <= ITEM_MAX);
  for (i = count / 2; i-- > 0;) {
    memcpy(held.bytes, item(&sort, i), item_size);
    sift(&sort, i, count, held.bytes);
  }
  for (i = count; i-- > 1;) {
    memcpy(held.bytes, item(&sort, i), item_size);
    memcpy(item(&sort, i), item(&sort, 0), item_size);
    sift(&sort, 0, i, held.bytes);
  }
}
