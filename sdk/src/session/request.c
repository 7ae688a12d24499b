/* The calls that are a host's, and the exchanges that ask who has read. */
#include "session/request.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "session/calls.h"
#include "session/exchange.h"
#include "session/waits.h"
#include "wire/path.h"
#include "wire/take.h"
#include "wire/write.h"

#define OP_SIZE 32
#define BODY_MAX 8192
#define MENTIONS_MAX 64
#define USERS_MAX 500
#define LIMIT_MAX 100

static const char no_op[OP_SIZE + 1] = "00000000000000000000000000000000";

static int check_name(const char *name, const char *what, seen_error *error) {
  if (name && sn_is_name(name)) return SEEN_OK;
  return sn_fail(error, SEEN_EINVAL,
                 "%s has to have 1 to 64 bytes, no control characters", what);
}

static int check_names(const char *const *names, size_t count, size_t most,
                       seen_error *error) {
  int status = SEEN_OK;
  if (count > most)
    return sn_fail(error, SEEN_EINVAL, "more than %u users", (uint64_t)most);
  for (size_t i = 0; i < count && !status; i++)
    status = check_name(names ? names[i] : NULL, "a user", error);
  return status;
}

static int check_number(uint64_t number, uint64_t from, uint64_t to,
                        const char *what, seen_error *error) {
  if (number >= from && number <= to) return SEEN_OK;
  return sn_fail(error, SEEN_ERANGE, "%s is not from %u to %u", what, from, to);
}

/* Of a struct; 0: there is none. */
static int check_size(const char *what, uint32_t size, size_t wanted,
                      seen_error *error) {
  if (size == wanted) return SEEN_OK;
  return sn_fail(error, SEEN_EINVAL, "%s: size is %u, this library's is %u",
                 what, (uint64_t)size, (uint64_t)wanted);
}

static int check_post(const seen_post *post, seen_error *error) {
  int status = check_size("post", post ? post->size : 0, sizeof *post, error);
  if (status || !post) return status;
  if ((unsigned)post->kind > SEEN_MESSAGE_REACTION ||
      post->kind == SEEN_MESSAGE_SYSTEM ||
      (unsigned)post->countable > SEEN_COUNTABLE_YES)
    return sn_fail(error, SEEN_EINVAL, "no such kind of message");
  if (post->body && (strlen(post->body) > BODY_MAX ||
                     !sn_utf8_valid(post->body, strlen(post->body))))
    return sn_fail(error, SEEN_EINVAL, "a body is at most 8192 bytes of UTF-8");
  status = check_number(post->target, post->kind == SEEN_MESSAGE_TEXT ? 0 : 1,
                        SEEN_SEQ_MAX, "the target", error);
  if (status) return status;
  return check_names(post->mentions, post->mention_count, MENTIONS_MAX, error);
}

static int check_creation(const seen_creation *creation, seen_error *error) {
  int status = check_size("creation", creation ? creation->size : 0,
                          sizeof *creation, error);
  if (status || !creation) return status;
  if ((unsigned)creation->kind > SEEN_KIND_LARGE)
    return sn_fail(error, SEEN_EINVAL, "no such kind of conversation");
  return check_names(creation->users, creation->user_count, USERS_MAX, error);
}

static int check_readers(const sn_ask *ask, seen_error *error) {
  if ((unsigned)ask->which > SEEN_ASK_DELIVERED)
    return sn_fail(error, SEEN_EINVAL, "no such list of people");
  int status = check_number(ask->seq, 1, SEEN_SEQ_MAX, "the seq", error);
  if (status || ask->which == SEEN_ASK_COUNTS) return status;
  return check_number(ask->limit, 1, LIMIT_MAX, "the limit", error);
}

static int check(const sn_ask *ask, seen_error *error) {
  int status = ask->act == SEEN_ACT_SETTINGS
                   ? SEEN_OK
                   : check_name(ask->conv, "the conversation", error);
  if (status) return status;
  switch (ask->act) {
  case SEEN_ACT_SEND: return check_post(ask->post, error);
  case SEEN_ACT_HISTORY:
    status = check_number(ask->before, 0, SEEN_SEQ_MAX, "the seq", error);
    if (status) return status;
    return check_number(ask->limit, 1, LIMIT_MAX, "the limit", error);
  case SEEN_ACT_READERS: return check_readers(ask, error);
  case SEEN_ACT_CREATE: return check_creation(ask->create, error);
  case SEEN_ACT_ADD:
    if ((unsigned)ask->role > SEEN_ROLE_BOT)
      return sn_fail(error, SEEN_EINVAL, "no such role");
    return check_names(ask->users, ask->user_count, USERS_MAX, error);
  case SEEN_ACT_REMOVE:
    return check_names(ask->users, ask->user_count, USERS_MAX, error);
  default: return SEEN_OK;
  }
}

