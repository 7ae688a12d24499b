/*
 * Time is this process's own, so that what else the machine runs counts only
 * by what it takes of the caches. It is read twice a round, not an operation.
 */
#include "bench/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 15 };

uint64_t bench_now(void) {
  return (uint64_t)clock() * (UINT64_C(1000000000) / CLOCKS_PER_SEC);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *figures, size_t count) {
  qsort(figures, count, sizeof *figures, by_size);
  return figures[count / 2];
}

void bench_measure(bench_case *cases, size_t count, void *subject,
                   bench_allocs allocs) {
  double(*ns)[ROUNDS] = malloc(count * sizeof *ns);
  if (!ns) abort();
  for (size_t i = 0; i < count; i++) {
    cases[i].run(subject, cases[i].ops); /* warm */
    cases[i].allocs = 0;
  }
  for (size_t round = 0; round < ROUNDS; round++)
    for (size_t i = 0; i < count; i++) {
      uint64_t before = allocs(subject);
      ns[i][round] = (double)cases[i].run(subject, cases[i].ops);
      cases[i].allocs += (double)(allocs(subject) - before);
    }
  for (size_t i = 0; i < count; i++) {
    cases[i].ns = median(ns[i], ROUNDS) / (double)cases[i].ops;
    cases[i].allocs /= (double)(cases[i].ops * ROUNDS);
  }
  free(ns);
}

void bench_head(const char *title) {
  printf("\n%-50s %9s %8s %7s %7s  %s\n", title, "ns", "floor", "ratio",
         "allocs", "aim");
}

static const char *verdict(double figure, double aim) {
  return figure <= aim ? "met" : "MISSED";
}

static void print_aim(const bench_case *at, double ratio) {
  if (at->aim > 0) printf("  <= %.0f ns %s", at->aim, verdict(at->ns, at->aim));
  if (at->aim_ratio > 0)
    printf("  <= %.0fx %s", at->aim_ratio, verdict(ratio, at->aim_ratio));
}

void bench_print(const bench_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const bench_case *at = &cases[i];
    printf("  %-48s %9.1f", at->name, at->ns);
    if (at->floor >= 0) {
      double floor = cases[at->floor].ns, ratio = at->ns / floor;
      printf(" %8.1f %6.1fx %7.3f", floor, ratio, at->allocs);
      print_aim(at, ratio);
    }
    printf("\n");
  }
  fflush(stdout);
}
