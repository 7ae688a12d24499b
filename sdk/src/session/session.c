/* The door: what comes in is passed on, what goes out is found in order. */
#include "session/session.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "session/answer.h"
#include "session/calls.h"
#include "session/exchange.h"
#include "session/inbound.h"
#include "session/link.h"
#include "session/paging.h"
#include "session/request.h"
#include "session/token.h"
#include "session/waits.h"
#include "session/walk.h"
#include "wire/take.h"

void sn_intervals_init(sn_intervals *intervals) {
  *intervals = (sn_intervals){.dial_ms = 15000,
                              .hello_ms = 10000,
                              .answer_ms = 60000,
                              .ping_ms = 25000,
                              .dead_ms = 35000,
                              .probe_ms = 5000,
                              .backoff_min_ms = 1000,
                              .backoff_max_ms = 60000,
                              .drain_ms = 5000,
                              .stable_ms = 10000,
                              .socket_retry_ms = 60000,
                              .socket_retry_max_ms = 600000,
                              .token_ms = 30000,
                              .request_ms = 30000,
                              .act_ms = 120000};
}

static int check_intervals(const sn_intervals *by, seen_error *error) {
  const uint32_t all[] = {
      by->dial_ms,        by->hello_ms,        by->answer_ms,
      by->ping_ms,        by->dead_ms,         by->probe_ms,
      by->backoff_min_ms, by->backoff_max_ms,  by->drain_ms,
      by->stable_ms,      by->socket_retry_ms, by->socket_retry_max_ms,
      by->token_ms,       by->request_ms,      by->act_ms};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (!all[i]) return sn_fail(error, SEEN_EINVAL, "an interval is 0");
  return SEEN_OK;
}

static int check_options(const sn_session_options *options, seen_error *error) {
  if (!sn_is_name(options->user) || !sn_is_name(options->device))
    return sn_fail(error, SEEN_EINVAL,
                   "user and device have to have 1 to 64 bytes, no control "
                   "characters");
  return check_intervals(&options->intervals, error);
}

static char *copy(const seen_allocator *memory, const char *text) {
  return sn_copy_text(memory, text, strlen(text));
}

/* False: no memory. */
static bool copy_texts(sn_session *session, const sn_session_options *options) {
  const seen_allocator *memory = session->memory;
  session->user = copy(memory, options->user);
  session->device = copy(memory, options->device);
  if (options->incarnation && *options->incarnation) {
    session->incarnation = copy(memory, options->incarnation);
    if (!session->incarnation) return false;
    session->version = options->version;
  }
  session->doubtful =
      session->version == 0 && (options->rows || session->incarnation);
  return session->user && session->device;
}

static int take_token(sn_session *session, const char *token,
                      seen_error *error) {
  int status = sn_token_take(session, token);
  if (status == SEEN_EINVAL)
    return sn_fail(error, status, "token: no text that a header can carry");
  return status ? sn_fail_memory(error) : SEEN_OK;
}

int sn_session_new(const sn_session_options *options, uint64_t now,
                   sn_session **out, seen_error *error) {
  *out = NULL;
  int status = check_options(options, error);
  if (status) return status;
  sn_session *session = sn_allocate_zero(options->memory, sizeof *session);
  if (!session) return sn_fail_memory(error);
  session->memory = options->memory;
  session->log = options->log;
  session->intervals = options->intervals;
  session->random = options->seed;
  session->now = now;
  session->retry_at = session->asked_at = session->told_again_at = SEEN_NEVER;
  session->frame_bytes = SEEN_FRAME_MAX;
  session->items = 100;
  sn_calls_init(session);
  sn_frame_reader_init(&session->reader, session->memory);
  sn_text_growing(&session->hello, session->memory);
  if (!copy_texts(session, options))
    status = sn_fail_memory(error);
  else if (options->token)
    status = take_token(session, options->token, error);
  if (status)
    sn_session_free(session);
  else
    *out = session;
  return status;
}

void sn_session_free(sn_session *session) {
  if (!session) return;
  sn_request_free(session->walk.request);
  sn_requests_free(session);
  sn_calls_free(session);
  sn_exchanges_free(session);
  sn_frame_reader_free(&session->reader);
  sn_text_free(&session->hello);
  sn_release(session->memory, session->user);
  sn_release(session->memory, session->device);
  sn_release(session->memory, session->incarnation);
  sn_release(session->memory, session->token);
  sn_release(session->memory, session);
}

int sn_session_token(sn_session *session, const char *token, uint64_t now) {
  session->now = now;
  int status = sn_token_take(session, token);
  if (!status) sn_link_advance(session);
  return status;
}

void sn_session_request(sn_session *session, sn_request *request,
                        uint64_t now) {
  session->now = now;
  sn_requests_take(session, request);
  sn_link_advance(session);
}

int sn_session_transport(sn_session *session, const seen_transport_event *event,
                         uint64_t now) {
  sn_link *link;
  if (sn_walk_underway(session)) return SEEN_ESTATE;
  session->now = now;
  switch (event->type) {
  case SEEN_TRANSPORT_ANSWER: sn_answer(session, event); break;
  case SEEN_TRANSPORT_FRAME:
    link = sn_link_find(session, event->number);
    sn_link_event(session, event);
    if (link) sn_inbound_frame(session, link, event->text, event->length);
    break;
  default: sn_link_event(session, event); break;
  }
  sn_link_advance(session);
  return SEEN_OK;
}

