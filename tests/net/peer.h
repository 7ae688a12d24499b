/*
 * A server that says what a test wants to be said, over one port of loopback.
 * Each connection has a thread, on which the script runs: there is nothing to
 * assert with there, so a script returns early and the test sees what lacks.
 */
#ifndef TESTS_NET_PEER_H
#define TESTS_NET_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct peer peer;

/* `end` is the connection; it is closed after the script. */
typedef void (*peer_script)(int end, void *argument);

peer *peer_start(peer_script script, void *argument);

/* Ends all connections, also for who has not read all that came, and waits for
 * their scripts. */
void peer_stop(peer *self);

/* Waits for all scripts first: their clients have gone, or go by them. */
void peer_outlive(peer *self);
uint16_t peer_port(const peer *self);

/* A port at which nobody listens, as long as this process runs. */
uint16_t peer_nobody(void);

/* How many have come so far. */
size_t peer_count(peer *self);

/* Whether all scripts so far are over; of a peer. For test_wait_until(). */
bool peer_is_over(void *self);

#define PEER_HEAD_MAX 16384

/* A request's head with its empty line, and a body of its Content-Length. */
bool peer_head(int end, char head[PEER_HEAD_MAX]);
bool peer_body(int end, const char *head, char *body, size_t size);

bool peer_send(int end, const void *bytes, size_t size);
bool peer_say(int end, const char *text);

/* An answer with a body. */
bool peer_answer(int end, const char *status, const char *body);

/* Agrees to the upgrade of that head; `more` leaves in the same packet. */
bool peer_upgrade(int end, const char *head, const void *more, size_t size);

/* Takes any upgrade. */
bool peer_accept(int end);

#define PEER_TEXT 0x81
#define PEER_CLOSE 0x88
#define PEER_PING 0x89
#define PEER_PONG 0x8a

/* A frame as bytes, with its first byte; returns how many. */
size_t peer_pack(unsigned char *out, int first, const void *payload,
                 size_t size);
bool peer_frame(int end, int first, const void *payload, size_t size);

/* The next frame of the client: its first byte, or 0 where it has gone. */
int peer_next(int end, char *payload, size_t size, size_t *length);

/* Reads whatever comes until the client has gone. */
void peer_idle(int end);
void peer_listen(int end, void *ignored); /* as a whole script */

/* Passes on what comes at either end until one of them has gone. */
void peer_relay(int one, int other);

/* Reads frames until the client has gone; the code of its close frame, or 0. */
int peer_drain(int end);

#endif
