#include "support/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

seen_trace_line *line_parse(const char *text) {
  seen_error error = SEEN_ERROR_INIT;
  seen_trace_line *line = NULL;

  if (seen_trace_parse(text, strlen(text), NULL, &line, &error) != SEEN_OK)
    fail_msg("%s: %s", text, error.message);
  assert_non_null(line);
  return line;
}

const char *line_write(const seen_trace_line *line) {
  static char text[1 << 16];
  seen_error error = SEEN_ERROR_INIT;
  size_t length;

  if (seen_trace_write(line, text, sizeof text, &length, &error) != SEEN_OK)
    fail_msg("%s", error.message);
  assert_int_equal(strlen(text), length);
  return text;
}

void line_check(const char *text) {
  seen_trace_line *line = line_parse(text);

  assert_string_equal(line_write(line), text);
  seen_trace_line_free(line);
}

void line_check_as(const char *text, const char *written) {
  seen_trace_line *line = line_parse(text);

  assert_string_equal(line_write(line), written);
  seen_trace_line_free(line);
  line_check(written);
}

void line_refused(const char *text, const char *message) {
  seen_error error = SEEN_ERROR_INIT;
  seen_trace_line line;
  seen_trace_line *out = &line;

  assert_int_equal(seen_trace_parse(text, strlen(text), NULL, &out, &error),
                   SEEN_EPARSE);
  assert_null(out);
  assert_int_equal(error.code, SEEN_EPARSE);
  assert_string_equal(error.message, message);
}

void line_unwritable(const seen_trace_line *line, const char *message) {
  seen_error error = SEEN_ERROR_INIT;
  char text[512];
  size_t length;

  assert_int_equal(seen_trace_write(line, text, sizeof text, &length, &error),
                   SEEN_EINVAL);
  assert_string_equal(error.message, message);
}
