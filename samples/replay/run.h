/* A trace, from its first line to its last. */
#ifndef REPLAY_RUN_H
#define REPLAY_RUN_H

#include "place.h"

#include <seen/sys/recorder.h>

/* What is printed at the end. */
typedef struct ending {
  bool states;
  const char *explain; /* a conversation's id or NULL */
} ending;

typedef struct run_options {
  ending end;
  const char *store; /* a database to be made; NULL: in memory */
  const char *dump;  /* where a recorder's dump is written to; NULL: nowhere */
  seen_recorder_names names; /* in it */
} run_options;

/* Of a file, or of what a recorder wrote to its files. */
outcome run_trace(const char *path, const run_options *options);
outcome run_recording(const char *path, const run_options *options);

#endif
