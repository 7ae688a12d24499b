#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

uint64_t test_random_next(test_random *random) {
  uint64_t x = random->state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

uint64_t test_random_below(test_random *random, uint64_t limit) {
  return test_random_next(random) % limit;
}

uint64_t test_fresh_seed(void) {
  const char *given = getenv("SEEN_SEED");
  struct timespec now;
  uint64_t seed;
  if (given) {
    seed = strtoull(given, NULL, 10);
  } else {
    timespec_get(&now, TIME_UTC);
    seed = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
  }
  printf("# SEEN_SEED=%llu\n", (unsigned long long)seed);
  fflush(stdout);
  return seed;
}

uint64_t test_scaled(uint64_t count) {
  const char *given = getenv("SEEN_SCALE");
  uint64_t scale = given ? strtoull(given, NULL, 10) : 1;
  if (!scale || scale > count) return scale ? 1 : count;
  return count / scale;
}

time_t test_soak_end(void) {
  const char *seconds = getenv("SEEN_SECONDS");
  return time(NULL) + (seconds ? strtol(seconds, NULL, 10) / TEST_SOAKS : 0);
}
