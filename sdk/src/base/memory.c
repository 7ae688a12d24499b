/* The default allocator is the one place that knows of malloc() and free(). */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void *allocate(size_t size, void *user_data) {
  (void)user_data;
  return malloc(size);
}

static void *resize(void *memory, size_t size, void *user_data) {
  (void)user_data;
  return realloc(memory, size);
}

static void release(void *memory, void *user_data) {
  (void)user_data;
  free(memory);
}

const seen_allocator *seen_allocator_default(void) {
  static const seen_allocator standard = {allocate, resize, release, NULL};
  return &standard;
}

void *sn_allocate(const seen_allocator *memory, size_t size) {
  return memory->allocate(size ? size : 1, memory->user_data);
}

void *sn_allocate_zero(const seen_allocator *memory, size_t size) {
  void *block = sn_allocate(memory, size);
  return block ? memset(block, 0, size) : NULL;
}

void sn_release(const seen_allocator *memory, void *block) {
  if (block) memory->release(block, memory->user_data);
}

char *sn_copy_text(const seen_allocator *memory, const char *text,
                   size_t size) {
  char *copy;
  if (size == SIZE_MAX) return NULL;
  copy = sn_allocate(memory, size + 1);
  if (!copy) return NULL;
  if (size) memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

int sn_reserve(const seen_allocator *memory, void **items, size_t item_size,
               size_t *capacity, size_t need) {
  size_t most = SIZE_MAX / item_size;
  /* The first few items one by one: most arrays stay that small. */
  size_t grown = *capacity + *capacity / 4;
  void *block;
  if (need <= *capacity) return SEEN_OK;
  if (need > most) return SEEN_ENOMEM;
  if (grown < need || grown > most) grown = need;
  /* Whatever `items` points to in truth is a pointer: copied, not aliased. */
  memcpy(&block, items, sizeof block);
  block = memory->resize(block, grown * item_size, memory->user_data);
  if (!block) return SEEN_ENOMEM;
  memcpy(items, &block, sizeof block);
  *capacity = grown;
  return SEEN_OK;
}
