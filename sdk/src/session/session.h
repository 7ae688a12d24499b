/*
 * The client's end of docs/protocol.md as a state machine: when to dial, what
 * to say, what an answer means for the engine. It opens no socket, clock or
 * thread: time comes in as `now` (monotonic, ms), what is to be done is pulled.
 *
 *   in    what the host wants, what the transport saw, what the engine effects
 *   out   sn_session_next() until it returns false, after each call below
 *   when  sn_session_deadline() says when to call sn_session_tick()
 *
 * A turn of the caller's loop: one call with what happened; then pull outputs.
 * An SN_OUT_INPUT is fed to the engine at once, and what the engine effects is
 * handed to sn_session_effect() before the next output is pulled, so that what
 * leaves together becomes one frame. Nothing an output points at outlives the
 * next sn_session_next(), sn_session_transport() or sn_session_push().
 *
 * Only what says so can fail for want of memory. Elsewhere, where a frame can't
 * be read or written for it, the connection is given up, and the next one
 * brings everything again.
 */
#ifndef SN_SESSION_SESSION_H
#define SN_SESSION_SESSION_H

#include <seen/chat.h>
#include <seen/event.h>
#include <seen/reply.h>
#include <seen/sys/effect.h>
#include <seen/sys/input.h>
#include <seen/sys/transport.h>

#include "base/log.h"

typedef struct sn_session sn_session;

/* A host's request, checked and encoded, on its way into a session. */
typedef struct sn_request sn_request;

/* All in ms; none is 0. */
typedef struct sn_intervals {
  uint32_t dial_ms;         /* 15000: until a connection is open */
  uint32_t hello_ms;        /* 10000: from there to the welcome */
  uint32_t answer_ms;       /* 60000: until a frame without an answer means
                               that the link is dead */
  uint32_t ping_ms;         /* 25000: of silence, until a ping */
  uint32_t dead_ms;         /* 35000: of silence, until it is given up */
  uint32_t probe_ms;        /* 5000: for a sign of life when the network
                               changed under an open link */
  uint32_t backoff_min_ms;  /* 1000: the first wait lasts up to this … */
  uint32_t backoff_max_ms;  /* 60000: … doubled up to this; all at random */
  uint32_t drain_ms;        /* 5000: the same where a server said that it goes
                               (1001): all its clients come back */
  uint32_t stable_ms;       /* 10000: online this long, the waits begin anew */
  uint32_t socket_retry_ms; /* 60000: while polling, until a socket is tried,
                               doubled each time … */
  uint32_t socket_retry_max_ms; /* 600000: … up to this */
  uint32_t token_ms;            /* 30000: until a provider that does not answer
                                   has none */
  uint32_t request_ms;          /* 30000: until a request is given up … */
  uint32_t act_ms;              /* 120000: … or one that has an op */
} sn_intervals;

void sn_intervals_init(sn_intervals *intervals); /* the defaults above */

typedef struct sn_session_options {
  const char *user;        /* copied, as all of this */
  const char *device;      /* not empty: the protocol wants a name */
  const char *incarnation; /* as noted by SN_OUT_SERVER; NULL: none */
  uint64_t version;        /* likewise; 0: none, and with an incarnation or
                              rows all that is held is in doubt */
  bool rows;               /* some are held, from pushes at least */
  const char *token;       /* to begin with; NULL: asked for */
  uint64_t seed;           /* of waits and ops: a random one each time */
  sn_intervals intervals;
  sn_log log;                   /* no token and no text gets there */
  const seen_allocator *memory; /* outlives the session */
} sn_session_options;

/* SEEN_EINVAL for what the protocol does not take, SEEN_ENOMEM. It is off. */
int sn_session_new(const sn_session_options *options, uint64_t now,
                   sn_session **out, seen_error *error);
void sn_session_free(sn_session *session);

/* Connects, and stays connected. Also what ends SEEN_CONNECTION_DISABLED. */
void sn_session_start(sn_session *session, uint64_t now);

/*
 * Closes the link and is off, until start. The host's requests stay and time
 * out; to end them call sn_session_cancel_all().
 */
void sn_session_stop(sn_session *session, uint64_t now);

/* Another network, or the process was frozen: nothing held is believed. */
void sn_session_network_changed(sn_session *session, uint64_t now);

/*
 * The provider's answer to SN_OUT_TOKEN, or a token that came by itself. NULL:
 * it has none. SEEN_EINVAL for what is no header's text, SEEN_ENOMEM: it is as
 * if nothing was said.
 */
int sn_session_token(sn_session *session, const char *token, uint64_t now);
bool sn_token_valid(const char *token); /* any thread */

