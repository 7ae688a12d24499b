/*
 * A connection is a struct that is zeroed when it is given up, so no timer of
 * it is left, and what comes late finds no number.
 */
#include "session/link.h"

#include <assert.h>
#include <string.h>

#include "session/calls.h"
#include "session/exchange.h"
#include "session/request.h"
#include "session/token.h"
#include "session/waits.h"
#include "wire/write.h"

/* No server's wish keeps a client away for longer. */
#define WAIT_MAX_MS UINT64_C(3600000)

/* Close codes of RFC 6455. */
enum { CLOSE_NORMAL = 1000, CLOSE_AWAY = 1001, CLOSE_INTERNAL = 1011 };

/* Close codes of the protocol. */
enum { CODE_UNAUTHORIZED = 4401, CODE_DISABLED = 4403 };

sn_link *sn_link_find(sn_session *session, uint64_t number) {
  if (session->link.stage && session->link.number == number)
    return &session->link;
  if (session->rival.stage && session->rival.number == number)
    return &session->rival;
  return NULL;
}

static void dial(sn_session *session, sn_link *link, seen_link carrier) {
  *link = (sn_link){.number = ++session->numbers,
                    .carrier = carrier,
                    .stage = SN_STAGE_DIAL,
                    .since = session->now,
                    .probe_at = SEEN_NEVER};
}

/* A connection that the transport was never told of needs no close. */
static void close_link(sn_session *session, const sn_link *link,
                       uint32_t code) {
  if (link->stage <= SN_STAGE_DIAL) return;
  assert(session->close_count < 4);
  session->closes[session->close_count].number = link->number;
  session->closes[session->close_count++].code = code;
}

/* What was underway on the link is not any more. */
static void forget_link(sn_session *session) {
  session->link = (sn_link){0};
  sn_calls_link_lost(session);
  sn_exchanges_drop(session, SN_EXCHANGE_PAGE);
  session->paging = SN_PAGING_NONE;
}

/* Whether something was there that let no socket through. */
static bool blocks(seen_ended cause, uint32_t code) {
  return cause == SEEN_ENDED_PROTOCOL || cause == SEEN_ENDED_TIMEOUT ||
         cause == SEEN_ENDED_LOST ||
         (cause == SEEN_ENDED_HTTP && code != 401 && code != 429);
}

static void count_blocked(sn_session *session, const sn_link *link,
                          seen_ended cause, uint32_t code) {
  if (link->stage == SN_STAGE_UP) return;
  if (link->carrier == SEEN_LINK_POLL)
    session->blocked = 0;
  else if (blocks(cause, code) && session->blocked < SN_BLOCKED_MAX)
    session->blocked++;
}

static void rival_ended(sn_session *session) {
  const sn_intervals *by = &session->intervals;
  session->rival = (sn_link){0};
  session->rival_at =
      sn_later(session->now, sn_doubled(by->socket_retry_ms, ++session->rivals,
                                        by->socket_retry_max_ms));
}

/* It has ended, by whomever: forgotten, and counted as a failure. */
static void ended(sn_session *session, sn_link *link, seen_ended cause,
                  uint32_t code) {
  uint64_t wait;
  if (link == &session->rival) {
    rival_ended(session);
    return;
  }
  if (link->stage == SN_STAGE_UP &&
      session->now - link->since >= session->intervals.stable_ms)
    session->failures = 0;
  count_blocked(session, link, cause, code);
  forget_link(session);
  session->failures++;
  wait = sn_wait(session, session->failures);
  if (cause == SEEN_ENDED_PEER && code == CLOSE_AWAY && session->failures == 1)
    wait = sn_wait_within(session, session->intervals.drain_ms);
  session->retry_at = sn_later(session->now, wait);
  session->cause = cause;
  session->cause_code = code;
  sn_log_write(&session->log, SEEN_LOG_INFO,
               "the connection ended: cause %u, code %u, again in %u ms",
               (uint64_t)cause, (uint64_t)code, wait);
  if (!session->rival.stage) return;
  session->link = session->rival;
  session->rival = (sn_link){0};
}

void sn_link_fail(sn_session *session, sn_link *link, seen_ended cause,
                  uint32_t close_code) {
  close_link(session, link, close_code);
  ended(session, link, cause, 0);
}

void sn_link_no_memory(sn_session *session, sn_link *link) {
  if (!link->stage) return;
  sn_log_write(&session->log, SEEN_LOG_WARN, "no memory for a frame");
  close_link(session, link, CLOSE_INTERNAL);
  ended(session, link, SEEN_ENDED_LOCAL, CLOSE_INTERNAL);
}

