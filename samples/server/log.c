/* The log. What comes from outside is quoted, so that a line stays one. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

const char *const log_level_names[4] = {"error", "warn", "info", "debug"};

static log_level most_detailed = LEVEL_INFO;

void log_set_level(log_level most) {
  most_detailed = most;
}

const char *log_quote(log_name into, const char *name) {
  char *at = into;

  *at++ = '"';
  for (int i = 0; i < LOG_NAME_BYTES && name[i] != '\0'; i++) {
    if (name[i] == '"' || name[i] == '\\') *at++ = '\\';
    *at++ = name[i];
  }
  *at++ = '"';
  *at = '\0';
  return into;
}

static void print_time(void) {
  struct timespec at;
  struct tm parts;
  char text[32];

  clock_gettime(CLOCK_REALTIME, &at);
  gmtime_r(&at.tv_sec, &parts);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  fprintf(stderr, "%s.%03dZ", text, (int)(at.tv_nsec / 1000000));
}

void log_event(log_level level, const char *event, const char *format, ...) {
  char text[1024];
  va_list arguments;

  if (level > most_detailed) return;
  va_start(arguments, format);
  /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it was just begun. */
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  for (char *at = text; *at != '\0'; at++)
    if ((unsigned char)*at < ' ' || *at == 127) *at = '?';
  print_time();
  fprintf(stderr, " %s %s%s%s\n", log_level_names[level], event,
          *text != '\0' ? " " : "", text);
}
