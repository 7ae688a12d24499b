#include "trace/field.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/line.h"

/* Fields are read the same way in all lines; these show each type. */

static void test_object__a_field_that_is_not_in_the_table_is_refused(void **s) {
  (void)s;
  line_refused("{\"open\":{\"conv\":\"g\",\"x\":1}}",
               "unknown field 'x' in open");
  line_refused("{\"open\":{\"conv\":\"g\",\"Conv\":\"g\"}}",
               "unknown field 'Conv' in open");
  line_refused("{\"tick\":{\"at\":1}}", "unknown field 'at' in tick");
}

static void test_object__a_long_name_is_cut_between_characters(void **s) {
  char name[102] = "a";
  char text[200];
  char message[200];
  size_t i;
  (void)s;
  for (i = 1; i < 101; i += 2)
    memcpy(name + i, "\xc3\xa4", 3);
  snprintf(text, sizeof text, "{\"tick\":{\"%s\":1}}", name);
  name[63] = '\0';
  snprintf(message, sizeof message, "unknown field '%s' in tick", name);
  line_refused(text, message);
}

static void test_object__a_field_stands_there_once(void **s) {
  (void)s;
  line_refused("{\"open\":{\"conv\":\"g\",\"conv\":\"g\"}}",
               "field 'conv' twice in open");
}

static void test_object__what_is_required_must_be_there(void **s) {
  (void)s;
  line_refused("{\"open\":{}}", "missing field 'conv' in open");
  line_refused("{\"position\":{\"conv\":\"g\",\"last_seq\":1,"
               "\"read\":{\"epoch\":0}}}",
               "missing field 'seq' in read");
}

static void test_object__it_is_an_object(void **s) {
  (void)s;
  line_refused("{\"open\":\"g\"}", "open is not an object");
  line_refused("{\"tick\":[]}", "tick is not an object");
  line_refused("{\"me\":{\"user\":\"u\",\"policy\":1}}",
               "policy is not an object");
}

static void test_number__it_is_an_integer_in_its_range(void **s) {
  const char *message =
      "bad 'seq' in mark_read: not an integer from 0 to 9007199254740991";
  (void)s;
  line_refused("{\"mark_read\":{\"conv\":\"g\",\"seq\":-1}}", message);
  line_refused("{\"mark_read\":{\"conv\":\"g\",\"seq\":1.5}}", message);
  line_refused("{\"mark_read\":{\"conv\":\"g\",\"seq\":\"1\"}}", message);
  line_refused("{\"mark_read\":{\"conv\":\"g\",\"seq\":true}}", message);
  line_refused("{\"mark_read\":{\"conv\":\"g\",\"seq\":null}}", message);
  line_refused("{\"mark_read\":{\"conv\":\"g\",\"seq\":9007199254740992}}",
               message);
  line_check("{\"mark_read\":{\"conv\":\"g\",\"seq\":9007199254740991}}");
}

static void test_number__a_seq_is_from_1(void **s) {
  (void)s;
  line_refused("{\"message\":{\"conv\":\"g\",\"seq\":0,\"from\":\"u\"}}",
               "bad 'seq' in message: not an integer from 1 to "
               "9007199254740991");
}

static void test_number__a_small_one_has_32_bits(void **s) {
  const char *message =
      "bad 'cap' in policy: not an integer from 0 to 4294967295";
  (void)s;
  line_refused("{\"me\":{\"user\":\"u\",\"policy\":{\"cap\":4294967296}}}",
               message);
  line_refused("{\"me\":{\"user\":\"u\",\"policy\":{\"cap\":false}}}", message);
  line_check("{\"me\":{\"user\":\"u\",\"policy\":{\"cap\":4294967295}}}");
}

static void test_bool__a_number_is_none(void **s) {
  (void)s;
  line_refused("{\"mute\":{\"conv\":\"g\",\"on\":1}}",
               "bad 'on' in mute: not true or false");
  line_refused("{\"focus\":\"true\"}",
               "bad 'focus' in the line: not true or false");
}

