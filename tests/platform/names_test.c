#include "base/platform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_names__an_address_is_its_own(void **state) {
  static const char *const addresses[] = {"127.0.0.1", "::1", "203.0.113.7"};
  sn_address found[SN_ADDRESSES];
  size_t count;
  (void)state;
  for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
    assert_true(sn_platform_is_address(addresses[i]));
    assert_int_equal(sn_platform_resolve(addresses[i], found, &count), SEEN_OK);
    assert_int_equal(count, 1);
    assert_string_equal(found[0].text, addresses[i]);
  }
}

static void test_names__this_host_is_on_loopback(void **state) {
  sn_address found[SN_ADDRESSES];
  size_t count, loops = 0;
  (void)state;
  assert_false(sn_platform_is_address("localhost"));
  assert_int_equal(sn_platform_resolve("localhost", found, &count), SEEN_OK);
  for (size_t i = 0; i < count; i++) {
    loops += !strcmp(found[i].text, "127.0.0.1");
    loops += !strcmp(found[i].text, "::1");
  }
  assert_true(count >= 1);
  assert_int_equal(loops, count); /* each once */
}

static void test_names__a_name_that_is_none_is_not_found(void **state) {
  sn_address found[SN_ADDRESSES];
  size_t count = 7;
  (void)state;
  assert_int_equal(sn_platform_resolve("no such name", found, &count),
                   SEEN_ENOTFOUND);
  assert_int_equal(count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names__an_address_is_its_own),
      cmocka_unit_test(test_names__this_host_is_on_loopback),
      cmocka_unit_test(test_names__a_name_that_is_none_is_not_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
