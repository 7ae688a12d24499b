#include "base/platform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_random__each_time_it_is_another(void **state) {
  uint64_t numbers[64] = {0};
  (void)state;
  for (size_t i = 0; i < 64; i++)
    assert_int_equal(sn_platform_random(&numbers[i], sizeof *numbers, NULL),
                     SEEN_OK);
  for (size_t i = 0; i < 64; i++)
    for (size_t j = 0; j < i; j++)
      assert_int_not_equal(numbers[i], numbers[j]);
}

static void test_random__no_more_than_asked_for(void **state) {
  uint8_t bytes[8];
  (void)state;
  memset(bytes, 7, sizeof bytes);
  assert_int_equal(sn_platform_random(bytes, 0, NULL), SEEN_OK);
  assert_int_equal(sn_platform_random(bytes + 2, 3, NULL), SEEN_OK);
  assert_int_equal(bytes[1], 7);
  assert_int_equal(bytes[5], 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random__each_time_it_is_another),
      cmocka_unit_test(test_random__no_more_than_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
