/*
 * HTTP requests, on a thread of their own; the one file that knows libcurl is
 * requests.c. On the same thread live the connections that are polled.
 */
#ifndef SN_NET_REQUESTS_H
#define SN_NET_REQUESTS_H

#include "net/commands.h"
#include "net/net.h"

/* SEEN_ENOMEM, SEEN_EIO: no thread or descriptor. */
int sn_requests_start(sn_net *net, sn_requests **out, seen_error *error);

/* Takes the command, of any kind: a DIAL is that of a polled connection. */
void sn_requests_command(sn_requests *self, sn_command *command);

/* There is room for events again. */
void sn_requests_wake(sn_requests *self);

/* Ends all, tells nothing; NULL is fine. */
void sn_requests_stop(sn_requests *self);

/* A request of this thread's own, and its answer. */
typedef struct sn_ask {
  struct sn_ask *next;
  void *easy;    /* libcurl's */
  void *headers; /* libcurl's */
  char *url;     /* whole */
  char *body;    /* NULL: GET */
  size_t body_length;
  void (*done)(struct sn_ask *ask); /* not called where it was dropped */
  void *owner;                      /* whose `done` it is */
  sn_command *command;              /* of a host's request, or NULL */
  const seen_allocator *memory;
  uint32_t status; /* 0: none, and why */
  seen_ended failed;
  uint32_t code;
  uint64_t retry_ms;
  char *text;
  size_t length, capacity;
  bool is_too_long;
} sn_ask;

/*
 * Begins a request, which takes the body also where it fails: NULL, without
 * memory. After `done` it is gone.
 */
sn_ask *sn_requests_ask(sn_requests *self, const char *token, const char *path,
                        char *body, size_t length, uint32_t timeout_ms,
                        void (*done)(sn_ask *ask), void *owner);

/* Gives it up without a word. */
void sn_requests_drop(sn_requests *self, sn_ask *ask);

sn_net *sn_requests_net(const sn_requests *self);

#endif
