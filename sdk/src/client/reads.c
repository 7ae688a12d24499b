/* What a screen shows: one query of the engine under its lock. */
#include <string.h>

#include "client/client.h"

/* Locks; 0: there is no such conversation, or nothing to read any more. */
static seen_conv begin(const seen_client *client, const char *id) {
  sn_client_lock(client);
  return client->wiped || !id ? 0 : seen_engine_find(client->engine, id);
}

static int end(const seen_client *client, int status) {
  sn_client_unlock(client);
  return status;
}

int seen_client_state(const seen_client *client, const char *conv,
                      seen_state *state) {
  seen_conv found = begin(client, conv);
  return end(client, seen_engine_state(client->engine, found, state));
}

size_t seen_client_count(const seen_client *client) {
  size_t count;
  sn_client_lock(client);
  count = client->wiped ? 0 : seen_engine_count(client->engine);
  sn_client_unlock(client);
  return count;
}

size_t seen_client_page(const seen_client *client, size_t offset, size_t limit,
                        seen_state *rows) {
  size_t count = 0;
  sn_client_lock(client);
  if (!client->wiped)
    count = seen_engine_page(client->engine, offset, limit, rows);
  sn_client_unlock(client);
  return count;
}

static void read_totals(const seen_client *client, seen_totals *totals) {
  memset(totals, 0, sizeof *totals);
  if (!client->wiped) seen_engine_totals(client->engine, totals);
}

void seen_client_totals(const seen_client *client, seen_totals *totals) {
  sn_client_lock(client);
  read_totals(client, totals);
  sn_client_unlock(client);
}

/* B4 */
static void take_out(const seen_state *state, seen_totals *totals) {
  totals->mentions -= state->mentions;
  if (state->muted) {
    totals->muted -= state->unread;
    return;
  }
  totals->unread -= state->unread;
  totals->conversations -= state->unread > 0 || state->marked_unread;
}

void seen_client_totals_without(const seen_client *client, const char *conv,
                                seen_totals *totals) {
  seen_state state = {.size = sizeof state};
  seen_conv found = begin(client, conv);
  read_totals(client, totals);
  if (!seen_engine_state(client->engine, found, &state))
    take_out(&state, totals);
  sn_client_unlock(client);
}

int seen_client_next_mention(const seen_client *client, const char *conv,
                             uint64_t after, seen_mention *mention) {
  seen_conv found = begin(client, conv);
  return end(client,
             seen_engine_next_mention(client->engine, found, after, mention));
}

int seen_client_receipt(const seen_client *client, const char *conv,
                        uint64_t seq, seen_receipt *receipt) {
  seen_conv found = begin(client, conv);
  return end(client, seen_engine_receipt(client->engine, found, seq, receipt));
}

int seen_client_readers(const seen_client *client, const char *conv,
                        uint64_t seq, seen_readers which, const char **users,
                        size_t limit, size_t *count) {
  seen_conv found = begin(client, conv);
  return end(client, seen_engine_readers(client->engine, found, seq, which,
                                         users, limit, count));
}

void seen_client_connection(const seen_client *client,
                            seen_connection_state *state) {
  sn_client_lock(client);
  *state = client->events.connection_now;
  sn_client_unlock(client);
}

int seen_client_explain(const seen_client *client, const char *conv, char *text,
                        size_t size, size_t *length) {
  seen_conv found = begin(client, conv);
  return end(client,
             seen_engine_explain(client->engine, found, text, size, length));
}

void seen_client_metrics(const seen_client *client, seen_metrics *metrics) {
  sn_client_lock(client);
  seen_engine_metrics(client->engine, metrics);
  sn_client_unlock(client);
}