void sn_session_transport_failed(sn_session *session, uint64_t number,
                                 uint64_t now) {
  const seen_transport_event no_answer = {.size = (uint32_t)sizeof no_answer,
                                          .type = SEEN_TRANSPORT_ANSWER,
                                          .number = number,
                                          .ended = SEEN_ENDED_LOCAL};
  sn_link *link = sn_link_find(session, number);
  session->now = now;
  if (link)
    sn_link_no_memory(session, link);
  else
    sn_answer(session, &no_answer);
}

int sn_push_check(const seen_allocator *memory, const char *text, size_t length,
                  seen_error *error) {
  sn_frame_reader reader;
  const sn_frame *frame;
  sn_frame_reader_init(&reader, memory);
  int status = sn_frames_open(&reader, text, length, error);
  do {
    frame = NULL;
    if (!status) status = sn_frames_next(&reader, &frame, error);
  } while (frame);
  sn_frame_reader_free(&reader);
  return status;
}

int sn_session_push(sn_session *session, const char *text, size_t length,
                    uint64_t now, seen_error *error) {
  if (sn_walk_underway(session)) return SEEN_ESTATE;
  session->now = now;
  int status = sn_push_check(session->memory, text, length, error);
  if (!status) status = sn_frames_open(&session->reader, text, length, error);
  if (status) return status;
  /* Of what comes before all rows, a snapshot may name nothing. */
  if (session->version == 0) session->doubtful = true;
  sn_walk_push(session);
  return SEEN_OK;
}

void sn_session_flush(sn_session *session, uint64_t now) {
  session->now = now;
  if (!session->wanted || session->disabled || session->courier ||
      session->link.stage == SN_STAGE_UP)
    return;
  session->courier = ++session->numbers;
  session->courier_until = sn_later(now, session->intervals.request_ms);
}

void sn_session_tick(sn_session *session, uint64_t now) {
  session->now = now;
  sn_requests_tick(session);
  sn_token_tick(session);
  sn_link_tick(session);
  if (session->courier && session->courier_until <= now)
    sn_courier_end(session);
  sn_link_advance(session);
}

uint64_t sn_session_deadline(const sn_session *session) {
  uint64_t deadline = sn_link_deadline(session);
  const uint64_t others[] = {
      sn_calls_deadline(session), sn_requests_deadline(session),
      sn_exchanges_deadline(session),
      session->wanted ? sn_token_deadline(session) : SEEN_NEVER,
      session->courier ? session->courier_until : SEEN_NEVER};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i] < deadline) deadline = others[i];
  return deadline;
}

static void say(sn_out *out, seen_input_type type, bool on) {
  out->type = SN_OUT_INPUT;
  out->u.input = (seen_input){
      .size = (uint32_t)sizeof(seen_input), .type = type, .u.on = on};
}

/* The engine hears of the link that holds, after that of the one before. */
static bool next_link_input(sn_session *session, sn_out *out) {
  uint64_t is = session->link.stage == SN_STAGE_UP ? session->link.number
                                                   : session->courier;
  if (session->engine_link && session->engine_link != is) {
    session->engine_link = 0;
    say(out, SEEN_INPUT_LINK, false);
    return true;
  }
  if (session->say_reset) {
    session->say_reset = false;
    say(out, SEEN_INPUT_SERVER_RESET, false);
    return true;
  }
  if (session->note) {
    session->note = false;
    sn_paging_note(session, out);
    return true;
  }
  if (session->engine_link == is) return false;
  session->engine_link = is;
  say(out, SEEN_INPUT_LINK, true);
  return true;
}

static bool next_cancel(sn_session *session, sn_out *out) {
  if (!session->cancel_count) return false;
  out->type = SN_OUT_CANCEL;
  out->u.number = session->cancels[--session->cancel_count];
  return true;
}

static bool next_token(sn_session *session, sn_out *out) {
  if (!session->ask) return false;
  session->ask = false;
  out->type = SN_OUT_TOKEN;
  return true;
}

static bool next_write(sn_session *session, sn_out *out) {
  sn_call *call;
  if (session->link.stage != SN_STAGE_UP || !sn_calls_next(session, &call))
    return false;
  out->type = SN_OUT_WRITE;
  out->u.write.connection = session->link.number;
  out->u.write.text = call->text.bytes;
  out->u.write.length = call->text.length;
  return true;
}

static bool next_reply(sn_session *session, sn_out *out) {
  if (!sn_requests_next(session, &out->u.reply)) return false;
  out->type = SN_OUT_REPLY;
  return true;
}

static bool next_request(sn_session *session, sn_out *out) {
  if (!sn_exchanges_next(session, &out->u.request)) return false;
  out->type = SN_OUT_REQUEST;
  return true;
}

/* All that it effected was handed over and answered: there is no link. */
static bool next_end_of_courier(sn_session *session, sn_out *out) {
  if (!session->courier || session->engine_link != session->courier ||
      sn_exchanges_any(session, SN_EXCHANGE_REPORT))
    return false;
  session->courier = 0;
  return next_link_input(session, out);
}

static bool next(sn_session *session, sn_out *out) {
  return next_link_input(session, out) || sn_walk_next(session, out) ||
         next_reply(session, out) || sn_link_next_close(session, out) ||
         next_cancel(session, out) || sn_link_next_state(session, out) ||
         next_token(session, out) || sn_link_next_dial(session, out) ||
         sn_link_next_hello(session, out) || next_write(session, out) ||
         next_request(session, out) || sn_link_next_ping(session, out) ||
         next_end_of_courier(session, out);
}

bool sn_session_next(sn_session *session, sn_out *out, uint64_t now) {
  session->now = now;
  sn_request_free(session->gone);
  session->gone = NULL;
  /* A hello that could not be written leaves a connection to be closed. */
  return next(session, out) || (session->close_count && next(session, out));
}
