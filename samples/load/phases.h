/* A run from its first phase to its last. */
#ifndef LOAD_PHASES_H
#define LOAD_PHASES_H

#include "figures.h"

/* From here on SIGINT and SIGTERM end a run in order. */
void phases_catch_signals(void);

/* The exit code: 0, 1 (lost) or 2 (can't be run); `why` says why. */
int phases_run(const options *how, figures *told, char *why);

#endif
