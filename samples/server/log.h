/*
 * The log: one line an event on the standard error, `time level event
 * name=value …`, without any text of a message. Whoever runs the server
 * collects it; nothing is rotated here.
 */
#ifndef SERVER_LOG_H
#define SERVER_LOG_H

typedef enum log_level {
  LEVEL_ERROR,
  LEVEL_WARN,
  LEVEL_INFO,
  LEVEL_DEBUG
} log_level;

extern const char *const log_level_names[4];

enum { LOG_NAME_BYTES = 64 };
typedef char log_name[2 * LOG_NAME_BYTES + 3];

/* A name between quotes, cut to 64 bytes: nobody's name ends it early. */
const char *log_quote(log_name into, const char *name);

/* Lines above this level are dropped. */
void log_set_level(log_level most);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void log_event(log_level level, const char *event, const char *format, ...);

#endif
