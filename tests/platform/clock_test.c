#include "base/platform.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_clock__never_goes_back(void **state) {
  uint64_t last = sn_platform_clock();
  (void)state;
  for (int i = 0; i < 10000; i++) {
    uint64_t now = sn_platform_clock();
    assert_true(now >= last);
    last = now;
  }
}

static void test_clock__goes_on(void **state) {
  uint64_t start = sn_platform_clock(), now = start;
  (void)state;
  for (long i = 0; now == start && i < 100000000; i++)
    now = sn_platform_clock();
  assert_in_range(now - start, 1, 1000);
}

static void test_clock__a_date_has_one_shape(void **state) {
  static const char shape[] = "dddddddd*dddddd*";
  char date[SN_DATE_MAX];
  (void)state;
  sn_platform_date(date);
  assert_int_equal(strlen(date), sizeof shape - 1);
  for (size_t i = 0; shape[i]; i++)
    assert_true(shape[i] != 'd' || isdigit((unsigned char)date[i]));
  assert_int_equal(date[8], 'T');
  assert_int_equal(date[15], 'Z');
  assert_true(strncmp(date, "2024", 4) >= 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_clock__never_goes_back),
      cmocka_unit_test(test_clock__goes_on),
      cmocka_unit_test(test_clock__a_date_has_one_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
