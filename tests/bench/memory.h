/* How much memory the engine holds, counted through its allocator. */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stddef.h>

/* Measures and prints; `counts` rise. */
void bench_memory(const size_t *counts, size_t sizes);

#endif
