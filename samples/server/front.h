/*
 * The front: WebSocket and HTTP on one port by libwebsockets, from one
 * thread. It owns the state part and calls it as state.h says: whatever came
 * in one turn of the loop is one transaction, and answers leave after it.
 */
#ifndef SERVER_FRONT_H
#define SERVER_FRONT_H

#include "config.h"
#include "token.h"

typedef struct front front;

/* Everything is borrowed. NULL: `why` (at least 512 bytes) says what failed. */
front *front_open(const config *settings, const storage *opened,
                  const token_key *key, char *why);

/* The port that it listens on. */
int front_port(const front *self);

/* Serves until it has drained, after front_stop. 0, or 1 where it broke. */
int front_run(front *self);

/* Drains; a second call ends at once. From a signal handler too. */
void front_stop(front *self);

void front_close(front *self);

#endif
