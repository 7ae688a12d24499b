#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <seen/badge.h>

static void assert_text(seen_badge_kind kind, uint64_t unread, uint32_t cap,
                        const char *expected) {
  char text[SEEN_BADGE_MAX];
  memset(text, 'x', sizeof text);
  assert_int_equal(seen_badge_text(kind, unread, cap, text), strlen(expected));
  assert_string_equal(text, expected);
}

static void test_badge__exact_texts(void **state) {
  static const struct {
    uint64_t unread;
    uint32_t cap;
    const char *text;
  } table[] = {
      {0, 99, ""},
      {1, 99, "1"},
      {9, 99, "9"},
      {10, 99, "10"},
      {98, 99, "98"},
      {99, 99, "99"},
      {100, 99, "99+"},
      {101, 99, "99+"},
      {999, 99, "99+"},
      {1000000, 99, "99+"},
      {0, 999, ""},
      {99, 999, "99"},
      {100, 999, "100"},
      {999, 999, "999"},
      {1000, 999, "999+"},
      {1000000, 999, "999+"},
      {1, 1, "1"},
      {2, 1, "1+"},
      {9, 9, "9"},
      {10, 9, "9+"},
      {1, 0, "1"},
      {2, 0, "1+"},
      {0, 0, ""},
      {UINT64_MAX, 99, "99+"},
      {UINT32_MAX, UINT32_MAX, "4294967295"},
      {UINT64_MAX, UINT32_MAX, "4294967295+"},
  };
  size_t i;
  (void)state;
  for (i = 0; i < sizeof table / sizeof *table; i++)
    assert_text(SEEN_BADGE_NUMBER, table[i].unread, table[i].cap,
                table[i].text);
}

static void test_badge__a_dot_or_nothing_shows_no_number(void **state) {
  (void)state;
  assert_text(SEEN_BADGE_DOT_KIND, 0, 99, "\xe2\x80\xa2");
  assert_text(SEEN_BADGE_DOT_KIND, 100, 99, SEEN_BADGE_DOT);
  assert_text(SEEN_BADGE_NONE, 0, 99, "");
  assert_text(SEEN_BADGE_NONE, 100, 99, "");
}

static void test_badge__which_one_a_conversation_wears(void **state) {
  (void)state;
  assert_int_equal(seen_badge_choose(0, false, false), SEEN_BADGE_NONE);
  assert_int_equal(seen_badge_choose(0, true, false), SEEN_BADGE_NONE);
  assert_int_equal(seen_badge_choose(0, false, true), SEEN_BADGE_DOT_KIND);
  assert_int_equal(seen_badge_choose(0, true, true), SEEN_BADGE_DOT_KIND);
  assert_int_equal(seen_badge_choose(3, false, false), SEEN_BADGE_NUMBER);
  assert_int_equal(seen_badge_choose(3, false, true), SEEN_BADGE_NUMBER);
  assert_int_equal(seen_badge_choose(3, true, false), SEEN_BADGE_DOT_KIND);
  assert_int_equal(seen_badge_choose(3, true, true), SEEN_BADGE_DOT_KIND);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_badge__exact_texts),
      cmocka_unit_test(test_badge__a_dot_or_nothing_shows_no_number),
      cmocka_unit_test(test_badge__which_one_a_conversation_wears),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