/* The first time in a row the provider is asked at once. */
static void unauthorized(sn_session *session, sn_link *link, seen_ended cause,
                         uint32_t code) {
  ended(session, link, cause, code);
  sn_token_refused(session);
  session->ask_at = session->failures > 1 ? session->retry_at : session->now;
  session->retry_at = session->now;
}

void sn_link_unauthorized(sn_session *session, sn_link *link) {
  close_link(session, link, CLOSE_NORMAL);
  unauthorized(session, link, SEEN_ENDED_PEER, CODE_UNAUTHORIZED);
}

static void drop_both(sn_session *session, uint32_t code) {
  close_link(session, &session->rival, code);
  session->rival = (sn_link){0};
  close_link(session, &session->link, code);
  forget_link(session);
}

void sn_link_disabled(sn_session *session, sn_link *link) {
  (void)link;
  drop_both(session, CLOSE_NORMAL);
  session->disabled = true;
  session->cause = SEEN_ENDED_PEER;
  session->cause_code = CODE_DISABLED;
  sn_requests_end(session, SEEN_EREFUSED, "disabled");
  sn_log_write(&session->log, SEEN_LOG_WARN, "the account is disabled");
}

/* As long as the server says, within reason. */
static void wait_at_least(sn_session *session, uint64_t ms) {
  uint64_t at = sn_later(session->now, ms < WAIT_MAX_MS ? ms : WAIT_MAX_MS);
  if (session->retry_at < at) session->retry_at = at;
}

void sn_link_limited(sn_session *session, sn_link *link, uint64_t retry_ms) {
  bool rival = link == &session->rival;
  sn_link_fail(session, link, SEEN_ENDED_PEER, CLOSE_NORMAL);
  if (!rival) wait_at_least(session, retry_ms);
}

static void ended_by_transport(sn_session *session, sn_link *link,
                               const seen_transport_event *event) {
  bool rival = link == &session->rival;
  bool refused =
      (event->ended == SEEN_ENDED_PEER && event->code == CODE_UNAUTHORIZED) ||
      (event->ended == SEEN_ENDED_HTTP && event->code == 401);
  if (event->ended == SEEN_ENDED_PEER && event->code == CODE_DISABLED) {
    link->stage = SN_STAGE_DIAL; /* it is closed already */
    sn_link_disabled(session, link);
  } else if (refused) {
    unauthorized(session, link, event->ended, event->code);
  } else {
    ended(session, link, event->ended, event->code);
    if (!rival && event->retry_ms) wait_at_least(session, event->retry_ms);
  }
}

static void is_alive(sn_session *session, sn_link *link) {
  link->heard = session->now;
  link->ping = link->pinged = false;
  link->probe_at = SEEN_NEVER;
}

void sn_link_event(sn_session *session, const seen_transport_event *event) {
  sn_link *link = sn_link_find(session, event->number);
  if (!link) return;
  is_alive(session, link);
  if (event->type == SEEN_TRANSPORT_ENDED) {
    ended_by_transport(session, link, event);
  } else if (event->type == SEEN_TRANSPORT_OPEN &&
             link->stage <= SN_STAGE_DIALING) {
    link->stage = SN_STAGE_HELLO;
    link->since = session->now;
  }
}

void sn_link_welcomed(sn_session *session, sn_link *link) {
  if (link == &session->rival) {
    close_link(session, &session->link, CLOSE_NORMAL);
    forget_link(session);
    session->link = session->rival;
    session->rival = (sn_link){0};
  }
  link = &session->link;
  link->stage = SN_STAGE_UP;
  link->since = session->now;
  sn_courier_end(session);
  if (link->carrier == SEEN_LINK_POLL) {
    session->rival_at =
        sn_later(session->now,
                 sn_doubled(session->intervals.socket_retry_ms, session->rivals,
                            session->intervals.socket_retry_max_ms));
  } else {
    session->blocked = 0;
    session->rivals = 0;
  }
}

void sn_link_advance(sn_session *session) {
  if (!session->wanted || session->disabled) return;
  if (!session->link.stage && session->retry_at <= session->now) {
    if (session->token)
      dial(session, &session->link,
           session->blocked < SN_BLOCKED_MAX ? SEEN_LINK_SOCKET
                                             : SEEN_LINK_POLL);
    else
      sn_token_want(session);
  }
  if (sn_exchanges_want_token(session)) sn_token_want(session);
  if (session->link.stage == SN_STAGE_UP &&
      session->link.carrier == SEEN_LINK_POLL && !session->rival.stage &&
      session->rival_at <= session->now && session->token)
    dial(session, &session->rival, SEEN_LINK_SOCKET);
}

