/* Answers to requests by HTTP. */
#ifndef SN_SESSION_ANSWER_H
#define SN_SESSION_ANSWER_H

#include "session/core.h"

/* That of an exchange; one of a request that was given up is none. */
void sn_answer(sn_session *session, const seen_transport_event *event);

#endif
