#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static sn_json *parse(const char *text) {
  sn_json *json;
  assert_int_equal(sn_json_parse(text, strlen(text), &json, NULL), SEEN_OK);
  return json;
}

static void refused(const char *text, size_t size, const char *message) {
  seen_error error = SEEN_ERROR_INIT;
  sn_json *json;
  assert_int_equal(sn_json_parse(text, size, &json, &error), SEEN_EPARSE);
  assert_null(json);
  assert_string_equal(error.message, message);
}

/* Whether a number's text has a value, which is then `expected`. */
static bool has_value(const char *text, uint64_t expected) {
  sn_json *json = parse(text);
  uint64_t number = 77;
  bool has = sn_json_number(json, &number);
  assert_int_equal(number, has ? expected : 77);
  sn_json_free(json);
  return has;
}

static void test_number__each_integer_to_the_highest_seq_is_exact(void **s) {
  (void)s;
  assert_true(has_value("0", 0));
  assert_true(has_value("7", 7));
  assert_true(has_value("9007199254740990", UINT64_C(9007199254740990)));
  assert_true(has_value("9007199254740991", UINT64_C(9007199254740991)));
}

static void test_number__what_is_no_integer_or_too_high_has_no_value(void **s) {
  (void)s;
  assert_false(has_value("9007199254740992", 0));
  assert_false(has_value("9007199254740993", 0));
  assert_false(has_value("18446744073709551616", 0));
  assert_false(has_value("99999999999999999999999999999999", 0));
  assert_false(has_value("-1", 0));
  assert_false(has_value("-0", 0));
  assert_false(has_value("1.0", 0));
  assert_false(has_value("0.99999999999999999999", 0));
  assert_false(has_value("9007199254740990.6", 0));
  assert_false(has_value("1e3", 0));
  assert_false(has_value("\"1\"", 0));
  assert_false(has_value("true", 0));
}

static void test_number__each_of_many_keeps_its_own(void **s) {
  sn_json *json = parse("{\"1\":[2,\"3\",{\"a\\\"4\":5}],\"b\":-6,\"c\":7}");
  const sn_json *list = sn_json_first(json);
  uint64_t number;
  (void)s;
  assert_int_equal(sn_json_count(json), 3);
  assert_string_equal(sn_json_name(list), "1");
  assert_int_equal(sn_json_count(list), 3);
  assert_true(sn_json_number(sn_json_first(list), &number));
  assert_int_equal(number, 2);
  list = sn_json_next(sn_json_next(sn_json_first(list)));
  assert_true(sn_json_number(sn_json_first(list), &number));
  assert_int_equal(number, 5);
  assert_false(sn_json_number(sn_json_member(json, "b"), &number));
  assert_true(sn_json_number(sn_json_member(json, "c"), &number));
  assert_int_equal(number, 7);
  assert_null(sn_json_member(json, "d"));
  assert_null(sn_json_member(json, "B"));
  sn_json_free(json);
}

static void test_number__the_grammar_is_json_s(void **s) {
  const char *bad[] = {"01", "1.", ".5", "1.e3", "1e", "1e+", "-", "--1"};
  size_t i;
  (void)s;
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    sn_json *json;
    assert_int_equal(sn_json_parse(bad[i], strlen(bad[i]), &json, NULL),
                     SEEN_EPARSE);
  }
  refused("[1,01]", 6, "a malformed number in column 6");
}

static void test_type__each_value_has_one(void **s) {
  const struct {
    const char *text;
    sn_json_type type;
  } values[] = {{"null", SN_JSON_NULL}, {"true", SN_JSON_BOOL},
                {"1", SN_JSON_NUMBER},  {"\"\"", SN_JSON_TEXT},
                {"[]", SN_JSON_LIST},   {" {} \r\n", SN_JSON_OBJECT}};
  size_t i;
  (void)s;
  for (i = 0; i < sizeof values / sizeof *values; i++) {
    sn_json *json = parse(values[i].text);
    assert_int_equal(sn_json_type_of(json), values[i].type);
    sn_json_free(json);
  }
}

static void test_bool__only_true_and_false_are(void **s) {
  sn_json *json = parse("[true,false,1]");
  const sn_json *item = sn_json_first(json);
  bool value = false;
  (void)s;
  assert_true(sn_json_bool(item, &value) && value);
  item = sn_json_next(item);
  assert_true(sn_json_bool(item, &value) && !value);
  assert_false(sn_json_bool(sn_json_next(item), &value));
  sn_json_free(json);
}

