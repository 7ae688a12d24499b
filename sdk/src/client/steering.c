/*
 * What a host's call does in the loop's place: it takes the helm, does its
 * work on the caller's thread, and gives it back.
 */
#include "base/fail.h"
#include "client/client.h"

enum { PAGE = 64 };

/* Nothing a person read is still to be told to the server (V5). */
static bool all_is_told(const seen_client *client) {
  seen_state rows[PAGE];
  size_t count, offset = 0;
  do {
    count = seen_client_page(client, offset, PAGE, rows);
    for (size_t i = 0; i < count; i++)
      if (rows[i].pending) return false;
    offset += count;
  } while (count == PAGE);
  return true;
}

static bool is_online(const seen_client *client) {
  seen_connection_state state;
  seen_client_connection(client, &state);
  return state.connection == SEEN_CONNECTION_ONLINE;
}

/* By the link, or by requests where there is none. */
static void hurry_reports(seen_client *client) {
  if (is_online(client)) {
    sn_client_say(client, SEEN_INPUT_FLUSH, false);
  } else {
    sn_session_flush(client->session, client->now);
    (void)sn_client_drain(client);
  }
}

static int make_durable(seen_client *client, seen_error *error) {
  sn_client_lock(client);
  seen_mirror_hurry(client->mirror);
  sn_client_unlock(client);
  return sn_client_commit(client, error);
}

static bool wait_until_told(seen_client *client, uint64_t end) {
  while (!all_is_told(client)) {
    if (sn_platform_clock() >= end || sn_helm_is_closing(&client->helm))
      return false;
    sn_client_wait(client, end);
    sn_client_turn(client);
  }
  return true;
}

/* Makes all durable, sends what is unsent, and waits until the server has it. */
static int flush(seen_client *client, uint64_t end, seen_error *error) {
  int status;
  sn_client_begin(client);
  sn_client_turn(client);
  if (client->transport) hurry_reports(client);
  status = make_durable(client, error);
  sn_client_turn(client);
  if (client->transport && !wait_until_told(client, end) && !status)
    status = sn_fail(error, SEEN_ETIMEOUT, "not all is at the server yet");
  return status;
}

/* Takes the helm of a client that is not closed. */
static int steer(seen_client *client, uint32_t timeout_ms, seen_error *error) {
  if (!sn_helm_take(&client->helm, timeout_ms))
    return sn_fail(error, SEEN_ETIMEOUT, "something else takes its time");
  if (!sn_helm_is_closing(&client->helm)) return SEEN_OK;
  sn_helm_give(&client->helm);
  return sn_fail(error, SEEN_ECLOSED, "the client is closed");
}

/* The loop may have slept by another deadline. */
static int leave(seen_client *client, int status) {
  sn_client_publish(client);
  sn_platform_signal_raise(&client->signal);
  sn_helm_give(&client->helm);
  return status;
}

int seen_client_flush(seen_client *client, uint32_t timeout_ms,
                      seen_error *error) {
  uint64_t end = sn_platform_clock() + timeout_ms;
  int status = steer(client, timeout_ms, error);
  if (status) return status;
  if (client->suspended)
    status = sn_fail(error, SEEN_ESTATE, "the client is suspended");
  else
    status = flush(client, end, error);
  return leave(client, status);
}

/* A host's own store stays open, and is not written. */
static void close_store(seen_client *client) {
  sn_client_lock(client);
  seen_mirror_detach(client->mirror);
  sn_client_unlock(client);
  if (!client->config.path) return;
  client->store->close(client->store);
  client->store = NULL;
}

/* Nothing is read while nobody may look (V9). */
static int rest(seen_client *client, uint64_t end, seen_error *error) {
  int status;
  sn_client_turn(client);
  if (client->foreground) sn_client_say(client, SEEN_INPUT_APP, false);
  status = flush(client, end, error);
  sn_client_hang_up(client);
  client->suspended = true;
  close_store(client);
  sn_client_turn(client);
  return status;
}

int seen_client_suspend(seen_client *client, uint32_t timeout_ms,
                        seen_error *error) {
  uint64_t end = sn_platform_clock() + timeout_ms;
  int status = steer(client, SN_FOREVER, error);
  if (status) return status;
  if (!client->suspended) status = rest(client, end, error);
  return leave(client, status);
}

static int reopen_store(seen_client *client, seen_error *error) {
  seen_store *store = client->store;
  int status = SEEN_OK;
  if (!store) status = sn_client_open_store(client, &store, error);
  if (status) return status;
  sn_client_lock(client);
  sn_yielding_init(&client->yielding, store, client->lock);
  status = seen_mirror_reattach(client->mirror, &client->yielding.store, error);
  sn_client_unlock(client);
  if (!status)
    client->store = store;
  else if (store != client->store)
    store->close(store);
  return status;
}

int sn_client_wake_up(seen_client *client, seen_error *error) {
  int status = reopen_store(client, error);
  if (status) return status;
  client->suspended = false;
  client->now =
      sn_platform_clock() > client->now ? sn_platform_clock() : client->now;
  if (client->foreground) sn_client_say(client, SEEN_INPUT_APP, true);
  if (client->begun && client->transport) {
    sn_session_start(client->session, client->now);
    sn_session_network_changed(client->session, client->now);
  }
  sn_client_turn(client);
  return SEEN_OK;
}

int seen_client_resume(seen_client *client, seen_error *error) {
  int status = steer(client, SN_FOREVER, error);
  if (status) return status;
  if (client->suspended) status = sn_client_wake_up(client, error);
  return leave(client, status);
}

static int push(seen_client *client, const char *text, size_t length,
                seen_error *error) {
  uint64_t clock = sn_platform_clock();
  int status;
  if (!client->suspended) sn_client_turn(client);
  if (!sn_client_drain(client)) return sn_fail_memory(error);
  if (clock > client->now) client->now = clock;
  status = sn_session_push(client->session, text, length, client->now, error);
  if (status) return status;
  (void)sn_client_drain(client);
  sn_client_turn(client);
  return SEEN_OK;
}

int seen_client_feed_push(seen_client *client, const char *text, size_t length,
                          seen_error *error) {
  int status = steer(client, SN_FOREVER, error);
  if (status) return status;
  return leave(client, push(client, text, length, error));
}

/* A recorder that lost its beginning looks at the engine for a new one. */
static int dump(seen_client *client, seen_recorder_names names,
                seen_recorder_take take, void *user_data, seen_error *error) {
  int status = SEEN_OK;
  if (!client->config.recorder_capacity)
    return sn_fail(error, SEEN_EUNSUPPORTED, "it has no recorder");
  sn_client_record(client);
  if (!client->recorder) return sn_fail_memory(error);
  if (client->recorder_lost) {
    status = seen_recorder_restart(client->recorder, error);
    client->recorder_lost = status != SEEN_OK;
  }
  if (status) return status;
  return seen_recorder_dump(client->recorder, names, take, user_data, error);
}

int seen_client_dump(seen_client *client, seen_recorder_names names,
                     seen_recorder_take take, void *user_data,
                     seen_error *error) {
  int status = steer(client, SN_FOREVER, error);
  if (status) return status;
  return leave(client, dump(client, names, take, user_data, error));
}
