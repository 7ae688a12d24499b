/* Blocks in a list; a large piece gets a block to itself. */
#include "base/arena.h"

#include "base/memory.h"

#include <stdalign.h>
#include <string.h>

#define BLOCK_SIZE 1024

struct sn_arena_block {
  sn_arena_block *next;
  size_t size;
  size_t used;
  alignas(max_align_t) char bytes[];
};

void sn_arena_init(sn_arena *arena, const seen_allocator *memory) {
  arena->memory = memory;
  arena->blocks = NULL;
}

void sn_arena_free(sn_arena *arena) {
  while (arena->blocks != NULL) {
    sn_arena_block *block = arena->blocks;

    arena->blocks = block->next;
    sn_release(arena->memory, block);
  }
}

static sn_arena_block *add_block(sn_arena *arena, size_t size) {
  sn_arena_block *block;

  if (size < BLOCK_SIZE) size = BLOCK_SIZE;
  if (size > SIZE_MAX - sizeof *block) return NULL;
  block = sn_allocate_zero(arena->memory, sizeof *block + size);
  if (block == NULL) return NULL;
  block->size = size;
  block->next = arena->blocks;
  arena->blocks = block;
  return block;
}

void *sn_arena_allocate(sn_arena *arena, size_t count, size_t size) {
  sn_arena_block *block = arena->blocks;
  size_t left = block != NULL ? block->size - block->used : 0;
  size_t unit = alignof(max_align_t);
  size_t need;
  void *piece;

  if (count > (SIZE_MAX - unit) / size) return NULL;
  need = (count * size + unit - 1) / unit * unit;
  if (need > left) block = add_block(arena, need);
  if (block == NULL) return NULL;
  piece = block->bytes + block->used;
  block->used += need;
  return piece;
}

char *sn_arena_copy(sn_arena *arena, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = sn_arena_allocate(arena, size, 1);

  if (copy != NULL) memcpy(copy, text, size);
  return copy;
}
