/* A token is a secret: it goes to the transport and nowhere else. */
#include "session/token.h"

#include <string.h>

#include "base/memory.h"
#include "session/exchange.h"
#include "session/waits.h"

void sn_token_refused(sn_session *session) {
  sn_log_write(&session->log, SEEN_LOG_INFO, "the server refused the token");
  sn_release(session->memory, session->token);
  session->token = NULL;
  session->token_number++;
}

void sn_token_want(sn_session *session) {
  if (session->token || session->asked_at != SEEN_NEVER ||
      session->ask_at > session->now)
    return;
  session->ask = true;
  session->asked_at = session->now;
}

static void provider_failed(sn_session *session) {
  session->ask = false;
  session->asked_at = SEEN_NEVER;
  session->failures++;
  session->ask_at = sn_later(session->now, sn_wait(session, session->failures));
}

void sn_token_tick(sn_session *session) {
  if (sn_later(session->asked_at, session->intervals.token_ms) > session->now)
    return;
  sn_log_write(&session->log, SEEN_LOG_WARN, "no token came in time");
  provider_failed(session);
}

uint64_t sn_token_deadline(const sn_session *session) {
  uint64_t at = session->ask_at;
  if (session->asked_at != SEEN_NEVER)
    return sn_later(session->asked_at, session->intervals.token_ms);
  return sn_exchanges_want_token(session) ? at : SEEN_NEVER;
}

bool sn_token_valid(const char *token) {
  const char *at = token;
  while (*at > ' ' && *at <= '~')
    at++;
  return at > token && !*at;
}

int sn_token_take(sn_session *session, const char *token) {
  char *copy;
  if (!token) {
    if (session->asked_at != SEEN_NEVER) provider_failed(session);
    return SEEN_OK;
  }
  if (!sn_token_valid(token)) return SEEN_EINVAL;
  copy = sn_copy_text(session->memory, token, strlen(token));
  if (!copy) return SEEN_ENOMEM;
  if (!session->token) session->retry_at = session->now;
  sn_release(session->memory, session->token);
  session->token = copy;
  session->token_number++;
  session->ask = false;
  session->asked_at = SEEN_NEVER;
  session->ask_at = session->now;
  return SEEN_OK;
}
