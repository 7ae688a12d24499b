#include "wire/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_names__what_a_client_says_has_a_word_and_back(void **s) {
  (void)s;
  for (int say = SN_SAY_HELLO; say <= SN_SAY_SETTINGS; say++)
    assert_int_equal(sn_say_of(sn_say_name((sn_say)say)), say);
  assert_string_equal(sn_say_name(SN_SAY_MARK_UNREAD), "mark_unread");
  assert_string_equal(sn_say_name(SN_SAY_SETTINGS), "settings");
}

static void test_names__frames_and_results_are_found_by_their_words(void **s) {
  (void)s;
  assert_int_equal(sn_frame_type_of("welcome"), SN_FRAME_WELCOME);
  assert_int_equal(sn_frame_type_of("report_now"), SN_FRAME_REPORT_NOW);
  assert_int_equal(sn_frame_type_of("error"), SN_FRAME_ERROR);
  assert_int_equal(sn_result_of("ok"), SN_RESULT_OK);
  assert_int_equal(sn_result_of("refused"), SN_RESULT_REFUSED);
}

static void test_names__another_word_is_unknown(void **s) {
  (void)s;
  assert_int_equal(sn_say_of("admin"), SN_SAY_UNKNOWN);
  assert_int_equal(sn_say_of("?"), SN_SAY_UNKNOWN);
  assert_int_equal(sn_frame_type_of("Welcome"), SN_FRAME_UNKNOWN);
  assert_int_equal(sn_frame_type_of(""), SN_FRAME_UNKNOWN);
  assert_int_equal(sn_result_of("okay"), SN_RESULT_UNKNOWN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names__what_a_client_says_has_a_word_and_back),
      cmocka_unit_test(test_names__frames_and_results_are_found_by_their_words),
      cmocka_unit_test(test_names__another_word_is_unknown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