void sn_session_start(sn_session *session, uint64_t now) {
  session->now = now;
  if (session->wanted && !session->disabled) return;
  session->wanted = true;
  session->disabled = false;
  session->failures = 0;
  session->retry_at = now;
  session->ask_at = now;
  session->cause = (seen_ended)0;
  session->cause_code = 0;
  sn_link_advance(session);
}

void sn_session_stop(sn_session *session, uint64_t now) {
  session->now = now;
  drop_both(session, CLOSE_NORMAL);
  sn_courier_end(session);
  session->wanted = false;
  session->retry_at = SEEN_NEVER;
}

/* One that is underway is not put off. */
static void probe(sn_session *session) {
  if (session->link.probe_at != SEEN_NEVER) return;
  session->link.ping = true;
  session->link.probe_at = sn_later(session->now, session->intervals.probe_ms);
}

void sn_session_network_changed(sn_session *session, uint64_t now) {
  session->now = now;
  if (!session->wanted || session->disabled) return;
  session->failures = 0;
  session->blocked = 0;
  session->rivals = 0;
  session->ask_at = now;
  close_link(session, &session->rival, CLOSE_AWAY);
  session->rival = (sn_link){0};
  session->rival_at = now;
  if (session->link.stage == SN_STAGE_UP &&
      session->link.carrier == SEEN_LINK_SOCKET) {
    probe(session);
  } else {
    close_link(session, &session->link, CLOSE_AWAY);
    forget_link(session);
    session->retry_at = now;
  }
  sn_link_advance(session);
}

static uint64_t opening_deadline(const sn_session *session,
                                 const sn_link *link) {
  return sn_later(link->since, link->stage <= SN_STAGE_DIALING
                                   ? session->intervals.dial_ms
                                   : session->intervals.hello_ms);
}

/* When it is given up. */
static uint64_t end_of(const sn_session *session, const sn_link *link) {
  uint64_t at;
  if (!link->stage) return SEEN_NEVER;
  if (link->stage < SN_STAGE_UP) return opening_deadline(session, link);
  at = sn_later(link->heard, session->intervals.dead_ms);
  if (link->probe_at < at) at = link->probe_at;
  if (session->paging == SN_PAGING_HELLO &&
      sn_later(link->since, session->intervals.answer_ms) < at)
    at = sn_later(link->since, session->intervals.answer_ms);
  return at;
}

static uint64_t ping_at(const sn_session *session, const sn_link *link) {
  return link->stage == SN_STAGE_UP && !link->pinged && !link->ping
             ? sn_later(link->heard, session->intervals.ping_ms)
             : SEEN_NEVER;
}

static void tick_link(sn_session *session, sn_link *link) {
  bool probed = link->probe_at <= session->now;
  bool up = link->stage == SN_STAGE_UP;
  if (end_of(session, link) <= session->now ||
      (up && sn_calls_overdue(session))) {
    sn_link_fail(session, link, SEEN_ENDED_TIMEOUT, CLOSE_AWAY);
    if (up && probed) session->retry_at = session->now;
  } else if (ping_at(session, link) <= session->now) {
    link->ping = true;
  }
}

void sn_link_tick(sn_session *session) {
  tick_link(session, &session->rival);
  tick_link(session, &session->link);
}

