/*
 * What the files of the front share. A turn collects: sockets that something
 * is to be written to (`due`), and requests whose response waits for the
 * commit (`answered`). Both are written after it.
 */
#ifndef SERVER_FRONT_PARTS_H
#define SERVER_FRONT_PARTS_H

#include "front.h"
#include "histogram.h"
#include "http.h"

#include <libwebsockets.h>
#include <signal.h>

/* What leaves at once: frames until there is so much, and one more. */
enum { FRONT_GATHER_BYTES = 16384, FRONT_OUT_BYTES = 16384 + 65536 + 16 };

typedef struct socket_peer socket_peer;
typedef struct request request;

/* Who has a connection: what connection_owner() points to. */
typedef struct owner {
  bool is_request; /* a poll that is held; else a socket */
} owner;

struct socket_peer {
  owner owner;
  struct lws *wsi;
  connection *connection; /* NULL: refused by the front */
  socket_peer *next, *previous;
  socket_peer *next_due;
  uint64_t opened_at, heard_at;
  bool is_due;
  bool is_pinged;
  bool is_held;   /* nothing is read from it */
  bool is_ending; /* nothing is taken from it any more */
  int code;       /* to be closed with; 0: none yet */
  char reason[100];
  unsigned char *joined; /* a frame that comes in parts */
  size_t joined_length;
};

struct request {
  owner owner;
  struct lws *wsi;
  request *next, *previous;
  char path[512];
  char connection_name[NAME_MAX_BYTES + 1];
  identity who;
  bool is_listed;
  bool is_post;
  bool is_head;  /* a GET whose response is without its body */
  bool has_body; /* it may have one, which comes after the headers */
  bool rests;    /* its response holds only if the turn is committed */
  bool gathers;  /* its response is what waits for `polled` */
  bool is_answered;
  bool is_plain; /* its response is text, not JSON */
  bool is_held;  /* a poll for which nothing waits yet */
  connection *polled;
  char *body;
  size_t body_length;
  bool is_complete; /* its body is here whole */
  response response;
};

/* What the front counts beside metrics. */
typedef struct front_counts {
  uint64_t accepted, refused;
  uint64_t bytes_in, bytes_out;
  uint64_t requests[6]; /* by the first digit of the status */
  uint64_t closed_for_silence;
  uint64_t lists_audited;
} front_counts;

struct front {
  const config *config;
  const token_key *key;
  server *server;
  struct lws_context *context;
  struct lws_vhost *vhost;
  hooks hooks;
  uint8_t cursor_key[32];
  socket_peer *sockets; /* all */
  socket_peer *due;     /* something is to be written */
  request *requests;    /* to be answered after the commit */
  uint64_t now;         /* as of this turn */
  uint64_t turn_began;  /* ns; 0: nothing was taken in this turn */
  uint32_t open;        /* TCP connections */
  lws_sorted_usec_list_t alarm, sweep;
  uint64_t alarm_at;
  volatile sig_atomic_t stopping; /* calls of front_stop */
  uint64_t drain_until;           /* 0: not draining */
  bool is_closing;                /* all were told to go */
  front_counts counts;
  histogram commits;
  histogram answers;
  histogram clears;
  unsigned char out[LWS_PRE + FRONT_OUT_BYTES];
};

/* front_parts.c */
front *front_of(struct lws *wsi);

/* Something is handed to the state part: the turn has to be committed. */
void front_takes(front *self);

/* 16 random bytes in hexadecimal. False: there is no randomness. */
bool front_random_name(front *self, char name[33]);

/* Whether one more TCP connection is taken; and that one came or went. */
bool front_may_connect(front *self);
void front_connected(front *self);
void front_disconnected(front *self);

/* Whether a name is one of a list, with commas and blanks between them. */
bool front_is_listed(const char *list, const char *name);

/* Whether the request's Origin may come in. */
bool front_origin_allowed(const front *self, struct lws *wsi);

/* The token of the Authorization header; false: there is none. */
bool front_bearer(struct lws *wsi, char *token, size_t size);

enum { FRONT_TOKEN_BYTES = 4096 };

/* front_port.c: listens; false: `why` (at least 512 bytes) says why not. */
bool front_open_port(front *self, char *why);

/* front_socket.c */
int front_socket_callback(struct lws *wsi, enum lws_callback_reasons reason,
                          void *user, void *in, size_t length);
/* Whether a request may become a socket; -1: it was refused. */
int socket_confirm(front *self, struct lws *wsi, char *upgrade);
void socket_is_due(front *self, socket_peer *peer);
void socket_write(front *self, socket_peer *peer);
void socket_close(front *self, socket_peer *peer, int code, const char *reason);
/* Now and then: who said no hello, who is silent. */
void socket_sweep(front *self, socket_peer *peer);

/* front_request.c */
int front_request_callback(struct lws *wsi, enum lws_callback_reasons reason,
                           void *user, void *in, size_t length);

/* front_answer.c: what it is answered, after the commit; and that it ended. */
void request_answer(front *self, request *about, response with);
void request_settle(front *self, request *about, bool committed);
/* Something waits for a held poll, or it has waited long enough. */
int request_end_poll(front *self, request *about);
void request_forget(front *self, request *about);

/* front_routes.c: what a request asks for, once it is here whole. */
void route(front *self, request *about);
/* Keeps what the query names, which is gone once the body has come. */
void route_query(request *about);

/* front_metrics.c */
response front_metrics(front *self);

#endif
