/* A histogram of durations, as Prometheus has them. */
#ifndef SERVER_HISTOGRAM_H
#define SERVER_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_BUCKETS = 14 };

/* Upper bounds, in µs. */
extern const uint32_t histogram_bounds[HISTOGRAM_BUCKETS];

typedef struct histogram {
  uint64_t counts[HISTOGRAM_BUCKETS + 1]; /* the last: above all bounds */
  uint64_t count;
  uint64_t sum_ns;
} histogram;

void histogram_add(histogram *self, uint64_t ns);

#endif
