/*
 * A seen-server of a sample's own: on a free loopback port, with a key and a
 * database in a temporary folder. It ends with the sample, also where that is
 * killed.
 */
#ifndef START_STARTED_H
#define START_STARTED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct started {
  const char *program;
  char folder[256];
  int port;  /* 0: any that is free */
  pid_t pid; /* 0: it does not run */
  int out;   /* what it prints */
} started;

/*
 * A folder in TMPDIR whose name begins with `name`, and a key in it. False:
 * there is neither, and `why` (at least 512 bytes) says why not.
 */
bool started_prepare(started *self, const char *program, const char *name,
                     char *why);

/* The path of a file in its folder: "key", "db", or one of the sample's. */
void started_path(const started *self, const char *name, char path[300]);

/*
 * Starts it on the port that it had; `settings`, for its command line, end
 * with NULL. False: `why` says why not, and it does not run.
 */
bool started_run(started *self, const char *const *settings, char *why);

/*
 * Runs one of its commands to the end. Its first line is put into `line`.
 * False: there was none, or it failed.
 */
bool started_ask(const started *self, const char *const *arguments, char *line,
                 size_t size);

/* Ends it at once, as a power failure of its machine would. */
void started_kill(started *self);

/* Ends it in order, and removes its folder. */
void started_close(started *self);

#endif
