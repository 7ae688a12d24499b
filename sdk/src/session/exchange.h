/*
 * Requests by HTTP: pages of rows, who has read, and reports without a link.
 * At most SN_EXCHANGES_MAX are without an answer at one time; the others wait.
 */
#ifndef SN_SESSION_EXCHANGE_H
#define SN_SESSION_EXCHANGE_H

#include "session/core.h"

/* Each adds one, or is SEEN_ENOMEM with nothing changed. */
int sn_exchange_page(sn_session *session, uint64_t after);
int sn_exchange_readers(sn_session *session, sn_request *request,
                        const sn_text *path);
int sn_exchange_report(sn_session *session, const char *conv,
                       const seen_report *report);

/* Frees one, or all of a type; the transport is told to give them up. A host's
 * request stays. */
void sn_exchange_drop(sn_session *session, sn_exchange *exchange);
void sn_exchanges_drop(sn_session *session, sn_exchange_type type);

/* Frees all, with the session; their requests are the caller's to free. */
void sn_exchanges_free(sn_session *session);

/* No reports without a link any more: there is one, or there is to be none. */
void sn_courier_end(sn_session *session);

bool sn_exchanges_any(const sn_session *session, sn_exchange_type type);

/* Whether one waits for nothing but a token. */
bool sn_exchanges_want_token(const sn_session *session);

/* The next request for the transport; false: none. */
bool sn_exchanges_next(sn_session *session, seen_http_request *out);

uint64_t sn_exchanges_deadline(const sn_session *session);

#endif
