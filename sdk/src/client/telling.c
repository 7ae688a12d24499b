/* Events to the host: to its listeners, or by the batch. */
#include "client/client.h"

/* One round: what began to wait before it. */
typedef struct round {
  seen_client *client;
  uint64_t serial;
  sn_lent lent;
} round;

static bool next(void *source, seen_event *event) {
  round *now = source;
  seen_client *client = now->client;
  bool found;
  sn_lent_release(&now->lent, client->memory);
  sn_client_lock(client);
  found = sn_events_next(&client->events, now->serial, event, &now->lent);
  sn_client_unlock(client);
  return found;
}

static round begin(seen_client *client) {
  round now = {.client = client};
  sn_client_lock(client);
  now.serial = client->events.serial;
  client->woken = false; /* for what comes from here on */
  sn_client_unlock(client);
  return now;
}

size_t sn_client_tell(seen_client *client) {
  round now = begin(client);
  size_t count = sn_listeners_tell(&client->listeners, next, &now);
  sn_lent_release(&now.lent, client->memory);
  return count;
}

void sn_client_let_go(seen_client *client) {
  if (client->forgotten && !sn_listeners_in_one(&client->listeners))
    sn_client_destroy(client);
}

size_t seen_client_dispatch(seen_client *client) {
  size_t count;
  if (sn_listeners_in_one(&client->listeners)) return 0;
  count = sn_client_tell(client);
  sn_client_let_go(client);
  return count;
}

size_t seen_client_next_events(seen_client *client, seen_event *events,
                               size_t limit) {
  round now = begin(client);
  size_t count = 0;
  sn_lent_release(&client->lent, client->memory);
  sn_client_lock(client);
  while (count < limit && sn_events_next(&client->events, now.serial,
                                         &events[count], &client->lent))
    count++;
  sn_client_unlock(client);
  return count;
}

int seen_client_listen(seen_client *client, uint32_t types, const char *id,
                       seen_listener listener, void *user_data,
                       seen_user_free user_free, uint64_t *number) {
  const sn_wanted wanted = {types, id, listener, user_data, user_free};
  int status;
  if (!(types & SEEN_EVENT_ALL) || !listener || (id && sn_client_check_id(id)))
    return SEEN_EINVAL;
  status = sn_listeners_add(&client->listeners, &wanted, number);
  if (status || !(types & SEEN_EVENT_LIST)) return status;
  sn_client_lock(client);
  sn_events_forget_order(&client->events);
  sn_client_unlock(client);
  sn_platform_signal_raise(&client->signal); /* the loop wakes the host */
  return SEEN_OK;
}

void seen_client_unlisten(seen_client *client, uint64_t number) {
  sn_listeners_remove(&client->listeners, number);
}

size_t seen_client_live(const seen_client *client) {
  seen_client *self = (seen_client *)client; /* its locks are not const */
  size_t count = sn_listeners_count(&self->listeners);
  sn_client_lock(client);
  count += client->events.awaited_count + (client->config.user_free != NULL);
  sn_client_unlock(client);
  return count;
}
