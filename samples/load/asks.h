/*
 * Requests of HTTP, by libcurl, in the loop of the net: the sockets of all of
 * them are watched by one epoll, which libwebsockets watches as one file.
 */
#ifndef LOAD_ASKS_H
#define LOAD_ASKS_H

#include "net.h"
#include "options.h"

typedef struct asks asks;

/* An answer to `asker`; status 0: none came, and `text` says why. */
typedef void (*asks_answered)(void *of, size_t asker, long status,
                              const char *text, size_t length);

/* NULL: there is no memory, or no epoll. */
asks *asks_open(const options *how, net *in, size_t askers,
                asks_answered answered, void *of);
void asks_close(asks *self); /* before its net */

/* One at a time of an asker, on its own connection, which is kept. */
bool asks_get(asks *self, size_t asker, const char *token, const char *path);

/* Waits for it. The text, to be freed; NULL: there is none. */
char *ask_now(const options *how, const char *path);

#endif
