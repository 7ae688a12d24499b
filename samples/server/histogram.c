/* A histogram of durations. */
#include "histogram.h"

const uint32_t histogram_bounds[HISTOGRAM_BUCKETS] = {
    100,   250,   500,    1000,   2500,   5000,    10000,
    25000, 50000, 100000, 250000, 500000, 1000000, 5000000,
};

void histogram_add(histogram *self, uint64_t ns) {
  int at = 0;

  while (at < HISTOGRAM_BUCKETS && ns > histogram_bounds[at] * 1000ull)
    at++;
  self->counts[at]++;
  self->count++;
  self->sum_ns += ns;
}
