/*
 * The token, and when the host is asked for one: at the beginning, and when
 * the server refused the one held. Never because a connection broke.
 */
#ifndef SN_SESSION_TOKEN_H
#define SN_SESSION_TOKEN_H

#include "session/core.h"

/* The provider's, as sn_session_token() says. */
int sn_token_take(sn_session *session, const char *token);

/* The server takes it no more. */
void sn_token_refused(sn_session *session);

/* Without a token one is asked for, as soon as that may be. */
void sn_token_want(sn_session *session);

/* A provider that does not answer has none. */
void sn_token_tick(sn_session *session);
uint64_t sn_token_deadline(const sn_session *session);

#endif
