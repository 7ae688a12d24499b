#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <seen/types.h>

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

static void test_version__it_is_that_of_the_headers(void **state) {
  (void)state;
  assert_string_equal(seen_version(), SEEN_VERSION);
}

static void test_version__its_parts_make_the_whole(void **state) {
  (void)state;
  assert_string_equal(seen_version(),
                      TEXT(SEEN_VERSION_MAJOR) "." TEXT(
                          SEEN_VERSION_MINOR) "." TEXT(SEEN_VERSION_PATCH));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_version__it_is_that_of_the_headers),
      cmocka_unit_test(test_version__its_parts_make_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