static uint64_t sooner(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* When the next one is dialled, or a token for it asked for. */
static uint64_t dial_at(const sn_session *session) {
  if (session->link.stage) return SEEN_NEVER;
  if (session->token) return session->retry_at;
  if (session->asked_at != SEEN_NEVER) return SEEN_NEVER;
  return session->retry_at > session->ask_at ? session->retry_at
                                             : session->ask_at;
}

uint64_t sn_link_deadline(const sn_session *session) {
  uint64_t at =
      sooner(end_of(session, &session->link), end_of(session, &session->rival));
  at = sooner(at, ping_at(session, &session->link));
  if (!session->wanted || session->disabled) return at;
  at = sooner(at, dial_at(session));
  if (session->link.stage == SN_STAGE_UP &&
      session->link.carrier == SEEN_LINK_POLL && !session->rival.stage &&
      session->token)
    at = sooner(at, session->rival_at);
  return at;
}

bool sn_link_next_close(sn_session *session, sn_out *out) {
  if (!session->close_count) return false;
  out->type = SN_OUT_CLOSE;
  out->u.close.connection = session->closes[0].number;
  out->u.close.code = session->closes[0].code;
  session->close_count--;
  memmove(session->closes, session->closes + 1,
          session->close_count * sizeof *session->closes);
  return true;
}

bool sn_link_next_dial(sn_session *session, sn_out *out) {
  sn_link *link =
      session->link.stage == SN_STAGE_DIAL ? &session->link : &session->rival;
  if (link->stage != SN_STAGE_DIAL) return false;
  link->stage = SN_STAGE_DIALING;
  out->type = SN_OUT_DIAL;
  out->u.dial = (seen_dial){.size = (uint32_t)sizeof(seen_dial),
                            .connection = link->number,
                            .link = link->carrier,
                            .token = session->token,
                            .timeout_ms = session->intervals.dial_ms};
  return true;
}

bool sn_link_next_hello(sn_session *session, sn_out *out) {
  sn_link *link =
      session->link.stage == SN_STAGE_HELLO ? &session->link : &session->rival;
  sn_text *hello = &session->hello;
  if (link->stage != SN_STAGE_HELLO) return false;
  link->hello_id = 2 * session->ids++ + 1;
  hello->length = 0;
  sn_put_hello(hello, link->hello_id, session->device, session->incarnation,
               session->version);
  if (hello->status) {
    hello->status = SEEN_OK;
    sn_link_no_memory(session, link);
    return false;
  }
  link->stage = SN_STAGE_GREETING;
  out->type = SN_OUT_WRITE;
  out->u.write.connection = link->number;
  out->u.write.text = hello->bytes;
  out->u.write.length = hello->length;
  return true;
}

bool sn_link_next_ping(sn_session *session, sn_out *out) {
  sn_link *link = &session->link;
  if (!link->ping) return false;
  link->ping = false;
  link->pinged = true;
  out->type = SN_OUT_PING;
  out->u.number = link->number;
  return true;
}

static seen_connection connection_of(const sn_session *session) {
  if (!session->wanted) return SEEN_CONNECTION_OFF;
  if (session->disabled) return SEEN_CONNECTION_DISABLED;
  if (session->link.stage == SN_STAGE_UP) return SEEN_CONNECTION_ONLINE;
  if (session->link.stage) return SEEN_CONNECTION_CONNECTING;
  return session->token ? SEEN_CONNECTION_WAITING
                        : SEEN_CONNECTION_UNAUTHORIZED;
}

/* HTTP, but not our server's. */
static bool is_portal(const sn_session *session) {
  uint32_t code = session->cause_code;
  return session->cause == SEEN_ENDED_HTTP &&
         ((code >= 200 && code < 400) || code == 511);
}

/* When something is tried again; SEEN_NEVER where nothing is waited for. */
static uint64_t again_at(const sn_session *session,
                         seen_connection connection) {
  if (connection == SEEN_CONNECTION_WAITING) return session->retry_at;
  if (connection == SEEN_CONNECTION_UNAUTHORIZED &&
      session->asked_at == SEEN_NEVER)
    return session->ask_at;
  return SEEN_NEVER;
}

bool sn_link_next_state(sn_session *session, sn_out *out) {
  seen_connection_state *told = &session->state;
  seen_connection is = connection_of(session);
  bool online = is == SEEN_CONNECTION_ONLINE;
  bool failed =
      is != SEEN_CONNECTION_OFF && is != SEEN_CONNECTION_CONNECTING && !online;
  uint64_t at = again_at(session, is);
  seen_connection_state now = {
      .size = (uint32_t)sizeof now,
      .connection = is,
      .link = online ? session->link.carrier : SEEN_LINK_SOCKET,
      .synced = online && session->paging == SN_PAGING_NONE,
      .receipts = online && session->receipts,
      .cause = failed ? session->cause : (seen_ended)0,
      .code = failed ? session->cause_code : 0,
      .portal = failed && is_portal(session)};
  if (told->connection == now.connection && told->link == now.link &&
      told->synced == now.synced && told->receipts == now.receipts &&
      told->cause == now.cause && told->code == now.code &&
      session->told_again_at == at)
    return false;
  session->told_again_at = at;
  if (at != SEEN_NEVER && at > session->now) now.retry_ms = at - session->now;
  *told = now;
  out->type = SN_OUT_STATE;
  out->u.state = now;
  return true;
}
