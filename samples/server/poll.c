/* Connections without a WebSocket: frames by POST, answers by poll. */
#include "connections.h"
#include "http.h"
#include "persons.h"

#include <stdlib.h>
#include <string.h>

static connection *find_polled(server *self, const identity *who,
                               const char *name) {
  connection *found = map_get(&self->polled, name);
  if (!found || found->closing || strcmp(found->who.user, who->user) != 0)
    return NULL;
  found->who = *who; /* what this token may, and for how long */
  found->used_at = self->now;
  return found;
}

static response gone(void) {
  return http_error(404, "not_found", "no such connection; say hello", 0);
}

static void take_all(server *self, connection *from, const json *frames,
                     uint64_t now) {
  for (const json *at = json_first(frames); at; at = json_after(at)) {
    char *frame = json_print(at);
    server_frame(self, from, frame, strlen(frame), now);
    free(frame);
  }
}

/* A frame that is none closes a socket; here none of them is taken. */
static bool are_frames(const json *list) {
  if (!json_is_array(list) || json_count(list) == 0) return false;
  for (const json *at = json_first(list); at; at = json_after(at))
    if (!json_is_object(at)) return false;
  return true;
}

static bool begins_with_hello(const json *frames) {
  const char *type = json_is_text(json_member(json_first(frames), "t"));
  return type && !strcmp(type, "hello");
}

/* A new connection costs a token: no socket bounds how many there are. */
static uint64_t wait_for_new(server *self, const identity *who) {
  person *asker = persons_find(self, who->user);
  return persons_spend(&asker->requests, self->limits.requests_per_second,
                       self->limits.requests_burst, self->now);
}

response http_frames(server *self, const identity *who, const char *name,
                     const char *fresh, const char *body, size_t length,
                     connection **from, uint64_t now) {
  const char *why;
  uint64_t wait = 0;
  *from = NULL;
  self->now = most(self->now, now);
  if (length > self->limits.frame_bytes)
    return http_error(400, "invalid", "too large", 0);
  json *frames = json_parse(body, length, self->limits.depth + 1, &why);
  bool good = are_frames(frames);
  if (good && name)
    *from = find_polled(self, who, name);
  else if (good && begins_with_hello(frames) &&
           !(wait = wait_for_new(self, who)))
    *from = server_connect(self, who, fresh, now);
  if (*from) take_all(self, *from, frames, now);
  json_free(frames);
  if (*from) return (response){200, NULL, 0};
  if (wait) return http_error(429, "rate_limited", "too fast", wait);
  if (good && name) return gone();
  return http_error(400, "invalid", "an array of frames, hello first", 0);
}

connection *http_poll(server *self, const identity *who, const char *name,
                      uint64_t now) {
  self->now = most(self->now, now);
  return find_polled(self, who, name);
}

response http_gather(server *self, connection *from, uint64_t now) {
  text body = {NULL, 0, 0};
  size_t length;
  self->now = most(self->now, now);
  text_add(&body, "[");
  while (body.length < self->limits.frame_bytes / 2) {
    const char *frame = connection_next(from, &length);
    if (!frame) break;
    text_comma(&body);
    text_add_bytes(&body, frame, length);
  }
  text_add(&body, "]");
  return (response){200, body.bytes, body.length};
}
