/* What a mirror holds, looked at without writing to it. */
#ifndef REPLAY_DATABASE_H
#define REPLAY_DATABASE_H

#include "run.h"

/*
 * Prints what it shows; with `check`, recounts it and prints what an engine
 * that opened it would correct (U8): that is OUTCOME_DIFFERED.
 */
outcome database_show(const char *path, bool check, const ending *end);

#endif
