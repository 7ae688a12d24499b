/*
 * One connection as libwebsockets carries it. This is the one header that
 * includes libwebsockets, as it is in 4.1. What has to be known of it:
 *
 * - Only lws_cancel_service() may be called by another thread.
 * - It looks names up where it stands, so it is given addresses (route.h), and
 *   the name for TLS and the Host header.
 * - An attempt may fail without a word, so what became of a connection is
 *   looked at after each turn; LWS_CALLBACK_WSI_DESTROY is its last word.
 * - After a refusal in LWS_CALLBACK_CLIENT_RECEIVE it writes past its buffer:
 *   that returns 0 whatever has come, and closing is for where it is written.
 * - Its client stumbles over some compressed frames: none are agreed on.
 * - Its pings are not used, since a link is found dead above.
 * - Its proxy support spins while it waits and tells no status: a tunnel is dug
 *   before, and put in the place of its socket.
 */
#ifndef SN_NET_TALK_H
#define SN_NET_TALK_H

#include "net/commands.h"
#include "net/net.h"
#include "net/route.h"

#include <libwebsockets.h>

typedef enum sn_phase {
  SN_ROUTING,    /* looking for the way */
  SN_CONNECTING, /* to one of the addresses */
  SN_SECURING,   /* TLS */
  SN_UPGRADING,
  SN_OPEN
} sn_phase;

typedef struct sn_talk {
  struct sn_talk *next;
  sn_socket *of;
  uint64_t number;
  sn_arrival *open, *last; /* NULL: was told */
  char *token;
  sn_route *route;
  size_t address; /* the next one to try */
  sn_phase phase;
  struct lws *wsi; /* NULL: there is none, or no longer */
  lws_sorted_usec_list_t alarm;
  bool is_distrusted, is_stalled, wants_ping, is_closing;
  uint32_t close_code, status;
  sn_command *first, *end; /* frames that wait */
  char *in;                /* of a frame that is not whole yet */
  size_t in_length, in_capacity;
} sn_talk;

struct sn_socket {
  sn_net *net;
  sn_commands commands;
  struct lws_context *context; /* set and unset under the commands' lock */
  bool is_broken;              /* there is no context; likewise */
  sn_thread thread;
  sn_talk *talks;
  unsigned char *out; /* a frame on its way, with room before it */
  size_t out_capacity;
};

/* What a close may take. */
#define SN_CLOSE_MS 900

/* Of a request's headers, and of its answer's. */
#define SN_HEADER_BYTES 16384

/* The one ENDED; whatever becomes of its socket afterwards is not told. */
void sn_talk_end(sn_talk *self, seen_ended why, uint32_t code,
                 const char *words);

/* Ends it where it did not become open, after it was connected; `words` are
 * those of libwebsockets, or NULL. */
void sn_talk_failed(sn_talk *self, const char *words);

/* Ends it in so many ms: closed where it is closing, else not open in time. */
void sn_talk_alarm(sn_talk *self, uint32_t ms);

/*
 * Ends its socket at once; not inside of a callback of its own. Whatever is
 * left of it goes with LWS_CALLBACK_WSI_DESTROY.
 */
void sn_talk_kill(sn_talk *self);

/* When there is nothing left of it; its alarm is cancelled before. */
void sn_talk_free(sn_talk *self);

/* What libwebsockets calls; `user` is the talk, or NULL. */
int sn_talk_event(struct lws *wsi, enum lws_callback_reasons reason, void *user,
                  void *in, size_t length);

#endif
