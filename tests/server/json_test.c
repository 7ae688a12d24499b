/* json.c: what is let in, and as what. */
#include "json.h"
#include "server/stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bool parses(const char *text) {
  const char *why = NULL;
  json *value = json_parse(text, strlen(text), 8, &why);
  assert_int_equal(value == NULL, why != NULL);
  json_free(value);
  return value != NULL;
}

static void test_json__what_is_no_json_is_refused(void **state) {
  static const char *const bad[] = {"",
                                    "{",
                                    "{} x",
                                    "[1,]",
                                    "{\"a\":}",
                                    "nul",
                                    "{\"a\":1 \"b\":2}",
                                    "\"open",
                                    "{\"a\":\"\n\"}",
                                    "{\"a\":\"\x01\"}"};
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_false(parses(bad[i]));
  assert_true(parses(" {\"a\": [1, true, null, \"x\"]} \n"));
}

static void test_json__text_is_utf8_without_nul(void **state) {
  (void)state;
  assert_true(parses("\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""));
  assert_false(parses("\"\xc3\""));
  assert_false(parses("\"\xc0\xaf\""));
  assert_false(parses("\"\xed\xa0\x80\""));
  assert_false(parses("\"\xf5\x80\x80\x80\""));
  assert_false(parses("\"a\\u0000b\""));
  assert_true(parses("\"a\\\\u0000b\""));
  const char *why;
  assert_null(json_parse("\"a\0b\"", 5, 8, &why));
}

static void test_json__depth_and_members_are_bounded(void **state) {
  char many[2048] = "{";
  (void)state;
  assert_true(parses("[[[[[[[[1]]]]]]]]"));
  assert_false(parses("[[[[[[[[[1]]]]]]]]]"));
  assert_true(parses("{\"a\":\"[[[[[[[[[[[[\"}"));
  for (int i = 0; i < 40; i++)
    snprintf(many + strlen(many), 32, "%s\"k%d\":1", i ? "," : "", i);
  strcat(many, "}");
  assert_false(parses(many));
}

static void test_json__a_name_twice_is_refused(void **state) {
  (void)state;
  assert_false(parses("{\"a\":1,\"a\":2}"));
  assert_false(parses("{\"x\":[{\"a\":1,\"b\":2,\"a\":1}]}"));
  assert_true(parses("{\"a\":1,\"A\":2,\"b\":{\"a\":3}}"));
}

static bool number_of(const char *text, uint64_t *number) {
  const char *why;
  json *value = json_parse(text, strlen(text), 8, &why);
  bool is = json_is_number(value, number);
  json_free(value);
  return is;
}

static void test_json__numbers_are_whole_and_below_2_53(void **state) {
  uint64_t number;
  (void)state;
  assert_true(number_of("9007199254740991", &number));
  assert_int_equal(number, SEEN_SEQ_MAX);
  assert_true(number_of("0", &number));
  assert_false(number_of("9007199254740992", &number));
  assert_false(number_of("-1", &number));
  assert_false(number_of("1.5", &number));
  assert_false(number_of("1e300", &number));
  assert_false(number_of("\"1\"", &number));
  assert_false(number_of("true", &number));
  assert_false(json_is_number(NULL, &number));
}

static bool is_name(const char *text) {
  const char *why;
  json *value = json_parse(text, strlen(text), 8, &why);
  bool is = json_is_name(value) != NULL;
  json_free(value);
  return is;
}

static void test_json__names_are_short_and_plain(void **state) {
  char longest[70] = "\"";
  (void)state;
  memset(longest + 1, 'x', 64);
  strcpy(longest + 65, "\"");
  assert_true(is_name(longest));
  strcpy(longest + 65, "y\"");
  assert_false(is_name(longest));
  assert_false(is_name("\"\""));
  assert_false(is_name("\"a\\nb\""));
  assert_false(is_name("\"a\\u007fb\""));
  assert_false(is_name("7"));
  assert_true(is_name("\"d:\xc3\xa9\""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_json__what_is_no_json_is_refused),
      cmocka_unit_test(test_json__text_is_utf8_without_nul),
      cmocka_unit_test(test_json__depth_and_members_are_bounded),
      cmocka_unit_test(test_json__a_name_twice_is_refused),
      cmocka_unit_test(test_json__numbers_are_whole_and_below_2_53),
      cmocka_unit_test(test_json__names_are_short_and_plain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
