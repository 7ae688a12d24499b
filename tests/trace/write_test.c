#include "trace/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/line.h"

static seen_trace_line line_of(seen_trace_type type) {
  seen_trace_line line;
  memset(&line, 0, sizeof line);
  line.size = sizeof line;
  line.type = type;
  return line;
}

static seen_trace_line message(void) {
  seen_trace_line line = line_of(SEEN_TRACE_INPUT);
  line.u.input.type = SEEN_INPUT_MESSAGE;
  line.u.input.id = "g";
  line.u.input.u.message.seq = 1;
  line.u.input.u.message.from = "u";
  return line;
}

static void test_write__what_is_the_default_is_left_out(void **s) {
  seen_trace_line line = message();
  (void)s;
  assert_string_equal(line_write(&line),
                      "{\"message\":{\"conv\":\"g\",\"seq\":1,\"from\":"
                      "\"u\"}}");
  line.u.input.u.message.countable = SEEN_COUNTABLE_NO;
  line.u.input.u.message.hidden = true;
  assert_string_equal(line_write(&line),
                      "{\"message\":{\"conv\":\"g\",\"seq\":1,\"from\":"
                      "\"u\",\"countable\":false,\"hidden\":true}}");
}

static void test_write__text_is_escaped(void **s) {
  seen_trace_line line = message();
  (void)s;
  line.u.input.id = "a\"\n\xc3\xa4";
  assert_string_equal(line_write(&line),
                      "{\"message\":{\"conv\":\"a\\\"\\u000a\xc3\xa4\","
                      "\"seq\":1,\"from\":\"u\"}}");
}

static void test_write__a_line_may_be_cut(void **s) {
  seen_trace_line line = message();
  const char *whole = line_write(&line);
  size_t size = strlen(whole);
  char text[100];
  size_t length;
  (void)s;
  assert_int_equal(seen_trace_write(&line, NULL, 0, &length, NULL), SEEN_OK);
  assert_int_equal(length, size);
  assert_int_equal(seen_trace_write(&line, text, 10, &length, NULL), SEEN_OK);
  assert_int_equal(length, size);
  assert_int_equal(strlen(text), 9);
  assert_memory_equal(text, whole, 9);
}

static void test_write__what_a_line_can_t_say_is_refused(void **s) {
  seen_trace_line line = message();
  seen_run run = {5, 3};
  (void)s;
  line.u.input.id = NULL;
  line.u.input.conv = 7;
  line_unwritable(&line, "an id or a text is missing");
  line = message();
  line.u.input.u.message.from = "\xff";
  line_unwritable(&line, "text is not UTF-8");
  line = message();
  line.u.input.u.message.seq = SEEN_SEQ_MAX + 1;
  line_unwritable(&line, "9007199254740992 is too large for a trace");
  line = message();
  line.u.input.u.message.kind = (seen_message_kind)99;
  line_unwritable(&line, "no word for 99 in 'kind'");
  line = message();
  line.has_at = true;
  line.at = UINT64_MAX;
  line_unwritable(&line, "18446744073709551615 is too large for a trace");
  line = message();
  line.u.input.type = SEEN_INPUT_POSITION;
  memset(&line.u.input.u, 0, sizeof line.u.input.u);
  line.u.input.u.word.uncountable = &run;
  line.u.input.u.word.uncountable_count = 1;
  line_unwritable(&line, "a run from 5 down to 3");
}

static void test_write__a_refused_number_in_a_list_is_told(void **s) {
  const seen_receipt_row row = {1, SEEN_SEQ_MAX + 1, 0, 0};
  seen_trace_line line = line_of(SEEN_TRACE_INPUT);
  (void)s;
  line.u.input.type = SEEN_INPUT_RECEIPTS;
  line.u.input.id = "g";
  line.u.input.u.receipts.rows = &row;
  line.u.input.u.receipts.count = 1;
  line_unwritable(&line, "9007199254740992 is too large for a trace");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_write__what_is_the_default_is_left_out),
      cmocka_unit_test(test_write__text_is_escaped),
      cmocka_unit_test(test_write__a_line_may_be_cut),
      cmocka_unit_test(test_write__what_a_line_can_t_say_is_refused),
      cmocka_unit_test(test_write__a_refused_number_in_a_list_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
