/*
 * `seen-server check`: whether a database file says what it may say. Rules in
 * SQL, each with its repair; then each conversation is loaded by the state
 * part, and what that says is recounted a message and a member at a time.
 *
 * Nobody else may have the file open for writing.
 */
#ifndef SERVER_CHECK_H
#define SERVER_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* One finding: a line without its end. */
typedef void (*check_print)(void *self, const char *line);

typedef struct check_report {
  check_print print;
  void *to;
  size_t found;
  size_t repaired; /* of those found */
} check_report;

/* false: `why` says what kept it from being checked to the end. */
bool check_file(const char *path, bool repair, check_report *report, char *why,
                size_t why_bytes);

#endif
