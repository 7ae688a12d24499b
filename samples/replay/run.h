/* A trace, from its first line to its last. */
#ifndef REPLAY_RUN_H
#define REPLAY_RUN_H

#include "place.h"

#include <stdbool.h>

/* What is printed at the end. */
typedef struct ending {
  bool states;
  const char *explain; /* a conversation's id or NULL */
} ending;

outcome run_trace(const char *path, const ending *end);

#endif
