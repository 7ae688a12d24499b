/* A histogram of durations, by exponent and the five bits behind it. */
#include "latency.h"

enum { FINE_BITS = 5, FINE = 1 << FINE_BITS };

/* The first 32 are exact; from there each power of two has 32. */
static unsigned bucket_of(uint64_t ns) {
  unsigned shift = 0;

  while (ns >> (shift + 1) >= FINE)
    shift++;
  if (ns < FINE) return (unsigned)ns;
  return shift * FINE + (unsigned)(ns >> shift);
}

/* The highest duration that falls into it. */
static uint64_t bound_of(unsigned bucket) {
  unsigned shift;

  if (bucket < 2 * FINE) return bucket;
  shift = bucket / FINE - 1;
  return (((uint64_t)bucket % FINE + FINE + 1) << shift) - 1;
}

void latency_add(latency *self, uint64_t ns) {
  unsigned bucket = bucket_of(ns);

  if (bucket >= LATENCY_BUCKETS) bucket = LATENCY_BUCKETS - 1;
  self->counts[bucket]++;
  self->count++;
  if (ns > self->most_ns) self->most_ns = ns;
}

double latency_ms(const latency *self, double share) {
  uint64_t below = 0, bound = 0;
  double wanted = share * (double)self->count;

  if (self->count == 0) return 0;
  for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
    below += self->counts[i];
    if (self->counts[i] == 0) continue;
    bound = bound_of(i);
    if ((double)below >= wanted) break;
  }
  return (double)(bound < self->most_ns ? bound : self->most_ns) / 1e6;
}
