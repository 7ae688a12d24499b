/*
 * The connection: when it is dialled, how long each step may take, when it
 * counts as dead, how long to wait then. Beside a connection by requests, a
 * socket is tried now and then, as its rival.
 */
#ifndef SN_SESSION_LINK_H
#define SN_SESSION_LINK_H

#include "session/core.h"

/* Begins what is due: a dial, a rival's, a question for a token. */
void sn_link_advance(sn_session *session);

/* OPEN, ALIVE and ENDED of a connection; its frames go to inbound.h. */
void sn_link_event(sn_session *session, const seen_transport_event *event);

/* The connection of that number, if it is one that holds; else NULL. */
sn_link *sn_link_find(sn_session *session, uint64_t number);

/* It is closed with that code, and tried again after a while. */
void sn_link_fail(sn_session *session, sn_link *link, seen_ended cause,
                  uint32_t close_code);

/* The same, for the server's reasons. */
void sn_link_unauthorized(sn_session *session, sn_link *link);
void sn_link_disabled(sn_session *session, sn_link *link);
void sn_link_limited(sn_session *session, sn_link *link, uint64_t retry_ms);

/* There was no memory for a frame: nothing is kept of the connection. */
void sn_link_no_memory(sn_session *session, sn_link *link);

/* The server said welcome on it: it is the link from now on. */
void sn_link_welcomed(sn_session *session, sn_link *link);

void sn_link_tick(sn_session *session);
uint64_t sn_link_deadline(const sn_session *session);

/* Outputs, in this order; false: none. */
bool sn_link_next_close(sn_session *session, sn_out *out);
bool sn_link_next_state(sn_session *session, sn_out *out);
bool sn_link_next_dial(sn_session *session, sn_out *out);
bool sn_link_next_hello(sn_session *session, sn_out *out);
bool sn_link_next_ping(sn_session *session, sn_out *out);

#endif
