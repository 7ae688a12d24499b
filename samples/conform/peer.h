/*
 * Clients of the server under test, as calls that wait.
 */
#ifndef CONFORM_PEER_H
#define CONFORM_PEER_H

#include "options.h"

#include <cjson/cJSON.h>

typedef struct peers peers;
typedef struct peer peer;

peers *peers_open(const options *how);
void peers_close(peers *self);

/* Lets time pass, and takes what comes meanwhile. */
void peers_wait(peers *self, int ms);

/*
 * Connects; `token` may be NULL. The result is never NULL: where nothing
 * came of it, peer_code says so.
 */
peer *peer_open(peers *of, const char *name, const char *token);
void peer_close(peer *self);
bool peer_is_open(const peer *self);

const char *peer_name(const peer *self);

/* One frame, in `parts` fragments. False: the connection is gone. */
bool peer_send(peer *self, const void *text, size_t length, int parts);

/*
 * Takes the first frame for which `fits` says true out of those that came,
 * waiting up to `ms` for one; to be deleted by the caller. NULL: none came.
 */
typedef bool (*peer_fits)(const cJSON *frame, const void *wanted);
cJSON *peer_take(peer *self, peer_fits fits, const void *wanted, int ms);

/* Whether there is such a frame, which is not taken. */
bool peer_has(peer *self, peer_fits fits, const void *wanted, int ms);

/* Drops all that has come. */
void peer_drop(peer *self);

/* The code with which the server closed, waiting up to `ms`; 0: it did not. */
int peer_code(peer *self, int ms);

#endif
