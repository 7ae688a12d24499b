/*
 * Memory that is freed all at once: what a parsed line or frame points at.
 */
#ifndef SN_BASE_ARENA_H
#define SN_BASE_ARENA_H

#include <seen/sys/alloc.h>

typedef struct sn_arena_block sn_arena_block;

typedef struct sn_arena {
  const seen_allocator *memory;
  sn_arena_block *blocks; /* the newest first */
} sn_arena;

void sn_arena_init(sn_arena *arena, const seen_allocator *memory);
void sn_arena_free(sn_arena *arena);

/* `count` items of `size` bytes, all zero and aligned for anything; NULL where
 * there is no memory. */
void *sn_arena_allocate(sn_arena *arena, size_t count, size_t size);

char *sn_arena_copy(sn_arena *arena, const char *text);

#endif
