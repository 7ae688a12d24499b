/* The programs under measure, and who talks to them. */
#ifndef BENCH_STAGE_H
#define BENCH_STAGE_H

#include "wire.h"

#include <sys/types.h>

typedef struct program {
  pid_t pid;
  int port;
} program;

/* Starts it and reads the port that it prints; NULL ends the arguments. */
program program_start(const char *path, ...);
void program_stop(const program *self);

enum { FOLDER_BYTES = 256 };

/* A fresh folder where the environment's TMPDIR says, else in /tmp. */
void stage_folder(char path[FOLDER_BYTES]);

typedef struct stage {
  program server;
  const char *path; /* of seen-server */
  char folder[FOLDER_BYTES];
  char key[FOLDER_BYTES + 8];
} stage;

/* A server on a fresh database, without limits of rate. */
void stage_open(stage *self, const char *path);
void stage_close(stage *self);

/* A token; static, good until the next. */
const char *stage_token(const stage *self, const char *user);

/* A device that is welcome. */
wire *stage_join(const stage *self, const char *user);

/* A conversation of the user of `by` and members u000000 …, from `first` on. */
void stage_create(wire *by, const char *conv, const char *kind, size_t first,
                  size_t members);

/* Messages into a conversation, `at_once` of them in flight. */
void stage_send(wire *by, const char *conv, size_t count, size_t at_once);

/* Time that passed, ns. */
uint64_t stage_now(void);

#endif
