/* Where in which file something was found, and how that is told. */
#ifndef REPLAY_PLACE_H
#define REPLAY_PLACE_H

#include <stddef.h>

typedef struct place {
  const char *file;
  size_t line; /* from 1 */
} place;

/* What a run comes to; also the exit code. The larger is the worse. */
typedef enum outcome {
  OUTCOME_HELD = 0,
  OUTCOME_DIFFERED = 1,
  OUTCOME_ERROR = 2
} outcome;

/* Prints "FILE:LINE: expected …, got …". */
outcome place_differs(const place *at, const char *expected, const char *got);

/* Prints "FILE:LINE: error: …". */
outcome place_error(const place *at, const char *what);

outcome worse(outcome a, outcome b);

#endif
