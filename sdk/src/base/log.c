/*
 * A line that nobody hears costs one comparison: it is put together only when
 * its level is heard.
 */
#include "base/log.h"

#include <stdarg.h>

#include "base/text.h"

void sn_log_write(const sn_log *log, seen_log_level level, const char *format,
                  ...) {
  char line[1024];
  sn_text text;
  va_list list;
  if (!log->hook || level < log->level) return;
  sn_text_fixed(&text, line, sizeof line);
  va_start(list, format);
  sn_text_format_list(&text, format, list);
  va_end(list);
  sn_text_one_line(&text);
  log->hook(level, line, log->user_data);
}
