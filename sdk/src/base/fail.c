/* The words of the error codes, and how a failure is told. */
#include "base/fail.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

void seen_error_init(seen_error *error) {
  memset(error, 0, sizeof *error);
  error->size = (uint32_t)sizeof *error;
}

const char *seen_error_name(int code) {
  switch (code) {
  case SEEN_OK: return "SEEN_OK";
#define NAME(name, value, text)                                                \
  case SEEN_##name: return "SEEN_" #name;
    SEEN_ERROR_MAP(NAME)
#undef NAME
  default: return "SEEN_E?";
  }
}

const char *seen_error_text(int code) {
  switch (code) {
  case SEEN_OK: return "no error";
#define TEXT(name, value, text)                                                \
  case SEEN_##name: return text;
    SEEN_ERROR_MAP(TEXT)
#undef TEXT
  default: return "unknown error";
  }
}

int sn_fail(seen_error *error, int code, const char *format, ...) {
  sn_text text;
  va_list list;
  if (!error) return code;
  error->code = code;
  sn_text_fixed(&text, error->message, sizeof error->message);
  va_start(list, format);
  sn_text_format_list(&text, format, list);
  va_end(list);
  sn_text_one_line(&text);
  return code;
}

int sn_fail_memory(seen_error *error) {
  return sn_fail(error, SEEN_ENOMEM, "%s", seen_error_text(SEEN_ENOMEM));
}