/*
 * Without a link, reports what is unsent by requests of its own (for an app
 * in the background): the engine is told of a link, until all of these were
 * answered. Nothing where there is a link: feed SEEN_INPUT_FLUSH instead.
 */
void sn_session_flush(sn_session *session, uint64_t now);

/*
 * What a notification service brought: a frame as text, or an array of them.
 * `position`, `message` and `changes` are taken (they move no resume version),
 * all else is ignored. SEEN_EPARSE: one is no frame, and none was taken;
 * SEEN_ENOMEM; SEEN_ESTATE: outputs still wait.
 */
int sn_push_check(const seen_allocator *memory, const char *text, size_t length,
                  seen_error *error); /* any thread */
int sn_session_push(sn_session *session, const char *text, size_t length,
                    uint64_t now, seen_error *error);

/* What is asked for; only what belongs to `act` is looked at. */
typedef struct sn_ask {
  seen_act act;
  const char *conv;            /* all but SETTINGS */
  const seen_post *post;       /* SEND */
  uint64_t before;             /* HISTORY; 0: the newest */
  uint64_t seq;                /* READERS */
  seen_ask which;              /* READERS */
  const char *cursor;          /* READERS; NULL: the first page */
  uint32_t limit;              /* HISTORY, READERS: 1 … 100 */
  const seen_creation *create; /* CREATE */
  const char *const *users;    /* ADD, REMOVE */
  size_t user_count;
  seen_role role; /* ADD */
  bool on;        /* SETTINGS: receipts */
} sn_ask;

/*
 * Checks and copies what is asked; `number` is the caller's, never used twice.
 * Any thread. SEEN_EINVAL, SEEN_ERANGE as <seen/chat.h> says, SEEN_ENOMEM.
 */
int sn_request_new(const sn_ask *ask, uint64_t number,
                   const seen_allocator *memory, sn_request **out,
                   seen_error *error);
void sn_request_free(sn_request *request); /* one that was not handed over */

/*
 * The session owns it from here on and ends it with one SN_OUT_REPLY. Those
 * that change something are done once, by their op, and of one conversation in
 * the order in which they came.
 */
void sn_session_request(sn_session *session, sn_request *request, uint64_t now);

/* Replies SEEN_ECANCELED, or `code` to all of them. */
void sn_session_cancel(sn_session *session, uint64_t number);
void sn_session_cancel_all(sn_session *session, int code);

/*
 * An event of the transport. SEEN_ESTATE: outputs still wait to be pulled, and
 * nothing was taken in. Events of connections that were given up are ignored.
 */
int sn_session_transport(sn_session *session, const seen_transport_event *event,
                         uint64_t now);

/*
 * The transport's dial(), write() or request() failed, for the number that it
 * was called with. What it said by an event is not said here again.
 */
void sn_session_transport_failed(sn_session *session, uint64_t number,
                                 uint64_t now);

/*
 * What the engine effects to the server; `id` is the conversation's, NULL
 * where there is none. Other effects are ignored.
 */
void sn_session_effect(sn_session *session, const seen_effect *effect,
                       const char *id, uint64_t now);

void sn_session_tick(sn_session *session, uint64_t now);
uint64_t sn_session_deadline(const sn_session *session); /* SEEN_NEVER */

typedef enum sn_out_type {
  SN_OUT_INPUT = 1, /* input: feed it to the engine */
  SN_OUT_SERVER,    /* server: note it in the mirror, behind what was fed */
  SN_OUT_MESSAGE,   /* message: a live one; its input came before */
  SN_OUT_REPLY,     /* reply: a host's request has ended */
  SN_OUT_STATE,     /* state: the connection's is another */
  SN_OUT_TOKEN,     /* ask the provider for a token */
  /* For the transport. */
  SN_OUT_CLOSE,   /* close: with a close code */
  SN_OUT_CANCEL,  /* number: of a request */
  SN_OUT_DIAL,    /* dial */
  SN_OUT_WRITE,   /* write */
  SN_OUT_PING,    /* number: of a connection */
  SN_OUT_REQUEST, /* request */
} sn_out_type;

typedef struct sn_out {
  sn_out_type type;
  union {
    seen_input input;
    struct {
      const char *incarnation;
      uint64_t version;
    } server;
    struct {
      const char *conv;
      seen_text text;
    } message;
    seen_reply reply;
    seen_connection_state state;
    uint64_t number;
    struct {
      uint64_t connection;
      uint32_t code;
    } close;
    seen_dial dial;
    struct {
      uint64_t connection;
      const char *text;
      size_t length;
    } write;
    seen_http_request request;
  } u;
} sn_out;

/* Pulls the next output; false: there is none, and `out` is untouched. */
bool sn_session_next(sn_session *session, sn_out *out, uint64_t now);

#endif