static void test_text__an_id_has_1_to_255_bytes(void **s) {
  char text[300];
  char id[257];
  (void)s;
  line_refused("{\"open\":{\"conv\":7}}", "bad 'conv' in open: not text");
  line_refused("{\"open\":{\"conv\":\"\"}}",
               "bad 'conv' in open: not 1 to 255 bytes");
  memset(id, 'x', sizeof id);
  id[256] = '\0';
  snprintf(text, sizeof text, "{\"open\":{\"conv\":\"%s\"}}", id);
  line_refused(text, "bad 'conv' in open: not 1 to 255 bytes");
  id[255] = '\0';
  snprintf(text, sizeof text, "{\"open\":{\"conv\":\"%s\"}}", id);
  line_check(text);
}

static void test_word__only_those_of_its_kind(void **s) {
  const char *form =
      "{\"message\":{\"conv\":\"g\",\"seq\":1,\"from\":\"u\",\"kind\":%s}}";
  char text[100];
  (void)s;
  snprintf(text, sizeof text, form, "\"group\"");
  line_refused(text, "bad 'kind' in message: no such word");
  snprintf(text, sizeof text, form, "\"Text\"");
  line_refused(text, "bad 'kind' in message: no such word");
  snprintf(text, sizeof text, form, "null");
  line_refused(text, "bad 'kind' in message: not a word");
  line_refused("{\"app\":\"up\"}", "bad 'app' in the line: no such word");
  line_refused("{\"app\":true}", "bad 'app' in the line: not a word");
  line_refused("{\"link\":\"Up\"}", "bad 'link' in the line: no such word");
}

static void test_hex__it_has_16_small_digits(void **s) {
  const char *form =
      "{\"state\":{\"conv\":\"g\",\"kind\":\"group\",\"mark\":{\"expected\":"
      "{\"epoch\":0,\"seq\":9},\"target\":3,\"op\":%s}}}";
  const char *bad[] = {"\"\"",
                       "\"0123456789abcde\"",
                       "\"0123456789abcdefa\"",
                       "\"0123456789ABCDEF\"",
                       "\"0123456789abcdeg\"",
                       "1234567890123456"};
  char text[300];
  size_t i;
  (void)s;
  for (i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(text, sizeof text, form, bad[i]);
    line_refused(text, "bad 'op' in mark: not 16 hexadecimal digits");
  }
  snprintf(text, sizeof text, form, "\"fedcba9876543210\"");
  line_check(text);
}

static void test_list__it_is_a_list(void **s) {
  (void)s;
  line_refused("{\"receipts\":{\"conv\":\"g\",\"rows\":{}}}",
               "bad 'rows' in receipts: not a list");
  line_refused("{\"expect_order\":\"g\"}",
               "bad 'expect_order' in the line: not a list");
  line_refused("{\"expect_sent\":null}",
               "bad 'expect_sent' in the line: not a list");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(
          test_object__a_field_that_is_not_in_the_table_is_refused),
      cmocka_unit_test(test_object__a_long_name_is_cut_between_characters),
      cmocka_unit_test(test_object__a_field_stands_there_once),
      cmocka_unit_test(test_object__what_is_required_must_be_there),
      cmocka_unit_test(test_object__it_is_an_object),
      cmocka_unit_test(test_number__it_is_an_integer_in_its_range),
      cmocka_unit_test(test_number__a_seq_is_from_1),
      cmocka_unit_test(test_number__a_small_one_has_32_bits),
      cmocka_unit_test(test_bool__a_number_is_none),
      cmocka_unit_test(test_text__an_id_has_1_to_255_bytes),
      cmocka_unit_test(test_word__only_those_of_its_kind),
      cmocka_unit_test(test_hex__it_has_16_small_digits),
      cmocka_unit_test(test_list__it_is_a_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
