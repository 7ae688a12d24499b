/* A chat log, played as it came to one of its people. */
#ifndef REPLAY_PLAY_H
#define REPLAY_PLAY_H

#include "reader.h"
#include "run.h"

typedef struct play_options {
  const char *log;
  const char *user;
  const char *trace; /* where it is written to; NULL: nowhere */
  reader_habit habit;
} play_options;

outcome play_log(const play_options *options, const ending *end);

#endif
