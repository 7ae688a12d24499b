/*
 * Durations, as a histogram of fixed buckets: 32 to each power of two, so that
 * a figure is at most 3 % above what it stands for, from 1 ns to hours.
 */
#ifndef LOAD_LATENCY_H
#define LOAD_LATENCY_H

#include <stdint.h>

enum { LATENCY_BUCKETS = 40 * 32 };

typedef struct latency {
  uint64_t counts[LATENCY_BUCKETS];
  uint64_t count;
  uint64_t most_ns;
} latency;

void latency_add(latency *self, uint64_t ns);

/* Up to which `share` of them lie, in ms; 0: there are none. */
double latency_ms(const latency *self, double share);

#endif
