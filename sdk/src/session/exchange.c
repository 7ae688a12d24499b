/* An exchange is in the list until it is done, and has a number while it is
 * with the transport. */
#include "session/exchange.h"

#include <string.h>

#include "base/memory.h"
#include "model/names.h"
#include "session/link.h"
#include "session/paging.h"
#include "session/request.h"
#include "session/token.h"
#include "session/waits.h"
#include "session/walk.h"
#include "wire/path.h"
#include "wire/write.h"

#define PAGE_ROWS 200

static void free_exchange(sn_session *session, sn_exchange *exchange) {
  sn_text_free(&exchange->path);
  sn_text_free(&exchange->body);
  sn_release(session->memory, exchange->conv);
  sn_release(session->memory, exchange);
}

static sn_exchange *make(sn_session *session, sn_exchange_type type) {
  sn_exchange *exchange = sn_allocate_zero(session->memory, sizeof *exchange);
  if (!exchange) return NULL;
  exchange->type = type;
  exchange->due = session->now;
  sn_text_growing(&exchange->path, session->memory);
  sn_text_growing(&exchange->body, session->memory);
  return exchange;
}

/* Hangs it behind the others, where it has become whole. */
static int add(sn_session *session, sn_exchange *exchange) {
  sn_exchange **at = &session->exchanges;
  if (exchange->path.status || exchange->body.status) {
    free_exchange(session, exchange);
    return SEEN_ENOMEM;
  }
  while (*at)
    at = &(*at)->next;
  *at = exchange;
  return SEEN_OK;
}

int sn_exchange_page(sn_session *session, uint64_t after) {
  sn_exchange *exchange = make(session, SN_EXCHANGE_PAGE);
  if (!exchange) return SEEN_ENOMEM;
  exchange->after = after;
  sn_path_conversations(&exchange->path, after, PAGE_ROWS);
  return add(session, exchange);
}

int sn_exchange_readers(sn_session *session, sn_request *request) {
  sn_exchange *exchange = make(session, SN_EXCHANGE_READERS);
  if (!exchange) return SEEN_ENOMEM;
  exchange->request = request;
  return add(session, exchange);
}

int sn_exchange_report(sn_session *session, const char *conv,
                       const seen_report *report) {
  sn_exchange *exchange = make(session, SN_EXCHANGE_REPORT);
  if (!exchange) return SEEN_ENOMEM;
  exchange->conv = sn_copy_text(session->memory, conv, strlen(conv));
  if (!exchange->conv) exchange->path.status = SEEN_ENOMEM;
  sn_path_read_cursor(&exchange->path, conv);
  sn_put_cursor(&exchange->body, session->device, report);
  return add(session, exchange);
}

void sn_exchange_drop(sn_session *session, sn_exchange *exchange) {
  sn_exchange **at = &session->exchanges;
  while (*at != exchange)
    at = &(*at)->next;
  *at = exchange->next;
  if (exchange->number)
    session->cancels[session->cancel_count++] = exchange->number;
  free_exchange(session, exchange);
}

void sn_exchanges_drop(sn_session *session, sn_exchange_type type) {
  sn_exchange *exchange = session->exchanges;
  while (exchange) {
    sn_exchange *next = exchange->next;
    if (exchange->type == type) sn_exchange_drop(session, exchange);
    exchange = next;
  }
}

void sn_exchanges_free(sn_session *session) {
  while (session->exchanges) {
    sn_exchange *exchange = session->exchanges;
    session->exchanges = exchange->next;
    sn_request_free(exchange->request);
    free_exchange(session, exchange);
  }
}

bool sn_exchanges_any(const sn_session *session, sn_exchange_type type) {
  const sn_exchange *exchange = session->exchanges;
  while (exchange && exchange->type != type)
    exchange = exchange->next;
  return exchange != NULL;
}

/* Whether a way is open for it, but for a token. */
static bool may_go(const sn_session *session, const sn_exchange *exchange) {
  if (exchange->number || exchange->due > session->now) return false;
  if (exchange->type == SN_EXCHANGE_REPORT) return session->courier != 0;
  return session->link.stage == SN_STAGE_UP;
}

bool sn_exchanges_want_token(const sn_session *session) {
  const sn_exchange *exchange = session->exchanges;
  while (exchange && !may_go(session, exchange))
    exchange = exchange->next;
  return exchange && !session->token;
}

bool sn_exchanges_next(sn_session *session, seen_http_request *out) {
  sn_exchange *exchange, *first = NULL;
  size_t sent = 0;
  for (exchange = session->exchanges; exchange; exchange = exchange->next) {
    sent += exchange->number != 0;
    if (!first && may_go(session, exchange)) first = exchange;
  }
  if (!first || !session->token || sent >= SN_EXCHANGES_MAX) return false;
  first->number = ++session->numbers;
  first->token = session->token_number;
  const sn_text *path =
      first->request ? &first->request->call.text : &first->path;
  *out =
      (seen_http_request){.size = (uint32_t)sizeof *out,
                          .request = first->number,
                          .path = path->bytes,
                          .token = session->token,
                          .body = first->body.length ? first->body.bytes : NULL,
                          .length = first->body.length,
                          .timeout_ms = session->intervals.request_ms};
  return true;
}

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

void sn_exchange_answer(sn_session *session,
                        const seen_transport_event *event) {
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

uint64_t sn_exchanges_deadline(const sn_session *session) {
  uint64_t deadline = SEEN_NEVER;
  const sn_exchange *exchange;
  for (exchange = session->exchanges; exchange; exchange = exchange->next)
    if (!exchange->number && exchange->due > session->now &&
        exchange->due < deadline)
      deadline = exchange->due;
  return deadline;
}
