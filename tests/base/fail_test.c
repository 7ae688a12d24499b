#include "base/fail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

static void test_error__each_code_has_its_name_and_words(void **state) {
  (void)state;
  assert_string_equal(seen_error_name(SEEN_OK), "SEEN_OK");
  assert_string_equal(seen_error_name(SEEN_EINVAL), "SEEN_EINVAL");
  assert_string_equal(seen_error_name(SEEN_ENOTFOUND), "SEEN_ENOTFOUND");
  assert_string_equal(seen_error_text(SEEN_OK), "no error");
  assert_string_equal(seen_error_text(SEEN_ENOMEM), "out of memory");
#define CHECK(name, value, text)                                               \
  assert_int_equal(SEEN_##name, value);                                        \
  assert_string_equal(seen_error_name(value), "SEEN_" #name);                  \
  assert_string_equal(seen_error_text(value), text);
  SEEN_ERROR_MAP(CHECK)
#undef CHECK
}

static void test_error__a_number_that_is_no_code_says_so(void **state) {
  (void)state;
  assert_string_equal(seen_error_name(1), "SEEN_E?");
  assert_string_equal(seen_error_name(-1000), "SEEN_E?");
  assert_string_equal(seen_error_text(1), "unknown error");
}

static void test_error__the_function_does_as_the_initialiser(void **state) {
  seen_error by_macro = SEEN_ERROR_INIT;
  seen_error error;
  (void)state;
  memset(&error, 0xa5, sizeof error);
  seen_error_init(&error);
  assert_memory_equal(&error, &by_macro, sizeof error);
}

static void test_fail__it_writes_the_detail_and_returns_the_code(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  (void)state;
  assert_int_equal(sn_fail(&error, SEEN_ERANGE, "%s: %u", "seq", UINT64_C(7)),
                   SEEN_ERANGE);
  assert_int_equal(error.code, SEEN_ERANGE);
  assert_string_equal(error.message, "seq: 7");
}

static void test_fail__a_caller_may_not_care(void **state) {
  (void)state;
  assert_int_equal(sn_fail(NULL, SEEN_ESTATE, "%s", "x"), SEEN_ESTATE);
  assert_int_equal(sn_fail_memory(NULL), SEEN_ENOMEM);
}

static void test_fail__memory_has_its_own_words(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  (void)state;
  assert_int_equal(sn_fail_memory(&error), SEEN_ENOMEM);
  assert_int_equal(error.code, SEEN_ENOMEM);
  assert_string_equal(error.message, "out of memory");
}

static void test_fail__a_long_message_is_cut_and_stays_utf8(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  char id[301];
  size_t i;
  (void)state;
  for (i = 0; i < 300; i += 3)
    memcpy(id + i, "\xe2\x82\xac", 3);
  id[300] = '\0';
  sn_fail(&error, SEEN_EINVAL, "id %s", id);
  assert_int_equal(strlen(error.message), 255);
  assert_true(sn_utf8_valid(error.message, 255));
  sn_fail(&error, SEEN_EINVAL, "no %s", id + 1);
  assert_int_equal(strlen(error.message), 254);
}

static void test_fail__a_message_is_one_line(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  (void)state;
  sn_fail(&error, SEEN_EPARSE, "no verb: %s", "a\nb");
  assert_string_equal(error.message, "no verb: a b");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_error__each_code_has_its_name_and_words),
      cmocka_unit_test(test_error__a_number_that_is_no_code_says_so),
      cmocka_unit_test(test_error__the_function_does_as_the_initialiser),
      cmocka_unit_test(test_fail__it_writes_the_detail_and_returns_the_code),
      cmocka_unit_test(test_fail__a_caller_may_not_care),
      cmocka_unit_test(test_fail__memory_has_its_own_words),
      cmocka_unit_test(test_fail__a_long_message_is_cut_and_stays_utf8),
      cmocka_unit_test(test_fail__a_message_is_one_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
