/*
 * Devices: each is a client of the library with its own mirror, and all of
 * them are heard on one thread.
 */
#ifndef DEMO_DEVICE_H
#define DEMO_DEVICE_H

#include "served.h"

#include <seen/chat.h>

#define DEVICES_MAX 16

typedef struct demo_device {
  struct demo_devices *all;
  seen_client *client;
  const char *user;
  const char *name;
  uint64_t sent; /* the seq of what it sent last; 0: no answer yet */
  char *token;
} demo_device;

typedef struct demo_devices {
  demo_server *server;
  demo_device list[DEVICES_MAX];
  size_t count;
  int wake[2]; /* a pipe: bytes come when there is something to hear */
} demo_devices;

bool devices_open(demo_devices *all, demo_server *server);
void devices_close(demo_devices *all);

/* Brings up a device of a user, with a mirror on disk. NULL, and a line on the
 * standard error, where it can't. */
demo_device *devices_add(demo_devices *all, const char *user, const char *name);

/* Hears until `holds` says so; false where that is not within half a
 * minute. */
bool devices_wait(demo_devices *all, bool (*holds)(void *user_data),
                  void *user_data);

/* Hears for a while. */
void devices_rest(demo_devices *all, int ms);

bool device_is_synced(const demo_device *device);

/* Says something, and waits until it has its seq. */
bool device_say(demo_device *device, const char *conv, const char *body,
                const char *const *mentions, size_t mention_count);

#endif
