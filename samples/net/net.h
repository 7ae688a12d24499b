/*
 * WebSockets of many clients by libwebsockets, from one thread: what is said
 * waits until its socket takes it, what comes in parts is joined.
 */
#ifndef NET_NET_H
#define NET_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lws_context;

typedef struct net net;
typedef struct wire wire;

/* Where the server is; its `host` is borrowed. */
typedef struct net_server {
  const char *host;
  int port;
  bool tls;
  bool insecure; /* any certificate is taken */
} net_server;

typedef struct net_hooks {
  void *self;
  /* A frame came for `actor`; it may be sent to, and closed later. */
  void (*frame)(void *self, size_t actor, const char *text, size_t length);
  /* It is gone, and nobody had asked for that. 0: without a close code. */
  void (*gone)(void *self, size_t actor, int code, const char *why);
} net_hooks;

/*
 * For at most `sockets` of them and of others. NULL: `why` (at least 512
 * bytes) says why not.
 */
net *net_open(const net_server *at, const net_hooks *hooks, size_t sockets,
              char *why);
void net_close(net *self);

/* Serves sockets, waiting for them at most until the alarm. */
bool net_turn(net *self);
void net_alarm(net *self, uint64_t in_ns);
bool net_has_rung(const net *self); /* since it was set */

/* `ready` is called whenever `file`, which becomes the net's, can be read. */
bool net_watch(net *self, int file, void (*ready)(void *of), void *of);

struct lws_context *net_context(net *self);

/*
 * Connects; `token` may be NULL. What is said before it is connected waits.
 * It lives as long as the net.
 */
wire *net_dial(net *self, size_t actor, const char *token);
bool wire_is_open(const wire *self);
bool wire_is_gone(const wire *self);

/* A whole frame; or one part of a frame, the first, the last, or neither. */
void wire_say(wire *self, const char *text, size_t length);
void wire_say_part(wire *self, const char *text, size_t length, bool is_first,
                   bool is_last);
bool wire_is_idle(const wire *self); /* all of it was sent */

/* Says goodbye; or ends it without. */
void wire_close(wire *self);
void wire_cut(wire *self);

#endif
