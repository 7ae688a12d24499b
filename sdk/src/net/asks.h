/*
 * Requests by HTTP, and their answers. All of it happens on one thread but
 * sn_asks_wake(); the one file that knows libcurl is asks.c.
 */
#ifndef SN_NET_ASKS_H
#define SN_NET_ASKS_H

#include "net/commands.h"
#include "net/net.h"

/* A request, and its answer. */
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

typedef struct sn_asks {
  const sn_net *net;
  void *multi; /* libcurl's */
  sn_ask *first;
  char proxy[SN_HOST_MAX + 24]; /* "http://host:port", or "" */
  char pinned[64];              /* "sha256//…", or "" */
} sn_asks;

/* SEEN_ENOMEM; to be closed in any case, when no thread is in it. */
int sn_asks_open(const sn_net *net, sn_asks *out, seen_error *error);
void sn_asks_close(sn_asks *self);

/*
 * Begins a request, which takes the body also where it fails: NULL, without
 * memory. After `done` it is gone.
 */
sn_ask *sn_ask_begin(sn_asks *self, const char *token, const char *path,
                     char *body, size_t length, uint32_t timeout_ms,
                     void (*done)(sn_ask *ask), void *owner);

/* Gives it up without a word. */
void sn_ask_drop(sn_asks *self, sn_ask *ask);
void sn_asks_drop(sn_asks *self); /* all of them */

/* Does what can be done, and calls `done` of who has an answer. */
void sn_asks_turn(sn_asks *self);

/* Waits for something to do, or until another thread wakes it. */
void sn_asks_rest(sn_asks *self, uint32_t most_ms);
void sn_asks_wake(sn_asks *self); /* any thread */

#endif
