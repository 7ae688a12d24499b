/*
 * `seen-server import`: a new conversation from a chat log, whose form is in
 * samples/data/README.md. A line is a message, its number the seq; members are
 * those who speak, the first one its admin. All of it, or nothing.
 */
#ifndef SERVER_IMPORT_H
#define SERVER_IMPORT_H

#include "storage.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct import_report {
  uint64_t messages;
  uint64_t members;
} import_report;

/*
 * The last line is dated `now`, those before as the log says. false: `why`
 * says what is wrong, and nothing was written.
 */
bool import_log(FILE *log, const char *conv, const storage *over, uint64_t now,
                import_report *report, char *why, size_t why_bytes);

#endif
