/*
 * What is pulled: the answers to HTTP requests, as functions on the state
 * part. The front checks the token, splits the path and the query, and sends
 * what it gets.
 *
 * Where a request writes, its answer may leave only after server_commit()
 * said true; where that said false the answer is 503.
 */
#ifndef SERVER_HTTP_H
#define SERVER_HTTP_H

#include "state.h"

typedef struct response {
  int status;
  char *body; /* JSON; freed by response_free */
  size_t length;
} response;

void response_free(response *self);

/* An error's body: {"t":"error","code":…,"message":…,"retry_ms":…}. */
response http_error(int status, const char *code, const char *message,
                    uint64_t retry_ms);

/* GET /im/conversations?after=&limit= */
response http_conversations(server *self, const identity *who, uint64_t after,
                            uint64_t limit, uint64_t now);

/* POST /im/conversations/{id}/read-cursor */
response http_read_cursor(server *self, const identity *who, const char *conv,
                          const char *body, size_t length, uint64_t now);

/* GET /im/messages/{conv:seq}/read-receipts?status=&cursor=&limit=
 * `status` and `given`, the cursor, are NULL or "" where the query has none,
 * `limit` 0. */
response http_read_receipts(server *self, const identity *who,
                            const char *message, const char *status,
                            const char *given, uint64_t limit, uint64_t now);

/* GET /im/unread */
response http_unread(server *self, const identity *who, uint64_t now);

/*
 * POST /im/frames: an array of client frames. `name` is the query's
 * connection=, NULL in the first request, whose first frame is `hello`; the
 * front then brings a new unguessable `fresh` name, which the `welcome` tells.
 * The frames are taken; after server_commit() the answers are gathered by
 * http_gather from `*from`. A status other than 200 is the whole answer.
 */
response http_frames(server *self, const identity *who, const char *name,
                     const char *fresh, const char *body, size_t length,
                     connection **from, uint64_t now);

/* GET /im/poll?connection=: the connection to wait on, NULL: there is none. */
connection *http_poll(server *self, const identity *who, const char *name,
                      uint64_t now);

/* What waits for it, as a JSON array of frames; the rest waits on where it is
 * more than half a frame's size already. */
response http_gather(server *self, connection *from, uint64_t now);

#endif
