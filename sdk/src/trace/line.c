/* What seen_trace_parse() and sn_unpack_line() give. */
#include "trace/line.h"

#include "base/memory.h"

typedef struct owned_line {
  seen_trace_line line; /* what the caller holds */
  sn_arena arena;
} owned_line;

seen_trace_line *sn_line_new(const seen_allocator *allocator,
                             sn_arena **arena) {
  owned_line *made;

  if (allocator == NULL) allocator = seen_allocator_default();
  made = sn_allocate_zero(allocator, sizeof *made);
  if (made == NULL) return NULL;
  made->line.size = (uint32_t)sizeof made->line;
  sn_arena_init(&made->arena, allocator);
  *arena = &made->arena;
  return &made->line;
}

void seen_trace_line_free(seen_trace_line *line) {
  owned_line *made = (owned_line *)(void *)line;

  if (made == NULL) return;
  sn_arena_free(&made->arena);
  sn_release(made->arena.memory, made);
}
