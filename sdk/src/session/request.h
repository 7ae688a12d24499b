/*
 * What a host asks for. A request is its own frame (or path, for who has read)
 * from the start, so that nothing about it can fail later; the op in it is
 * filled in when a session takes it. It is kept until it has its reply.
 */
#ifndef SN_SESSION_REQUEST_H
#define SN_SESSION_REQUEST_H

#include "session/core.h"

struct sn_request {
  sn_call call; /* of READERS: its text is the path */
  seen_act act;
  uint64_t number;
  char *conv; /* "" where none */
  uint64_t seq;
  seen_message sent;  /* SEND: what it will be for the engine, but for seq */
  size_t op_at;       /* where the op stands in the text; 0: it has none */
  uint64_t until;     /* when it is given up */
  int code;           /* once it has ended without an answer … */
  const char *reason; /* … and the server's word for it, or "" */
  sn_request *next;   /* of those that have ended */
};

/* Takes one in, as sn_session_request() says. */
void sn_requests_take(sn_session *session, sn_request *request);

/* Gives up what is overdue; when the next one will be. */
void sn_requests_tick(sn_session *session);
uint64_t sn_requests_deadline(const sn_session *session);

/* Ends one that is in no list: a reply with that code is due. */
void sn_request_end(sn_session *session, sn_request *request, int code,
                    const char *reason);

/* Ends all, likewise. */
void sn_requests_end(sn_session *session, int code, const char *reason);

/* The next of those replies; false: none. */
bool sn_requests_next(sn_session *session, seen_reply *reply);

/* A reply that only says which request it is of. */
seen_reply sn_request_reply(const sn_request *request, int code);

/* Frees all, without a reply. */
void sn_requests_free(sn_session *session);

#endif
