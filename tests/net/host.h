/* A transport as a client has it, for tests: events are waited for. */
#ifndef TESTS_NET_HOST_H
#define TESTS_NET_HOST_H

#include "base/platform.h"

#include <seen/sys/transport.h>

typedef struct host {
  seen_transport *transport;
  sn_signal woken;
  seen_transport_event event; /* the last one that was pulled */
} host;

/* The bound of every wait. */
#define HOST_MS 30000

/* With the defaults where `options` is NULL; asserts that it can be. */
void host_open_at(host *self, const char *url, const seen_net_options *options);

/* At "scheme://name:port". */
void host_open(host *self, const char *scheme, const char *name, uint16_t port,
               const seen_net_options *options);
void host_close(host *self);

/* The next event, which stays in `event`; false: none in time. */
bool host_next(host *self, uint32_t most_ms);

/* Asserts that the next event is this one. */
void host_expect(host *self, seen_transport_event_type type, uint64_t number);

/* Asserts that the connection ends so, whatever else comes before. */
void host_expect_end(host *self, uint64_t number, seen_ended why,
                     uint32_t code);

/* Asserts that a request is answered with that status. */
void host_expect_answer(host *self, uint64_t number, uint32_t status,
                        seen_ended why);

/* Asserts that nothing comes for so long. */
void host_expect_none(host *self, uint32_t ms);

void host_dial(host *self, uint64_t number, seen_link link, const char *token,
               uint32_t timeout_ms);

/* Dials a socket and asserts that it opens. */
void host_dial_open(host *self, uint64_t number, const char *token);
void host_write(host *self, uint64_t number, const char *text);
void host_request(host *self, uint64_t number, const char *token,
                  const char *path, const char *body, uint32_t timeout_ms);

#endif
