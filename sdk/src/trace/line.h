/*
 * A line that owns what it points at: parsed from text or unpacked.
 */
#ifndef SN_TRACE_LINE_H
#define SN_TRACE_LINE_H

#include "base/arena.h"

#include <seen/sys/trace.h>

/* An empty line and the arena that ends with it; NULL: no memory. `allocator`
 * NULL is the default one. */
seen_trace_line *sn_line_new(const seen_allocator *allocator, sn_arena **arena);

#endif