static void test_text__escapes_are_resolved(void **s) {
  sn_json *json = parse("\"a\\n\\u00e4\\ud83d\\ude00\\/\"");
  const char *text;
  (void)s;
  assert_true(sn_json_text(json, &text));
  assert_string_equal(text, "a\n\xc3\xa4\xf0\x9f\x98\x80/");
  sn_json_free(json);
}

static void test_parse__what_is_no_json_is_refused(void **s) {
  const char *bad[] = {
      "",      " ",          "{",           "}",    "[1,]", "{]",
      "{1:2}", "{\"a\"}",    "\"",          "nul",  "'a'",  "[1 2]",
      "1 2",   "{\"a\":1}x", "\"\\ud83d\"", "True", "[1]]", "\xef\xbb\xbf{}"};
  size_t i;
  (void)s;
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    sn_json *json;
    if (sn_json_parse(bad[i], strlen(bad[i]), &json, NULL) != SEEN_EPARSE)
      fail_msg("'%s' was taken", bad[i]);
  }
}

static void test_parse__it_says_what_is_wrong_and_where(void **s) {
  (void)s;
  refused("[\"a\\x\"]", 7, "a bad escape in column 4");
  refused("[\"a\\u0000\"]", 11, "a bad escape in column 4");
  refused("[\"a\\u00g0\"]", 11, "a bad escape in column 4");
  refused("[\"a\tb\"]", 7, "a control character in column 4");
  refused("[\"a", 3, "text without an end in column 4");
  refused("[\"\xff\"]", 5, "text that is no UTF-8, which ends in column 4");
  refused("[\xc3\xa4]", 4, "a stray byte in column 2");
  refused("[\0]", 3, "a stray byte in column 2");
  refused("{\"a\":1,}", 8, "no JSON in column 8");
}

static void test_parse__text_is_read_to_its_size_only(void **s) {
  sn_json *json;
  (void)s;
  assert_int_equal(sn_json_parse("12345", 2, &json, NULL), SEEN_OK);
  sn_json_free(json);
  assert_int_equal(sn_json_parse("[1]", 2, &json, NULL), SEEN_EPARSE);
}

static void test_parse__nesting_has_a_bound(void **s) {
  char text[2 * SN_JSON_DEPTH_MAX + 3];
  size_t depth = SN_JSON_DEPTH_MAX;
  sn_json *json;
  (void)s;
  memset(text, '[', depth);
  memset(text + depth, ']', depth);
  assert_int_equal(sn_json_parse(text, 2 * depth, &json, NULL), SEEN_OK);
  sn_json_free(json);
  depth++;
  memset(text, '[', depth);
  memset(text + depth, ']', depth);
  refused(text, 2 * depth, "too deep a nesting in column 17");
}

static void write_is(const char *text, const char *expected) {
  char bytes[64];
  sn_text out;
  sn_text_fixed(&out, bytes, sizeof bytes);
  assert_true(sn_json_write_text(&out, text));
  assert_string_equal(bytes, expected);
}

static void
test_write_text__quotes_and_control_characters_are_escaped(void **s) {
  (void)s;
  write_is("", "\"\"");
  write_is("g_1", "\"g_1\"");
  write_is("\"a\\b\n\x1f"
           "c\"",
           "\"\\\"a\\\\b\\u000a\\u001fc\\\"\"");
  write_is("\xe2\x80\xa2", "\"\xe2\x80\xa2\"");
}

static void test_write_text__bytes_that_are_no_utf8_are_told(void **s) {
  char bytes[8];
  sn_text out;
  (void)s;
  sn_text_fixed(&out, bytes, sizeof bytes);
  assert_false(sn_json_write_text(&out, "\xc3"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_number__each_integer_to_the_highest_seq_is_exact),
      cmocka_unit_test(
          test_number__what_is_no_integer_or_too_high_has_no_value),
      cmocka_unit_test(test_number__each_of_many_keeps_its_own),
      cmocka_unit_test(test_number__the_grammar_is_json_s),
      cmocka_unit_test(test_type__each_value_has_one),
      cmocka_unit_test(test_bool__only_true_and_false_are),
      cmocka_unit_test(test_text__escapes_are_resolved),
      cmocka_unit_test(test_parse__what_is_no_json_is_refused),
      cmocka_unit_test(test_parse__it_says_what_is_wrong_and_where),
      cmocka_unit_test(test_parse__text_is_read_to_its_size_only),
      cmocka_unit_test(test_parse__nesting_has_a_bound),
      cmocka_unit_test(
          test_write_text__quotes_and_control_characters_are_escaped),
      cmocka_unit_test(test_write_text__bytes_that_are_no_utf8_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
