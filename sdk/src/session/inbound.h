/* What a frame means for the session, before it is walked through. */
#ifndef SN_SESSION_INBOUND_H
#define SN_SESSION_INBOUND_H

#include "session/core.h"

void sn_inbound_frame(sn_session *session, sn_link *link, const char *text,
                      size_t length);

#endif
