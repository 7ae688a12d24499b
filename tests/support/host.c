#include "support/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/folder.h"

/* Longer than any time of the options below. */
enum { TURNS_MS = 40 };

static void *allocate(size_t size, void *user_data) {
  test_host *t = user_data;
  void *block;
  sn_platform_mutex_lock(t->mutex);
  block = t->memory.allocator.allocate(size, &t->memory);
  sn_platform_mutex_unlock(t->mutex);
  return block;
}

static void *resize(void *memory, size_t size, void *user_data) {
  test_host *t = user_data;
  void *block;
  sn_platform_mutex_lock(t->mutex);
  block = t->memory.allocator.resize(memory, size, &t->memory);
  sn_platform_mutex_unlock(t->mutex);
  return block;
}

static void release(void *memory, void *user_data) {
  test_host *t = user_data;
  sn_platform_mutex_lock(t->mutex);
  t->memory.allocator.release(memory, &t->memory);
  sn_platform_mutex_unlock(t->mutex);
}

static void wakeup(void *user_data) {
  test_host *t = user_data;
  sn_platform_mutex_lock(t->mutex);
  t->wakes++;
  sn_platform_mutex_unlock(t->mutex);
}

static void free_user_data(void *user_data) {
  ((test_host *)user_data)->freed++;
}

test_host *host_start_alone(void) {
  test_host *t = calloc(1, sizeof *t);
  assert_non_null(t);
  t->mutex = sn_platform_mutex_new(seen_allocator_default());
  assert_non_null(t->mutex);
  test_alloc_init(&t->memory);
  t->allocator = (seen_allocator){allocate, resize, release, t};
  seen_client_options_init(&t->options);
  t->options.policy.user = "u1";
  t->options.policy.device = "d1";
  t->options.policy.dwell_ms = 10;
  t->options.policy.debounce_ms = 10;
  t->options.policy.max_wait_ms = 20;
  t->options.policy.persist_ms = 10;
  t->options.policy.reports_per_second = 100;
  t->options.policy.seed = 7;
  t->options.policy.allocator = &t->allocator;
  t->options.token = "token";
  t->options.backoff_min_ms = 10;
  t->options.backoff_max_ms = 20;
  t->options.recorder_capacity = 64;
  t->options.wakeup = wakeup;
  t->options.user_data = t;
  t->options.user_free = free_user_data;
  return t;
}

test_host *host_start(void) {
  test_host *t = host_start_alone();
  t->link = link_start();
  t->options.transport = &t->link->transport;
  return t;
}

void host_end(test_host *t) {
  if (t->client) {
    seen_client_free(t->client);
    assert_int_equal(t->freed, 2);
  }
  test_alloc_check(&t->memory);
  if (t->link) link_end(t->link);
  sn_platform_mutex_free(seen_allocator_default(), t->mutex);
  free(t);
}

void host_in_folder(test_host *t) {
  snprintf(t->path, sizeof t->path, "%s",
           test_folder_file(&test_here, "mirror.db"));
  snprintf(t->record, sizeof t->record, "%s",
           test_folder_file(&test_here, "record"));
  t->options.path = t->path;
  t->options.recorder_path = t->record;
}

static size_t bit_of(seen_event_type type) {
  size_t bit = 0;
  while ((unsigned)type >> bit > 1)
    bit++;
  return bit;
}

static void hear(const seen_event *event, void *user_data) {
  test_host *t = user_data;
  heard *place = &t->heard[bit_of(event->type)];
  place->count++;
  place->last = *event;
  if (event->type == SEEN_EVENT_REPLY && t->reply_count < HOST_IDS)
    t->replies[t->reply_count++] = event->u.reply.request;
}

int host_try(test_host *t, seen_error *error) {
  int status = seen_client_open(&t->options, &t->client, error);
  if (status) return status;
  if (t->link) {
    t->link->user_data = t->client;
    t->link->wake = seen_client_wake;
  }
  return SEEN_OK;
}

void host_open(test_host *t) {
  seen_error error = SEEN_ERROR_INIT;
  int status = host_try(t, &error);
  if (status) fail_msg("%s", error.message);
  assert_int_equal(seen_client_listen(t->client, SEEN_EVENT_ALL, NULL, hear, t,
                                      free_user_data, &t->listener),
                   SEEN_OK);
}

static void give_up(test_host *t, const char *name, int line) {
  seen_connection_state state;
  seen_client_connection(t->client, &state);
  fail_msg("line %d: not %s: connection %d, synced %d, %zu dials, %zu frames",
           line, name, (int)state.connection, state.synced,
           t->link ? t->link->dials : 0, t->link ? t->link->frame_count : 0);
}

void host_until_at(test_host *t, host_wanted wanted, const char *name,
                   int line) {
  uint64_t end = sn_platform_clock() + HOST_MS;
  while (!wanted(t)) {
    if (sn_platform_clock() > end) give_up(t, name, line);
    (void)seen_client_step(t->client, 5, NULL);
    (void)seen_client_dispatch(t->client);
  }
}

void host_turns(test_host *t) {
  uint64_t end = sn_platform_clock() + TURNS_MS;
  for (int i = 0; i < 10 || sn_platform_clock() < end; i++) {
    (void)seen_client_step(t->client, 2, NULL);
    (void)seen_client_dispatch(t->client);
  }
}

bool host_is_online(test_host *t) {
  seen_connection_state state;
  seen_client_connection(t->client, &state);
  return state.connection == SEEN_CONNECTION_ONLINE && state.synced;
}

void host_connect(test_host *t) {
  host_open(t);
  host_until(t, host_is_online);
  host_turns(t);
}

const heard *host_heard(const test_host *t, seen_event_type type) {
  return &t->heard[bit_of(type)];
}

void host_forget(test_host *t) {
  memset(t->heard, 0, sizeof t->heard);
}

seen_state host_state(test_host *t, const char *conv) {
  seen_state state = {.size = sizeof state};
  assert_int_equal(seen_client_state(t->client, conv, &state), SEEN_OK);
  return state;
}

uint64_t host_unread(test_host *t) {
  seen_totals totals;
  seen_client_totals(t->client, &totals);
  return totals.unread;
}
