#include "device.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 30000

static long long clock_ms(void) {
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool devices_open(demo_devices *all, demo_server *server) {
  memset(all, 0, sizeof *all);
  all->server = server;
  return pipe2(all->wake, O_NONBLOCK | O_CLOEXEC) == 0;
}

void devices_close(demo_devices *all) {
  for (size_t i = 0; i < all->count; i++) {
    seen_client_free(all->list[i].client);
    free(all->list[i].token);
  }
  close(all->wake[0]);
  close(all->wake[1]);
}

static void wakeup(void *user_data) {
  const demo_devices *all = user_data;
  ssize_t written = write(all->wake[1], "", 1);

  (void)written; /* a full pipe wakes as well */
}

static void hear(const seen_event *event, void *user_data) {
  demo_device *device = user_data;

  if (event->type == SEEN_EVENT_REPLY && event->u.reply.act == SEEN_ACT_SEND) {
    if (event->u.reply.code == SEEN_OK)
      device->sent = event->u.reply.seq;
    else
      fprintf(stderr, "%s: %s\n", device->user, event->u.reply.message);
  }
  if (event->type == SEEN_EVENT_TOKEN)
    seen_client_token(device->client, device->token);
}

static bool start(demo_device *device, const char *path) {
  seen_error error = SEEN_ERROR_INIT;
  seen_client_options options;
  uint64_t number;

  seen_client_options_init(&options);
  options.policy.user = device->user;
  options.policy.device = device->name;
  options.path = path;
  options.url = device->all->server->url;
  options.token = device->token;
  /* Quicker than an app: a demo is short. */
  options.backoff_min_ms = 100;
  options.backoff_max_ms = 500;
  options.wakeup = wakeup;
  options.user_data = device->all;
  if (seen_client_open(&options, &device->client, &error) == SEEN_OK &&
      seen_client_listen(device->client, SEEN_EVENT_REPLY | SEEN_EVENT_TOKEN,
                         NULL, hear, device, NULL, &number) == SEEN_OK &&
      seen_client_start(device->client, &error) == SEEN_OK)
    return true;
  fprintf(stderr, "%s on %s: %s\n", device->user, device->name, error.message);
  return false;
}

demo_device *devices_add(demo_devices *all, const char *user,
                         const char *name) {
  demo_device *added = &all->list[all->count];
  char file[64], path[300];

  if (all->count == DEVICES_MAX) return NULL;
  memset(added, 0, sizeof *added);
  added->all = all;
  added->user = user;
  added->name = name;
  added->token = served_token(all->server, user);
  if (added->token == NULL) return NULL;
  all->count++;
  snprintf(file, sizeof file, "%s-%s", user, name);
  started_path(&all->server->on, file, path);
  return start(added, path) ? added : NULL;
}

/* Lets all devices hear what there is, waiting up to `ms` for something. */
static void hear_all(demo_devices *all, int ms) {
  struct pollfd wait = {all->wake[0], POLLIN, 0};
  char bytes[64];

  poll(&wait, 1, ms);
  while (read(all->wake[0], bytes, sizeof bytes) > 0) {
  }
  for (size_t i = 0; i < all->count; i++)
    if (all->list[i].client != NULL) seen_client_dispatch(all->list[i].client);
}

bool devices_wait(demo_devices *all, bool (*holds)(void *user_data),
                  void *user_data) {
  long long end = clock_ms() + PATIENCE_MS;

  hear_all(all, 0);
  while (!holds(user_data)) {
    if (clock_ms() > end) return false;
    hear_all(all, 20);
  }
  return true;
}

void devices_rest(demo_devices *all, int ms) {
  long long end = clock_ms() + ms, left;

  while ((left = end - clock_ms()) > 0)
    hear_all(all, (int)left);
}

bool device_is_synced(const demo_device *device) {
  seen_connection_state state = {.size = sizeof state};

  seen_client_connection(device->client, &state);
  return state.connection == SEEN_CONNECTION_ONLINE && state.synced;
}

static bool has_sent(void *user_data) {
  const demo_device *device = user_data;

  return device->sent != 0;
}

bool device_say(demo_device *device, const char *conv, const char *body,
                const char *const *mentions, size_t mention_count) {
  seen_post post = {.size = sizeof post,
                    .body = body,
                    .mentions = mentions,
                    .mention_count = mention_count};
  uint64_t request;

  device->sent = 0;
  return seen_client_send(device->client, conv, &post, &request, NULL) ==
             SEEN_OK &&
         devices_wait(device->all, has_sent, device);
}
