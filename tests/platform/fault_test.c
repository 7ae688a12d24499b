#include "base/platform.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_fault__each_number_has_its_code(void **state) {
  (void)state;
  assert_int_equal(sn_platform_code(ENOSPC), SEEN_EFULL);
  assert_int_equal(sn_platform_code(EACCES), SEEN_EREADONLY);
  assert_int_equal(sn_platform_code(EROFS), SEEN_EREADONLY);
  assert_int_equal(sn_platform_code(ENOENT), SEEN_EREADONLY);
  assert_int_equal(sn_platform_code(ENOMEM), SEEN_ENOMEM);
  assert_int_equal(sn_platform_code(EIO), SEEN_EIO);
}

static void test_fault__what_is_not_known_is_a_failing_disk(void **state) {
  (void)state;
  assert_int_equal(sn_platform_code(0), SEEN_EIO);
  assert_int_equal(sn_platform_code(-1), SEEN_EIO);
}

static void test_fault__it_is_told_in_the_systems_words(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  (void)state;
  assert_int_equal(
      sn_platform_fail(SEEN_EIO, "can't open", "a.db", ENOENT, &error),
      SEEN_EIO);
  assert_string_equal(error.message,
                      "can't open a.db: No such file or directory");
  sn_platform_fail(SEEN_EIO, "no pipe", NULL, EMFILE, &error);
  assert_string_equal(error.message, "no pipe: Too many open files");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fault__each_number_has_its_code),
      cmocka_unit_test(test_fault__what_is_not_known_is_a_failing_disk),
      cmocka_unit_test(test_fault__it_is_told_in_the_systems_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
