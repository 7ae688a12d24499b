/*
 * WebSockets of virtual users, by libwebsockets, from one thread: what is said
 * waits until its socket takes it, what comes in parts is joined.
 */
#ifndef LOAD_NET_H
#define LOAD_NET_H

#include "options.h"

#include <stddef.h>

struct lws_context;

typedef struct net net;
typedef struct peer peer;

typedef struct net_hooks {
  void *self;
  /* A frame came for `actor`; it may be sent to, and closed later. */
  void (*frame)(void *self, size_t actor, const char *text, size_t length);
  /* It is gone, and nobody had asked for that. */
  void (*gone)(void *self, size_t actor, const char *why);
} net_hooks;

/* For at most `sockets` of them and of others. NULL: `why` says why not. */
net *net_open(const options *how, const net_hooks *hooks, size_t sockets,
              char *why);
void net_close(net *self);

/* Serves sockets, waiting for them at most until the alarm. */
bool net_turn(net *self);
void net_alarm(net *self, uint64_t in_ns);

/* `ready` is called whenever `file`, which becomes the net's, can be read. */
bool net_watch(net *self, int file, void (*ready)(void *of), void *of);

struct lws_context *net_context(net *self);

/* Connects; what is said before it is connected waits. */
peer *net_dial(net *self, size_t actor, const char *token);
void peer_say(peer *self, const char *text, size_t length);
void peer_close(peer *self);

#endif
