/*
 * A frame that can't be read, or comes out of turn, ends the connection: the
 * resume version has not moved, so the next one brings again what it said.
 */
#include "session/inbound.h"

#include <string.h>

#include "base/memory.h"
#include "session/calls.h"
#include "session/link.h"
#include "session/paging.h"
#include "session/request.h"
#include "session/waits.h"
#include "session/walk.h"
#include "wire/write.h"

#define CLOSE_PROTOCOL 1002

static void out_of_turn(sn_session *session, sn_link *link, const char *what) {
  sn_log_write(&session->log, SEEN_LOG_WARN, "the server speaks otherwise: %s",
               what);
  sn_link_fail(session, link, SEEN_ENDED_PROTOCOL, CLOSE_PROTOCOL);
}

/* False: no memory. */
static bool take_incarnation(sn_session *session, const sn_welcome *welcome) {
  const char *held = session->incarnation;
  bool same = held && strcmp(held, welcome->incarnation) == 0;
  bool all_rows = welcome->snapshot || session->version == 0;
  if (!same) {
    char *copy = sn_copy_text(session->memory, welcome->incarnation,
                              strlen(welcome->incarnation));
    if (!copy) return false;
    sn_release(session->memory, session->incarnation);
    session->incarnation = copy;
  }
  if ((held && !same) ||
      (all_rows && (session->version || session->doubtful))) {
    session->say_reset = true;
    sn_paging_begin_anew(session);
  }
  return true;
}

static size_t limit(uint64_t said, size_t most) {
  return said && said < most ? (size_t)said : most;
}

static void take_welcome(sn_session *session, sn_link *link,
                         const sn_frame *frame) {
  const sn_welcome *welcome = &frame->u.welcome;
  if (strcmp(welcome->user, session->user) != 0) {
    sn_log_write(&session->log, SEEN_LOG_ERROR,
                 "the token is of another user: %s", welcome->user);
    sn_link_unauthorized(session, link);
    return;
  }
  if (!take_incarnation(session, welcome)) {
    sn_link_no_memory(session, link);
    return;
  }
  sn_link_welcomed(session, link);
  session->frame_bytes = limit(welcome->frame_bytes, SEEN_FRAME_MAX);
  session->items = limit(welcome->items, 100);
  session->paging = SN_PAGING_HELLO;
  session->snapshot = welcome->snapshot;
  session->welcomed = welcome->version;
  session->receipts = welcome->receipts;
}

/* Errors that end a connection; true where it is one. */
static bool take_last_error(sn_session *session, sn_link *link,
                            const sn_refused *error) {
  if (strcmp(error->code, "unauthorized") == 0)
    sn_link_unauthorized(session, link);
  else if (strcmp(error->code, "disabled") == 0)
    sn_link_disabled(session, link);
  else
    return false;
  return true;
}

/* The answer to hello. */
static void take_greeting(sn_session *session, sn_link *link,
                          const sn_frame *frame) {
  if (frame->type == SN_FRAME_WELCOME) {
    take_welcome(session, link, frame);
  } else if (frame->type != SN_FRAME_ERROR) {
    out_of_turn(session, link, "no welcome");
  } else if (!take_last_error(session, link, &frame->u.error)) {
    sn_log_write(&session->log, SEEN_LOG_WARN, "hello was refused: %s",
                 frame->u.error.code);
    sn_link_limited(session, link, frame->u.error.retry_ms);
  }
}

/* The host's request of a call that has its answer; NULL: the engine's. */
static sn_request *answered(sn_session *session, sn_call *call) {
  sn_request *request = call->request;
  sn_calls_answered(session, call);
  return request;
}

static void take_changes(sn_session *session, const sn_frame *frame) {
  sn_call *call = frame->has_id ? sn_calls_find(session, frame->id) : NULL;
  bool page = sn_paging_awaits(session, frame);
  if (call && (page || !frame->u.changes.more)) answered(session, call);
  if (page)
    sn_walk_page(session, frame);
  else
    sn_walk_frame(session, frame);
}

static bool is_limited(const sn_ack *ack) {
  return ack->count && ack->items[0].result == SN_RESULT_REFUSED &&
         strcmp(ack->items[0].code, "rate_limited") == 0;
}

static uint64_t back_off(sn_session *session, uint64_t retry_ms) {
  if (retry_ms) return retry_ms;
  return sn_wait(session, (uint32_t)++session->backoffs);
}

/* Of a message whose request was given up no more is known than that it is
 * there: its row is asked for, which says the rest (B3). */
