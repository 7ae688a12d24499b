/* Lists in order of sending. A call is in one of them or in none. */
#include "session/calls.h"

#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "session/request.h"
#include "session/waits.h"
#include "wire/write.h"

void sn_calls_init(sn_session *session) {
  session->waiting.end = &session->waiting.first;
  session->flying.end = &session->flying.first;
}

sn_call *sn_call_new(sn_session *session, sn_say say) {
  sn_call *call = sn_allocate_zero(session->memory, sizeof *call);
  if (!call) return NULL;
  call->say = say;
  call->id = 2 * session->ids++ + 1;
  sn_text_growing(&call->text, session->memory);
  return call;
}

void sn_call_free(sn_session *session, sn_call *call) {
  if (call->request) return;
  for (size_t i = 0; i < 3; i++)
    if (session->lists[i] == call) session->lists[i] = NULL;
  sn_text_free(&call->text);
  sn_release(session->memory, call);
}

static void free_all(sn_session *session, sn_calls *calls) {
  while (calls->first) {
    sn_call *call = calls->first;
    sn_calls_remove(calls, call);
    sn_call_free(session, call);
  }
}

void sn_calls_free(sn_session *session) {
  free_all(session, &session->waiting);
  free_all(session, &session->flying);
}

void sn_calls_add(sn_calls *calls, sn_call *call) {
  call->next = NULL;
  *calls->end = call;
  calls->end = &call->next;
  calls->count++;
}

void sn_calls_remove(sn_calls *calls, sn_call *call) {
  sn_call **at = &calls->first;
  while (*at != call)
    at = &(*at)->next;
  *at = call->next;
  if (calls->end == &call->next) calls->end = at;
  call->next = NULL;
  calls->count--;
}

sn_call *sn_calls_find(sn_session *session, uint64_t id) {
  sn_call *call = session->flying.first;
  while (call && (call->id != id || call->again))
    call = call->next;
  return call;
}

/* Two conversations with one hash only wait for each other. */
void sn_call_in_order(sn_call *call, sn_order order, const char *conv) {
  call->order = (uint64_t)order << 32 | sn_hash_bytes(0, conv, strlen(conv));
}

static bool in_turn(const sn_session *session, const sn_call *call) {
  const sn_call *other;
  if (!call->order) return true;
  for (other = session->flying.first; other; other = other->next)
    if (other->order == call->order) return false;
  for (other = session->waiting.first; other != call; other = other->next)
    if (other->order == call->order) return false;
  return true;
}

static void close_list(sn_session *session, sn_call *call) {
  if (!call->open) return;
  sn_put_list_end(&call->text); /* its room was reserved */
  call->open = false;
  for (size_t i = 0; i < 3; i++)
    if (session->lists[i] == call) session->lists[i] = NULL;
}

static sn_call *due_again(sn_session *session) {
  sn_call *call = session->flying.first;
  while (call && (!call->again || call->at > session->now))
    call = call->next;
  return call;
}

static sn_call *first_in_turn(sn_session *session) {
  sn_call *call = session->waiting.first;
  if (session->flying.count >= SN_IN_FLIGHT_MAX) return NULL;
  while (call && !in_turn(session, call))
    call = call->next;
  if (!call) return NULL;
  sn_calls_remove(&session->waiting, call);
  sn_calls_add(&session->flying, call);
  return call;
}

bool sn_calls_next(sn_session *session, sn_call **call) {
  *call = due_again(session);
  if (!*call) *call = first_in_turn(session);
  if (!*call) return false;
  close_list(session, *call);
  (*call)->again = false;
  (*call)->at = session->now;
  return true;
}

void sn_calls_answered(sn_session *session, sn_call *call) {
  session->backoffs = 0;
  sn_calls_remove(&session->flying, call);
  sn_call_free(session, call);
}

void sn_calls_again(sn_session *session, sn_call *call, uint64_t ms) {
  call->again = true;
  call->at = sn_later(session->now, ms);
}

static void forget(sn_session *session, sn_calls *calls) {
  sn_call *call = calls->first;
  while (call) {
    sn_call *next = call->next;
    call->again = false;
    if (!call->request) {
      sn_calls_remove(calls, call);
      sn_call_free(session, call);
    }
    call = next;
  }
}

void sn_calls_link_lost(sn_session *session) {
  forget(session, &session->flying);
  forget(session, &session->waiting);
  if (!session->flying.first) return;
  *session->flying.end = session->waiting.first;
  if (!session->waiting.first) session->waiting.end = session->flying.end;
  session->waiting.first = session->flying.first;
  session->waiting.count += session->flying.count;
  session->flying = (sn_calls){NULL, &session->flying.first, 0};
}

bool sn_calls_overdue(const sn_session *session) {
  const sn_call *call;
  for (call = session->flying.first; call; call = call->next)
    if (!call->again &&
        sn_later(call->at, session->intervals.answer_ms) <= session->now)
      return true;
  return false;
}

uint64_t sn_calls_deadline(const sn_session *session) {
  uint64_t deadline = SEEN_NEVER;
  const sn_call *call;
  for (call = session->flying.first; call; call = call->next) {
    uint64_t at = call->again
                      ? call->at
                      : sn_later(call->at, session->intervals.answer_ms);
    if (at < deadline) deadline = at;
  }
  return deadline;
}
