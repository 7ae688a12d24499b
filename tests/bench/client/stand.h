/*
 * A client under measure, its host, and mirrors made for it. The host's thread
 * is the caller's: it sleeps until the wakeup, and dispatches.
 */
#ifndef BENCH_CLIENT_STAND_H
#define BENCH_CLIENT_STAND_H

#include <seen/client.h>

#include <semaphore.h>

enum { STAND_PATH = 320, STAND_ID = 32 };

typedef struct stand {
  seen_client_options options;
  seen_client *client;
  sem_t woken;
  size_t totals; /* events of them that were heard */
} stand;

_Noreturn void stand_fail(const char *what, const seen_error *error);

/* A file's name in the folder of this run; static, good for four calls. */
const char *stand_path(const char *name);
void stand_remove(const char *name); /* a database, with what lies beside it */
void stand_begin(void);              /* makes the folder; ends with the run */

/* A mirror of so many conversations, so many messages unread in each. */
void stand_make_mirror(const char *path, size_t convs, uint64_t unread);
void stand_id(char id[STAND_ID], size_t conv);

/* Options of a user that reports and reads at once. */
void stand_init(stand *self, const char *user);
void stand_open(stand *self);
void stand_start(stand *self); /* on a thread of its own, with a listener */
void stand_close(stand *self);

/* Sleeps until the host is woken, and dispatches. */
void stand_hear(stand *self);

#endif
