/* An exchange is in the list until it is done, and has a number while it is
 * with the transport. */
#include "session/exchange.h"

#include <string.h>

#include "base/memory.h"
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
  exchange->asked = &exchange->path;
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

int sn_exchange_readers(sn_session *session, sn_request *request,
                        const sn_text *path) {
  sn_exchange *exchange = make(session, SN_EXCHANGE_READERS);
  if (!exchange) return SEEN_ENOMEM;
  exchange->request = request;
  exchange->asked = path;
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

void sn_courier_end(sn_session *session) {
  sn_exchanges_drop(session, SN_EXCHANGE_REPORT);
  session->courier = 0;
}

void sn_exchanges_free(sn_session *session) {
  while (session->exchanges) {
    sn_exchange *exchange = session->exchanges;
    session->exchanges = exchange->next;
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
  *out =
      (seen_http_request){.size = (uint32_t)sizeof *out,
                          .request = first->number,
                          .path = first->asked->bytes,
                          .token = session->token,
                          .body = first->body.length ? first->body.bytes : NULL,
                          .length = first->body.length,
                          .timeout_ms = session->intervals.request_ms};
  return true;
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
