/*
 * The leanest client there can be, so that a figure is the server's: frames
 * are masked by zeros, and answers are told apart by how they begin.
 */
#ifndef BENCH_WIRE_H
#define BENCH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wire wire;

/* A WebSocket; `token` may be NULL. Aborts where there is none. */
wire *wire_open(int port, const char *path, const char *protocol,
                const char *token);
void wire_close(wire *self);

/* One frame, which leaves with the next wire_turn. */
void wire_send(wire *self, const char *text, size_t length);

/* Sends and receives on all; waits until one of them can. */
void wire_turn(wire *const *all, size_t count);

/* The next frame that came, NULL: none. Good until the next wire_turn. */
const char *wire_next(wire *self, size_t *length);

/* Sends one frame and waits for the answer that begins so. */
const char *wire_ask(wire *self, const char *text, const char *begins);

/* A connection for requests of HTTP, kept open. */
int request_open(int port);
void close_request(int socket);

/* Sends a request; the body of its answer, good until the next. */
const char *request_ask(int socket, const char *method, const char *path,
                        const char *token, const char *body);

#endif