static void take_late_send(sn_session *session, sn_link *link,
                           const sn_item *sent) {
  sn_call *call;
  if (sent->result == SN_RESULT_REFUSED) return;
  call = sn_call_new(session, SN_SAY_FETCH);
  if (call) {
    sn_put_list(&call->text, SN_SAY_FETCH, call->id);
    sn_put_fetch(&call->text, true, sent->conv);
    sn_put_list_end(&call->text);
  }
  if (call && !call->text.status) {
    sn_calls_add(&session->waiting, call);
    return;
  }
  if (call) sn_call_free(session, call);
  sn_link_no_memory(session, link);
}

static void take_ack(sn_session *session, sn_link *link,
                     const sn_frame *frame) {
  const sn_ack *ack = &frame->u.ack;
  sn_call *call = frame->has_id ? sn_calls_find(session, frame->id) : NULL;
  if (!call && ack->of == SN_SAY_SEND && ack->count)
    take_late_send(session, link, &ack->items[0]);
  if (!call || call->say != ack->of) return;
  if (ack->of == SN_SAY_SETTINGS && !is_limited(ack))
    session->receipts = ack->receipts;
  if (call->request && is_limited(ack))
    sn_calls_again(session, call, back_off(session, ack->items[0].retry_ms));
  else if (ack->more)
    sn_walk_frame(session, frame);
  else
    sn_walk_answer(session, frame, answered(session, call));
}

/* `set`, `receipts` and `page` answer what was asked, or come by themselves. */
static void take_answer(sn_session *session, const sn_frame *frame) {
  sn_call *call = frame->has_id ? sn_calls_find(session, frame->id) : NULL;
  if (call && call->request && call->say != SN_SAY_HISTORY) return;
  sn_walk_answer(session, frame, call ? answered(session, call) : NULL);
}

static bool may_succeed_later(const sn_refused *error) {
  return strcmp(error->code, "storage") == 0 ||
         strcmp(error->code, "rate_limited") == 0;
}

static void take_error(sn_session *session, sn_link *link,
                       const sn_frame *frame) {
  const sn_refused *error = &frame->u.error;
  sn_call *call = frame->has_id ? sn_calls_find(session, frame->id) : NULL;
  if (take_last_error(session, link, error)) return;
  if (!call) {
    sn_log_write(&session->log, SEEN_LOG_WARN, "the server says: %s",
                 error->code);
  } else if (may_succeed_later(error)) {
    sn_calls_again(session, call, back_off(session, error->retry_ms));
  } else if (call->request) {
    sn_walk_answer(session, frame, answered(session, call));
  } else if (call->say == SN_SAY_SYNC) {
    out_of_turn(session, link, "no rows");
  } else {
    sn_log_write(&session->log, SEEN_LOG_ERROR, "%s was refused: %s",
                 sn_say_name(call->say), error->code);
    answered(session, call);
  }
}

static void take_resync(sn_session *session, sn_link *link,
                        const sn_resync *resync) {
  if (resync->incarnation || session->doubtful)
    sn_link_fail(session, link, SEEN_ENDED_PEER, 1000);
  else
    sn_paging_by_socket(session, session->version);
}

static void take_frame(sn_session *session, sn_link *link,
                       const sn_frame *frame) {
  switch (frame->type) {
  case SN_FRAME_UNKNOWN:
  case SN_FRAME_WELCOME: break;
  case SN_FRAME_CHANGES: take_changes(session, frame); break;
  case SN_FRAME_ACK: take_ack(session, link, frame); break;
  case SN_FRAME_SET:
  case SN_FRAME_RECEIPTS:
  case SN_FRAME_PAGE: take_answer(session, frame); break;
  case SN_FRAME_ERROR: take_error(session, link, frame); break;
  case SN_FRAME_RESYNC: take_resync(session, link, &frame->u.resync); break;
  default: sn_walk_frame(session, frame); break;
  }
}

void sn_inbound_frame(sn_session *session, sn_link *link, const char *text,
                      size_t length) {
  seen_error error = SEEN_ERROR_INIT;
  const sn_frame *frame;
  int status = length > SEEN_FRAME_MAX ? SEEN_EPARSE
                                       : sn_frame_read(&session->reader, text,
                                                       length, &frame, &error);
  if (status == SEEN_ENOMEM)
    sn_link_no_memory(session, link);
  else if (status)
    out_of_turn(session, link, error.message);
  else if (link->stage == SN_STAGE_UP)
    take_frame(session, link, frame);
  else if (link->stage == SN_STAGE_GREETING)
    take_greeting(session, link, frame);
  else
    out_of_turn(session, link, "a frame before hello");
}
