/* The host's log hook, or silence. The format is that of sn_text_format(). */
#ifndef SN_BASE_LOG_H
#define SN_BASE_LOG_H

#include <seen/options.h>

typedef struct sn_log {
  seen_log hook; /* NULL: silence */
  void *user_data;
  seen_log_level level;
} sn_log;

void sn_log_write(const sn_log *log, seen_log_level level, const char *format,
                  ...);

#endif
