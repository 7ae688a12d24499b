/*
 * What cannot be read is asked for otherwise or, of a request that may do
 * better the next time, again.
 */
#include "session/answer.h"

#include "model/names.h"
#include "session/exchange.h"
#include "session/paging.h"
#include "session/request.h"
#include "session/token.h"
#include "session/waits.h"
#include "session/walk.h"

/* The server's error in the body, or NULL; `*retry_ms` by it or a header. */
static const sn_frame *read_error(sn_session *session,
                                  const seen_transport_event *event,
                                  uint64_t *retry_ms) {
  const sn_frame *frame;
  *retry_ms = event->retry_ms;
  if (!event->text ||
      sn_frame_read(&session->reader, event->text, event->length, &frame, NULL))
    return NULL;
  if (frame->type != SN_FRAME_ERROR) return NULL;
  if (frame->u.error.retry_ms) *retry_ms = frame->u.error.retry_ms;
  return frame;
}

static void send_again(sn_session *session, sn_exchange *exchange,
                       uint64_t ms) {
  exchange->number = 0;
  exchange->due = sn_later(session->now, ms);
}

/* True where a new token may help; it is asked for. */
static bool take_refused_token(sn_session *session, sn_exchange *exchange) {
  bool current = exchange->token == session->token_number;
  if (exchange->refused && current) return false;
  exchange->refused = current;
  if (current) sn_token_refused(session);
  send_again(session, exchange, 0);
  return true;
}

static void answer_page(sn_session *session, sn_exchange *exchange,
                        const seen_transport_event *event) {
  const sn_frame *frame = NULL;
  uint64_t after = exchange->after;
  exchange->number = 0;
  sn_exchange_drop(session, exchange);
  if (event->status == 200 && event->text)
    (void)sn_frame_read(&session->reader, event->text, event->length, &frame,
                        NULL);
  if (frame && frame->type == SN_FRAME_CHANGES && frame->u.changes.dated &&
      frame->u.changes.from == after)
    sn_walk_page(session, frame);
  else
    sn_paging_by_socket(session, after);
}

static void refuse_readers(sn_session *session, sn_exchange *exchange,
                           const sn_frame *error) {
  sn_request *request = exchange->request;
  exchange->number = 0;
  sn_exchange_drop(session, exchange);
  if (error)
    sn_walk_answer(session, error, request);
  else
    sn_request_end(session, request, SEEN_EREFUSED, "");
}

/* What tells nothing of the request itself may be otherwise the next time. */
static bool is_passing(uint32_t status) {
  return status < 400 || status >= 500 || status == 408 || status == 429;
}

static void answer_readers(sn_session *session, sn_exchange *exchange,
                           const seen_transport_event *event) {
  const sn_audience *audience = NULL;
  sn_request *request = exchange->request;
  uint64_t retry_ms;
  if (event->status == 200 && event->text)
    (void)sn_audience_read(&session->reader, event->text, event->length,
                           &audience, NULL);
  if (audience) {
    exchange->number = 0;
    sn_exchange_drop(session, exchange);
    sn_walk_audience(session, audience, request);
    return;
  }
  const sn_frame *error = read_error(session, event, &retry_ms);
  if (event->status == 401 && take_refused_token(session, exchange)) return;
  if (is_passing(event->status))
    send_again(session, exchange, retry_ms ? retry_ms : sn_wait(session, 3));
  else
    refuse_readers(session, exchange, error);
}

/* A client clamps (P3): such a refusal is of another history, which only the
 * next link tells of (S2). */
static bool is_of_another_history(const sn_item *item) {
  seen_refusal code;
  return item->result == SN_RESULT_REFUSED &&
         sn_refusal_parse(item->code, &code) &&
         (code == SEEN_REFUSAL_SEQ_OUT_OF_RANGE ||
          code == SEEN_REFUSAL_EPOCH_AHEAD);
}

/* Where there is no answer the report is said again by the engine (V5). */
static void answer_report(sn_session *session, sn_exchange *exchange,
                          const seen_transport_event *event) {
  const sn_frame *frame = NULL;
  if (event->status == 401 && take_refused_token(session, exchange)) return;
  exchange->number = 0;
  sn_exchange_drop(session, exchange);
  if (event->status == 200 && event->text)
    (void)sn_frame_read(&session->reader, event->text, event->length, &frame,
                        NULL);
  if (frame && frame->type == SN_FRAME_ACK && frame->u.ack.of == SN_SAY_READ &&
      frame->u.ack.count && !is_of_another_history(&frame->u.ack.items[0]))
    sn_walk_answer(session, frame, NULL);
}

void sn_answer(sn_session *session, const seen_transport_event *event) {
  sn_exchange *exchange = session->exchanges;
  while (exchange && exchange->number != event->number)
    exchange = exchange->next;
  if (!exchange) return;
  switch (exchange->type) {
  case SN_EXCHANGE_PAGE: answer_page(session, exchange, event); break;
  case SN_EXCHANGE_READERS: answer_readers(session, exchange, event); break;
  case SN_EXCHANGE_REPORT: answer_report(session, exchange, event); break;
  }
}
