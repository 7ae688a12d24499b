/*
 * Figures of several cases that are measured in turn, A B C A B C …, so that
 * what else the machine does falls on all of them; each one's median stands in
 * the table, beside that of its floor.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

/* Does `ops` operations and returns how many ns they took. */
typedef uint64_t (*bench_run)(void *subject, size_t ops);

typedef struct bench_case {
  const char *name;
  bench_run run;
  size_t ops;       /* a round */
  int floor;        /* index of its floor among the cases; -1: it is one */
  double aim;       /* ns; 0: none */
  double aim_ratio; /* to the floor; 0: none */
  double ns;        /* measured: the median, an operation */
  double allocs;    /* measured: calls of the allocator, an operation */
} bench_case;

/* Calls of the subject's allocator so far. */
typedef uint64_t (*bench_allocs)(const void *subject);

/* Time that this process ran, in ns, read in steps of a µs or so. */
uint64_t bench_now(void);

void bench_measure(bench_case *cases, size_t count, void *subject,
                   bench_allocs allocs);

void bench_head(const char *title);
void bench_print(const bench_case *cases, size_t count);

#endif
