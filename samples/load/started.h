/* A seen-server of our own, on a free port and a temporary database. */
#ifndef LOAD_STARTED_H
#define LOAD_STARTED_H

#include "options.h"

#include <sys/types.h>

typedef struct started {
  pid_t pid; /* 0: none was started */
  int out;   /* what it prints */
  char folder[256];
  char key[272];
  char db[272];
} started;

/*
 * Starts what the options say and puts its host, port and key into them.
 * False: `why` says why not, and nothing is left of it.
 */
bool started_open(started *self, options *how, char *why);

/* Ends it, and removes its files. */
void started_close(started *self);

#endif
