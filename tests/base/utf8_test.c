#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool valid(const char *bytes) {
  return sn_utf8_valid(bytes, strlen(bytes));
}

static void test_utf8__characters_of_one_to_four_bytes(void **state) {
  (void)state;
  assert_true(valid(""));
  assert_true(valid("a\x7f"));
  assert_true(valid("\xc2\x80\xdf\xbf"));
  assert_true(valid("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"));
  assert_true(valid("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
  assert_true(sn_utf8_valid("a\0b", 3));
}

static void test_utf8__overlong_forms_are_not(void **state) {
  (void)state;
  assert_false(valid("\xc0\x80"));
  assert_false(valid("\xc1\xbf"));
  assert_false(valid("\xe0\x9f\xbf"));
  assert_false(valid("\xf0\x8f\xbf\xbf"));
}

static void test_utf8__surrogates_and_what_is_too_high_are_not(void **state) {
  (void)state;
  assert_false(valid("\xed\xa0\x80"));
  assert_false(valid("\xed\xbf\xbf"));
  assert_false(valid("\xf4\x90\x80\x80"));
  assert_false(valid("\xf5\x80\x80\x80"));
  assert_false(valid("\xff"));
}

static void test_utf8__pieces_of_characters_are_not(void **state) {
  (void)state;
  assert_false(valid("\x80"));
  assert_false(valid("a\xbf"));
  assert_false(valid("\xc3"));
  assert_false(valid("\xc3(")); /* the second byte is none */
  assert_false(valid("\xe2\x82"));
  assert_false(valid("\xe2\x82("));
  assert_false(valid("\xf0\x9f\x98"));
  assert_false(valid("\xf0\x9f\x98(a"));
  assert_false(sn_utf8_valid("\xe2\x82\xac", 2)); /* more lies behind */
}

static void test_utf8__every_two_bytes_by_the_definition(void **state) {
  unsigned first;
  unsigned second;
  (void)state;
  for (first = 0; first < 256; first++) {
    for (second = 0; second < 256; second++) {
      const char bytes[2] = {(char)first, (char)second};
      bool two =
          first >= 0xc2 && first < 0xe0 && second >= 0x80 && second < 0xc0;
      assert_int_equal(sn_utf8_valid(bytes, 2),
                       two || (first < 0x80 && second < 0x80));
    }
  }
}

static void test_utf8__a_cut_splits_no_character(void **state) {
  const char text[] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z";
  const size_t cuts[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
  size_t most;
  (void)state;
  for (most = 0; most < sizeof cuts / sizeof *cuts; most++)
    assert_int_equal(sn_utf8_cut(text, most), cuts[most]);
}

static void test_utf8__what_is_no_utf8_is_cut_anywhere(void **state) {
  const char text[] = "\x80\x80\x80\x80\x80\x80\x80";
  size_t most;
  (void)state;
  for (most = 0; most < 7; most++)
    assert_int_equal(sn_utf8_cut(text, most), most);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_utf8__characters_of_one_to_four_bytes),
      cmocka_unit_test(test_utf8__overlong_forms_are_not),
      cmocka_unit_test(test_utf8__surrogates_and_what_is_too_high_are_not),
      cmocka_unit_test(test_utf8__pieces_of_characters_are_not),
      cmocka_unit_test(test_utf8__every_two_bytes_by_the_definition),
      cmocka_unit_test(test_utf8__a_cut_splits_no_character),
      cmocka_unit_test(test_utf8__what_is_no_utf8_is_cut_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
