#include "support/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FRESH = 0xa5, RELEASED = 0xdd };

#define LIVE UINT64_C(0x6c69766521626c6b)

/* In front of each block; a union, so that the block stays aligned. */
typedef union header {
  struct {
    uint64_t mark;
    size_t size;
  } block;
  max_align_t align;
} header;

static header *header_of(void *memory) {
  header *head = (header *)memory - 1;
  if (head->block.mark != LIVE) fail_msg("not a block that is held");
  return head;
}

static bool fails(test_alloc *memory) {
  memory->calls++;
  if (!memory->fail_at || memory->calls < memory->fail_at) return false;
  if (memory->calls > memory->fail_at && !memory->fail_on) return false;
  memory->failures++;
  return true;
}

static void *take(test_alloc *memory, size_t size) {
  header *head;
  if (size == 0) fail_msg("a block of no size is asked for");
  if (size > SIZE_MAX / 2) return NULL;
  head = malloc(sizeof *head + size);
  if (!head) return NULL;
  head->block.mark = LIVE;
  head->block.size = size;
  memory->blocks++;
  memory->bytes += size;
  if (memory->bytes > memory->most_bytes) memory->most_bytes = memory->bytes;
  return memset(head + 1, FRESH, size);
}

static void give(test_alloc *memory, void *block) {
  header *head = header_of(block);
  memory->blocks--;
  memory->bytes -= head->block.size;
  memset(block, RELEASED, head->block.size);
  head->block.mark = 0;
  free(head);
}

static void *allocate(size_t size, void *user_data) {
  test_alloc *memory = user_data;
  return fails(memory) ? NULL : take(memory, size);
}

static void *resize(void *block, size_t size, void *user_data) {
  test_alloc *memory = user_data;
  size_t old;
  void *moved;
  if (fails(memory)) return NULL;
  moved = take(memory, size);
  if (!block || !moved) return moved;
  old = header_of(block)->block.size;
  memcpy(moved, block, old < size ? old : size);
  give(memory, block);
  return moved;
}

static void release(void *block, void *user_data) {
  if (block) give(user_data, block);
}

void test_alloc_init(test_alloc *memory) {
  memset(memory, 0, sizeof *memory);
  memory->allocator.allocate = allocate;
  memory->allocator.resize = resize;
  memory->allocator.release = release;
  memory->allocator.user_data = memory;
}

void test_alloc_fail(test_alloc *memory, uint64_t n) {
  memory->fail_at = n ? memory->calls + n : 0;
  memory->fail_on = false;
}

void test_alloc_fail_on(test_alloc *memory, uint64_t n) {
  test_alloc_fail(memory, n);
  memory->fail_on = n != 0;
}

void test_alloc_check(const test_alloc *memory) {
  assert_int_equal(memory->blocks, 0);
  assert_int_equal(memory->bytes, 0);
}
