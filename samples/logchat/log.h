/*
 * A real chat as a file: JSON Lines, the number of a line is its seq.
 *
 *   {"t":ms,"kind":"text","from":"u1","chars":30,"mentions":["u4"]}
 *   {"t":ms,"kind":"system","event":"join"}
 *
 * Who joined is not in it: its members are those who speak.
 */
#ifndef LOGCHAT_LOG_H
#define LOGCHAT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct log_line {
  uint64_t at;      /* ms, not falling */
  const char *from; /* NULL: a system line */
  const char **mentions;
  size_t mention_count;
} log_line;

typedef struct log_user {
  char *id;
  bool speaks; /* otherwise only mentioned */
} log_user;

typedef struct chat_log {
  log_line *lines; /* lines[seq - 1] */
  size_t count;
  size_t capacity;
  log_user **users; /* sorted by id */
  size_t user_count;
  size_t user_capacity;
} chat_log;

/* Reads a log; false, and what is wrong, where it can't. */
bool chat_log_read(chat_log *log, const char *path, char *wrong, size_t size);
void chat_log_free(chat_log *log);

const log_user *chat_log_find(const chat_log *log, const char *id);
bool log_line_mentions(const log_line *line, const char *user);

#endif
