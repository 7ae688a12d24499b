#include "latency.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DURATIONS = 20000 };

static int by_size(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

  return (x > y) - (x < y);
}

/* Not below what it stands for, and at most 1/32 above. */
static void assert_stands_for(double ms, uint64_t ns) {
  double wanted = (double)ns / 1e6;

  assert_true(ms >= wanted * 0.999999);
  assert_true(ms <= wanted * (1 + 1.0 / 32) + 1e-6);
}

static void test_latency__stands_for_the_sorted_durations(void **state) {
  static const double shares[] = {0.01, 0.5, 0.95, 0.99, 1};
  static uint64_t all[DURATIONS];
  static latency kept;
  test_random random = {test_fresh_seed()};

  (void)state;
  memset(&kept, 0, sizeof kept);
  for (size_t i = 0; i < DURATIONS; i++) {
    all[i] = test_random_next(&random) >> (24 + test_random_below(&random, 40));
    latency_add(&kept, all[i]);
  }
  qsort(all, DURATIONS, sizeof *all, by_size);
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
    assert_stands_for(latency_ms(&kept, shares[i]),
                      all[(size_t)(shares[i] * DURATIONS) - 1]);
  assert_int_equal(kept.count, DURATIONS);
  assert_int_equal(kept.most_ns, all[DURATIONS - 1]);
}

static void test_latency__one_duration_is_all_its_figures(void **state) {
  static const uint64_t durations[] = {0, 1, 31, 32, 63, 64, 65, 1000000};

  (void)state;
  for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
    latency kept = {.count = 0};

    latency_add(&kept, durations[i]);
    assert_stands_for(latency_ms(&kept, 0.5), durations[i]);
    assert_stands_for(latency_ms(&kept, 0.99), durations[i]);
  }
}

static void test_latency__is_nothing_without_durations(void **state) {
  static const latency none;

  (void)state;
  assert_true(latency_ms(&none, 0.5) == 0);
}

static void test_latency__what_is_longer_than_hours_is_kept(void **state) {
  static latency kept;

  (void)state;
  latency_add(&kept, UINT64_MAX);
  assert_int_equal(kept.count, 1);
  assert_int_equal(kept.most_ns, UINT64_MAX);
  assert_true(latency_ms(&kept, 1) > 7200e3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_latency__stands_for_the_sorted_durations),
      cmocka_unit_test(test_latency__one_duration_is_all_its_figures),
      cmocka_unit_test(test_latency__is_nothing_without_durations),
      cmocka_unit_test(test_latency__what_is_longer_than_hours_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
