/*
 * From a frame to what is to be done, item by item: a page of two hundred rows
 * is as many inputs, and no more memory than the page.
 */
#ifndef SN_SESSION_WALK_H
#define SN_SESSION_WALK_H

#include "session/core.h"

/* Each begins; none is underway. */
void sn_walk_frame(sn_session *session, const sn_frame *frame);
void sn_walk_page(sn_session *session, const sn_frame *frame);
void sn_walk_push(sn_session *session);
void sn_walk_answer(sn_session *session, const sn_frame *frame,
                    sn_request *request);
void sn_walk_audience(sn_session *session, const sn_audience *audience,
                      sn_request *request);

bool sn_walk_underway(const sn_session *session);

/* The next output; false: there is none, and none is underway. */
bool sn_walk_next(sn_session *session, sn_out *out);

#endif