static sn_say say_of(seen_act act) {
  switch (act) {
  case SEEN_ACT_SEND: return SN_SAY_SEND;
  case SEEN_ACT_HISTORY: return SN_SAY_HISTORY;
  case SEEN_ACT_CREATE: return SN_SAY_CREATE;
  case SEEN_ACT_ADD: return SN_SAY_ADD;
  case SEEN_ACT_REMOVE: return SN_SAY_REMOVE;
  case SEEN_ACT_JOIN: return SN_SAY_JOIN;
  case SEEN_ACT_LEAVE: return SN_SAY_LEAVE;
  case SEEN_ACT_SETTINGS: return SN_SAY_SETTINGS;
  default: return SN_SAY_UNKNOWN; /* READERS goes by HTTP */
  }
}

static bool has_op(seen_act act) {
  return act != SEEN_ACT_HISTORY && act != SEEN_ACT_READERS &&
         act != SEEN_ACT_SETTINGS;
}

static void write_members(sn_text *out, const sn_ask *ask) {
  switch (ask->act) {
  case SEEN_ACT_SEND: sn_put_post(out, ask->conv, ask->post); break;
  case SEEN_ACT_CREATE: sn_put_creation(out, ask->conv, ask->create); break;
  case SEEN_ACT_ADD:
    sn_put_users(out, ask->conv, ask->users, ask->user_count, ask->role);
    break;
  case SEEN_ACT_REMOVE:
    sn_put_users(out, ask->conv, ask->users, ask->user_count, SEEN_ROLE_MEMBER);
    break;
  case SEEN_ACT_SETTINGS: sn_put_bool(out, "receipts", ask->on); break;
  case SEEN_ACT_HISTORY:
    sn_put_name(out, "conv", ask->conv);
    if (ask->before) sn_put_number(out, "before", ask->before);
    sn_put_number(out, "limit", ask->limit);
    break;
  default: sn_put_name(out, "conv", ask->conv); break;
  }
}

/* What a text quotes is no target to the engine. */
static uint64_t target_of(const seen_post *post) {
  return post->kind == SEEN_MESSAGE_RECALL || post->kind == SEEN_MESSAGE_EDIT
             ? post->target
             : 0;
}

static void write_frame(sn_request *request, const sn_ask *ask) {
  sn_text *out = &request->call.text;
  sn_put_head(out, request->call.say, request->call.id);
  if (has_op(ask->act)) {
    sn_put_name(out, "op", no_op);
    request->op_at = out->length - OP_SIZE - 1;
  }
  write_members(out, ask);
  sn_put_end(out);
  if (has_op(ask->act))
    sn_call_in_order(&request->call, SN_ORDER_ACT, ask->conv);
  else if (ask->act == SEEN_ACT_SETTINGS)
    sn_call_in_order(&request->call, SN_ORDER_SETTINGS, "");
}

int sn_request_new(const sn_ask *ask, uint64_t number,
                   const seen_allocator *memory, sn_request **out,
                   seen_error *error) {
  *out = NULL;
  int status = check(ask, error);
  if (!status)
    status = check_number(number, 0, SEEN_SEQ_MAX / 2, "the number", error);
  if (status) return status;
  const char *conv = ask->act == SEEN_ACT_SETTINGS ? "" : ask->conv;
  sn_request *request = sn_allocate_zero(memory, sizeof *request);
  if (!request) return sn_fail_memory(error);
  sn_text_growing(&request->call.text, memory);
  request->act = ask->act;
  request->number = number;
  request->seq = ask->act == SEEN_ACT_READERS ? ask->seq : 0;
  if (ask->act == SEEN_ACT_SEND)
    request->sent = (seen_message){.kind = ask->post->kind,
                                   .countable = ask->post->countable,
                                   .target = target_of(ask->post)};
  request->call.request = request;
  request->call.say = say_of(ask->act);
  request->call.id = 2 * number;
  request->conv = sn_copy_text(memory, conv, strlen(conv));
  if (ask->act == SEEN_ACT_READERS)
    sn_path_readers(&request->call.text, conv, ask->seq, ask->which,
                    ask->cursor, ask->limit);
  else
    write_frame(request, ask);
  if (!request->conv || request->call.text.status)
    status = sn_fail_memory(error);
  else if (request->call.text.length > SEEN_FRAME_MAX)
    status = sn_fail(error, SEEN_EINVAL, "more than fits a frame");
  if (status)
    sn_request_free(request);
  else
    *out = request;
  return status;
}

void sn_request_free(sn_request *request) {
  if (!request) return;
  const seen_allocator *memory = request->call.text.memory;
  sn_text_free(&request->call.text);
  sn_release(memory, request->conv);
  sn_release(memory, request);
}

static void fill_in_op(sn_session *session, sn_request *request) {
  static const char digits[] = "0123456789abcdef";
  char *op = request->call.text.bytes + request->op_at;
  uint64_t random = 0;
  for (size_t i = 0; i < OP_SIZE; i++) {
    if (i % 16 == 0) random = sn_random(session);
    op[i] = digits[random & 15];
    random >>= 4;
  }
}

