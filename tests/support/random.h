/*
 * Random numbers for tests: the same seed gives the same test. How often a
 * test repeats is divided by SEEN_SCALE; a fresh seed is SEEN_SEED where that
 * is set, and is printed, so that a failure can be had again.
 */
#ifndef TESTS_SUPPORT_RANDOM_H
#define TESTS_SUPPORT_RANDOM_H

#include <stdint.h>
#include <time.h>

typedef struct test_random {
  uint64_t state;
} test_random;

uint64_t test_random_next(test_random *random);

/* 0 … limit - 1; limit is not 0. */
uint64_t test_random_below(test_random *random, uint64_t limit);

uint64_t test_fresh_seed(void);

/* `count` by SEEN_SCALE, 1 at least. */
uint64_t test_scaled(uint64_t count);

/*
 * The tests that go on in a soak, most of them under fresh seeds, and that
 * share its SEEN_SECONDS: two of naive/random_test.c, two of
 * mirror/kill_test.c, one of interleavings/interleavings_test.c, and sim.
 */
enum { TEST_SOAKS = 6 };

/* When a test that begins now has soaked long enough; at once without a soak. */
time_t test_soak_end(void);

#endif
