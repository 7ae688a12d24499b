/*
 * Frames to the server: those that wait, and those in flight, at most
 * SN_IN_FLIGHT_MAX. The engine's are forgotten when the link goes, since it
 * says them again; a host's go on the next one, as they are.
 */
#ifndef SN_SESSION_CALLS_H
#define SN_SESSION_CALLS_H

#include "session/core.h"

void sn_calls_init(sn_session *session);
void sn_calls_free(sn_session *session);

/*
 * What a server may refuse for now must not be overtaken by what undoes it: a
 * host's acts, settings and subscriptions of one conversation are in order.
 */
typedef enum sn_order {
  SN_ORDER_ACT = 1,
  SN_ORDER_SET,
  SN_ORDER_WATCH,
  SN_ORDER_SETTINGS
} sn_order;

void sn_call_in_order(sn_call *call, sn_order order, const char *conv);

/* A frame of the engine, in no list yet; NULL: no memory. */
sn_call *sn_call_new(sn_session *session, sn_say say);

/* Ends it: one of the engine is freed, one of a host is the host's. */
void sn_call_free(sn_session *session, sn_call *call);

void sn_calls_add(sn_calls *calls, sn_call *call);
void sn_calls_remove(sn_calls *calls, sn_call *call);

/* The one in flight with that id; NULL: none, or it is to be sent again. */
sn_call *sn_calls_find(sn_session *session, uint64_t id);

/* The next frame to write on the link: true where there is one. */
bool sn_calls_next(sn_session *session, sn_call **call);

/* It was answered, or has to be sent again after `ms`. */
void sn_calls_answered(sn_session *session, sn_call *call);
void sn_calls_again(sn_session *session, sn_call *call, uint64_t ms);

/* The link is gone. */
void sn_calls_link_lost(sn_session *session);

/* Whether an answer has not come in time; when something is to be done. */
bool sn_calls_overdue(const sn_session *session);
uint64_t sn_calls_deadline(const sn_session *session);

#endif