void sn_requests_take(sn_session *session, sn_request *request) {
  const sn_intervals *by = &session->intervals;
  request->until =
      sn_later(session->now, request->op_at ? by->act_ms : by->request_ms);
  if (request->op_at) fill_in_op(session, request);
  if (session->disabled)
    sn_request_end(session, request, SEEN_EREFUSED, "disabled");
  else if (request->act != SEEN_ACT_READERS)
    sn_calls_add(&session->waiting, &request->call);
  else if (sn_exchange_readers(session, request, &request->call.text))
    sn_request_end(session, request, SEEN_ENOMEM, "");
}

void sn_request_end(sn_session *session, sn_request *request, int code,
                    const char *reason) {
  sn_request **at = &session->ended;
  request->code = code;
  request->reason = reason;
  request->next = NULL;
  while (*at)
    at = &(*at)->next;
  *at = request;
}

/* Ends those of a list that are overdue, or that number, or all. */
static void end_calls(sn_session *session, sn_calls *calls,
                      bool (*which)(const sn_request *, uint64_t),
                      uint64_t than, int code, const char *reason) {
  sn_call *call = calls->first;
  while (call) {
    sn_call *next = call->next;
    if (call->request && which(call->request, than)) {
      sn_calls_remove(calls, call);
      sn_request_end(session, call->request, code, reason);
    }
    call = next;
  }
}

static void end_all(sn_session *session,
                    bool (*which)(const sn_request *, uint64_t), uint64_t than,
                    int code, const char *reason) {
  end_calls(session, &session->flying, which, than, code, reason);
  end_calls(session, &session->waiting, which, than, code, reason);
  for (;;) {
    sn_exchange *exchange = session->exchanges;
    while (exchange && !(exchange->request && which(exchange->request, than)))
      exchange = exchange->next;
    if (!exchange) return;
    sn_request_end(session, exchange->request, code, reason);
    sn_exchange_drop(session, exchange);
  }
}

static bool is_overdue(const sn_request *request, uint64_t now) {
  return request->until <= now;
}

static bool is_number(const sn_request *request, uint64_t number) {
  return request->number == number;
}

static bool is_any(const sn_request *request, uint64_t ignored) {
  (void)request;
  (void)ignored;
  return true;
}

void sn_requests_tick(sn_session *session) {
  if (sn_requests_deadline(session) > session->now) return;
  end_all(session, is_overdue, session->now, SEEN_ETIMEOUT, "");
}

void sn_session_cancel(sn_session *session, uint64_t number) {
  end_all(session, is_number, number, SEEN_ECANCELED, "");
}

void sn_requests_end(sn_session *session, int code, const char *reason) {
  end_all(session, is_any, 0, code, reason);
}

void sn_session_cancel_all(sn_session *session, int code) {
  sn_requests_end(session, code, "");
}

static uint64_t deadline_of(const sn_calls *calls) {
  uint64_t deadline = SEEN_NEVER;
  const sn_call *call;
  for (call = calls->first; call; call = call->next)
    if (call->request && call->request->until < deadline)
      deadline = call->request->until;
  return deadline;
}

uint64_t sn_requests_deadline(const sn_session *session) {
  uint64_t deadline = deadline_of(&session->flying);
  uint64_t other = deadline_of(&session->waiting);
  const sn_exchange *exchange;
  if (other < deadline) deadline = other;
  for (exchange = session->exchanges; exchange; exchange = exchange->next)
    if (exchange->request && exchange->request->until < deadline)
      deadline = exchange->request->until;
  return deadline;
}

seen_reply sn_request_reply(const sn_request *request, int code) {
  seen_reply reply = {.size = (uint32_t)sizeof reply,
                      .request = request->number,
                      .act = request->act,
                      .code = code,
                      .reason = "",
                      .message = "",
                      .conv = request->conv,
                      .seq = request->seq};
  return reply;
}

bool sn_requests_next(sn_session *session, seen_reply *reply) {
  sn_request *request = session->ended;
  if (!request) return false;
  session->ended = request->next;
  *reply = sn_request_reply(request, request->code);
  reply->reason = request->reason;
  session->gone = request;
  return true;
}

static void free_calls(sn_calls *calls) {
  sn_call *call = calls->first;
  while (call) {
    sn_call *next = call->next;
    if (call->request) {
      sn_calls_remove(calls, call);
      sn_request_free(call->request);
    }
    call = next;
  }
}

void sn_requests_free(sn_session *session) {
  const sn_exchange *exchange;
  free_calls(&session->flying);
  free_calls(&session->waiting);
  for (exchange = session->exchanges; exchange; exchange = exchange->next)
    sn_request_free(exchange->request);
  while (session->ended) {
    sn_request *request = session->ended;
    session->ended = request->next;
    sn_request_free(request);
  }
  sn_request_free(session->gone);
  session->gone = NULL;
}
