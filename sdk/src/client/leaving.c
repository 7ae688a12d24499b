/*
 * The end of a client. Stop, wake, join, free, in this order: who closes takes
 * the helm for ever, says good-bye, waits for the thread, tells the host, and
 * then lets nobody hear any more.
 */
#include "base/fail.h"
#include "client/client.h"
#include "client/wipe.h"

static bool has_work(seen_client *client) {
  size_t unwritten;
  sn_client_lock(client);
  unwritten = seen_mirror_unwritten(client->mirror);
  sn_client_unlock(client);
  return unwritten || client->acts || !sn_inbox_is_empty(&client->inbox);
}

/* What was said before it was closed counts. */
static void say_good_bye(seen_client *client) {
  if (client->suspended && has_work(client))
    (void)sn_client_wake_up(client, NULL);
  if (client->suspended) return;
  sn_client_turn(client);
  if (client->begun) sn_client_say(client, SEEN_INPUT_FLUSH, false);
  sn_client_lock(client);
  seen_mirror_hurry(client->mirror);
  sn_client_unlock(client);
  if (sn_client_commit(client, NULL))
    sn_log_write(&client->log, SEEN_LOG_WARN, "not all was written");
}

/* Those that got no further than the inbox end as well. */
static void end_requests(seen_client *client) {
  sn_session_cancel_all(client->session, SEEN_ECLOSED);
  (void)sn_client_drain(client);
  sn_client_lock(client);
  sn_events_end_awaited(&client->events, SEEN_ECLOSED);
  sn_client_unlock(client);
}

static void end_session(seen_client *client) {
  end_requests(client);
  sn_client_hang_up(client);
  if (client->transport) client->transport->free(client->transport);
  client->transport = NULL;
}

static void close_store(seen_client *client) {
  sn_client_lock(client);
  seen_mirror_detach(client->mirror);
  sn_client_unlock(client);
  if (client->store) client->store->close(client->store);
  client->store = NULL;
}

/* Its user_data is needed no more: wakeup was called for the last time. */
static void free_user_data(seen_client *client) {
  seen_user_free user_free;
  sn_client_lock(client);
  user_free = client->config.user_free;
  client->config.user_free = NULL;
  sn_client_unlock(client);
  if (user_free) user_free(client->config.user_data);
}

/* To who pulls; a dispatch under way takes what waited before it only. */
static void tell_end(seen_client *client) {
  sn_listeners_stop(&client->listeners);
  sn_client_lock(client);
  sn_events_close(&client->events);
  sn_client_unlock(client);
  sn_client_publish(client);
}

/* The helm is held for ever. */
static void end_it(seen_client *client) {
  end_session(client);
  close_store(client);
  seen_recorder_free(client->recorder);
  client->recorder = NULL;
  tell_end(client);
  sn_helm_end(&client->helm);
}

void seen_client_close(seen_client *client) {
  bool mine;
  (void)sn_inbox_close(&client->inbox);
  mine = sn_helm_close(&client->helm);
  if (mine) {
    say_good_bye(client);
    end_it(client);
  }
  sn_listeners_end(&client->listeners);
  if (mine) free_user_data(client);
}

/* From here on there is nothing to read, and zero is told. */
static void tell_zero(seen_client *client) {
  sn_client_lock(client);
  client->wiped = true;
  sn_events_drop(&client->events);
  sn_client_unlock(client);
  if (sn_listeners_count(&client->listeners)) (void)sn_client_tell(client);
}

/* The helm is held for ever. */
static void empty_store(seen_client *client) {
  if (!client->store) return;
  sn_client_lock(client);
  seen_mirror_detach(client->mirror);
  sn_client_unlock(client);
  if (sn_wipe_store(client->store, client->engine))
    sn_log_write(&client->log, SEEN_LOG_WARN, "the mirror was not emptied");
}

int seen_client_log_out(seen_client *client, seen_error *error) {
  bool mine;
  int status;
  if (!sn_inbox_close(&client->inbox))
    return sn_fail(error, SEEN_ECLOSED, "the client is closed");
  tell_zero(client);
  mine = sn_helm_close(&client->helm);
  if (mine) {
    empty_store(client);
    end_it(client);
  }
  status = sn_wipe_files(client->config.path, client->config.recorder_path,
                         client->memory, error);
  sn_listeners_end(&client->listeners);
  if (mine) free_user_data(client);
  sn_client_let_go(client);
  return status;
}

void seen_client_free(seen_client *client) {
  if (!client) return;
  seen_client_close(client);
  if (sn_listeners_in_one(&client->listeners))
    client->forgotten = true;
  else
    sn_client_destroy(client);
}
