/* A transport as a client has it, for tests: events are waited for. */
#ifndef TESTS_NET_CALLER_H
#define TESTS_NET_CALLER_H

#include "base/platform.h"

#include <seen/sys/transport.h>

#include "support/server.h"

typedef struct caller {
  seen_transport *transport;
  sn_signal woken;
  seen_transport_event event; /* the last one that was pulled */
} caller;

/* A group's set-up and tear-down: a server, and ann's token for it. */
extern test_server caller_server;
extern char caller_token[TEST_TOKEN_MAX];
int caller_set_up(void **state);
int caller_tear_down(void **state);

/* The bound of every wait. */
#define CALLER_MS 60000

/* Within a second, and what a busy machine and a slow build (SEEN_SCALE) take:
 * under valgrind it is half a minute until all CAs of the system are read. Less
 * than any time that is given to a dial or a request. */
uint32_t caller_soon_ms(void);

/* With the defaults where `options` is NULL; asserts that it can be. */
void caller_open_at(caller *self, const char *url,
                    const seen_net_options *options);

/* At "scheme://name:port". */
void caller_open(caller *self, const char *scheme, const char *name,
                 uint16_t port, const seen_net_options *options);
void caller_close(caller *self);

/* The next event, which stays in `event`; false: none in time. */
bool caller_next(caller *self, uint32_t most_ms);

/* Asserts that the next event is this one. */
void caller_expect(caller *self, seen_transport_event_type type,
                   uint64_t number);

/* Asserts that the connection ends so, whatever else comes before. */
void caller_expect_end(caller *self, uint64_t number, seen_ended why,
                       uint32_t code);

/* Asserts that a request is answered with that status. */
void caller_expect_answer(caller *self, uint64_t number, uint32_t status,
                          seen_ended why);

/* Asserts that nothing comes for so long. */
void caller_expect_none(caller *self, uint32_t ms);

void caller_dial(caller *self, uint64_t number, seen_link link,
                 const char *token, uint32_t timeout_ms);

/* Dials a socket and asserts that it opens. */
void caller_dial_open(caller *self, uint64_t number, const char *token);
void caller_write(caller *self, uint64_t number, const char *text);
void caller_request(caller *self, uint64_t number, const char *token,
                    const char *path, const char *body, uint32_t timeout_ms);

#endif
