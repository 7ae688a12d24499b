/*
 * Paths of HTTP, and what of the state part each of them is. A path comes
 * decoded, without its query.
 */
#include "cursor.h"
#include "front_parts.h"

#include <stdlib.h>
#include <string.h>

/* As many bytes as all headers together may have. */
enum { QUERY_BYTES = 8192 };

typedef enum argument { ABSENT, GIVEN, TOO_LONG } argument;

/* The value of `name=` in the query. */
static argument query(const request *about, const char *name, char *value,
                      size_t size) {
  char text[QUERY_BYTES + 1];
  size_t prefix = strlen(name);

  for (int at = 0; lws_hdr_copy_fragment(about->wsi, text, (int)sizeof text,
                                         WSI_TOKEN_HTTP_URI_ARGS, at) >= 0;
       at++) {
    if (strncmp(text, name, prefix) != 0) continue;
    if (strlen(text + prefix) >= size) return TOO_LONG;
    strcpy(value, text + prefix);
    return GIVEN;
  }
  *value = '\0';
  return ABSENT;
}

/* A number of the query, `usual` where it has none; false: it is none. */
static bool query_number(const request *about, const char *name, uint64_t usual,
                         uint64_t *number) {
  char text[17], *end;
  argument is = query(about, name, text, sizeof text);

  *number = usual;
  if (is != GIVEN || *text == '\0') return is != TOO_LONG;
  if (*text < '0' || *text > '9') return false;
  *number = strtoull(text, &end, 10);
  return *end == '\0' && *number < (uint64_t)1 << 53;
}

void route_query(request *about) {
  /* The name of no connection stands for one that is none. */
  if (query(about, "connection=", about->connection_name,
            sizeof about->connection_name) == TOO_LONG)
    strcpy(about->connection_name, "?");
}

static void invalid(front *self, request *about, const char *message) {
  request_answer(self, about, http_error(400, "invalid", message, 0));
}

static void not_found(front *self, request *about, const char *message) {
  request_answer(self, about, http_error(404, "not_found", message, 0));
}

static void plain(front *self, request *about, response with) {
  request_answer(self, about, with);
  about->is_plain = true;
}

static response text_response(const char *text) {
  response self = {200, malloc(strlen(text) + 1), strlen(text)};

  if (self.body == NULL) return http_error(503, "storage", "no memory", 0);
  strcpy(self.body, text);
  return self;
}

/* What lies between prefix and suffix of the path, cut out in place. */
static char *between(request *about, const char *prefix, const char *suffix) {
  size_t all = strlen(about->path), before = strlen(prefix),
         behind = strlen(suffix);

  if (all <= before + behind || strncmp(about->path, prefix, before) != 0 ||
      strcmp(about->path + all - behind, suffix) != 0)
    return NULL;
  about->path[all - behind] = '\0';
  return about->path + before;
}

static void conversations(front *self, request *about) {
  uint64_t after, limit;

  if (!query_number(about, "after=", 0, &after) ||
      !query_number(about, "limit=", 0, &limit)) {
    invalid(self, about, "after and limit are numbers");
    return;
  }
  request_answer(
      self, about,
      http_conversations(self->server, &about->who, after, limit, self->now));
}

static void read_receipts(front *self, request *about, const char *message) {
  char status[16], given[CURSOR_BYTES];
  argument has_status = query(about, "status=", status, sizeof status);
  argument has_cursor = query(about, "cursor=", given, sizeof given);
  uint64_t limit;

  if (has_status == TOO_LONG || has_cursor == TOO_LONG ||
      !query_number(about, "limit=", 0, &limit)) {
    invalid(self, about, "status, cursor and limit are as said");
    return;
  }
  request_answer(self, about,
                 http_read_receipts(self->server, &about->who, message, status,
                                    given, limit, self->now));
}

/* Well is who can make something durable: the answer waits for it. */
static void health(front *self, request *about) {
  front_takes(self);
  server_examine(self->server);
  about->rests = true;
  plain(self, about, text_response("ok\n"));
}

/* Another poll of the same connection is answered: this one takes over. */
static void take_over(front *self, connection *from) {
  request *other = connection_owner(from);

  if (other == NULL) return;
  connection_set_owner(from, NULL);
  other->is_held = false;
  request_answer(self, other, text_response("[]"));
}

static void poll_frames(front *self, request *about) {
  uint64_t wait;

  route_query(about);
  if (!query_number(about, "wait=", 0, &wait)) {
    invalid(self, about, "wait is a number");
    return;
  }
  about->polled =
      http_poll(self->server, &about->who, about->connection_name, self->now);
  if (about->polled == NULL) {
    not_found(self, about, "no such connection; say hello again");
    return;
  }
  take_over(self, about->polled);
  connection_set_owner(about->polled, &about->owner);
  about->is_held = true;
  if (wait > self->config->poll_ms) wait = self->config->poll_ms;
  if (wait == 0 || connection_has_next(about->polled)) {
    request_end_poll(self, about);
    return;
  }
  lws_set_timeout(about->wsi, NO_PENDING_TIMEOUT, 0);
  lws_set_timer_usecs(about->wsi, (lws_usec_t)wait * 1000);
}

static void post_frames(front *self, request *about) {
  char fresh[33];
  bool is_first = *about->connection_name == '\0';
  response with;

  if (!front_random_name(self, fresh)) {
    request_answer(self, about, http_error(503, "storage", "no entropy", 0));
    return;
  }
  with = http_frames(
      self->server, &about->who, is_first ? NULL : about->connection_name,
      fresh, about->body, about->body_length, &about->polled, self->now);
  about->gathers = with.status == 200 && about->polled != NULL;
  request_answer(self, about, with);
}

static void post(front *self, request *about) {
  const char *conv;

  if (strcmp(about->path, "/im/frames") == 0) {
    post_frames(self, about);
    return;
  }
  conv = between(about, "/im/conversations/", "/read-cursor");
  if (conv == NULL) {
    not_found(self, about, "no such path");
    return;
  }
  request_answer(self, about,
                 http_read_cursor(self->server, &about->who, conv, about->body,
                                  about->body_length, self->now));
}

static void get(front *self, request *about) {
  const char *path = about->path, *message;

  if (strcmp(path, "/im/conversations") == 0) {
    conversations(self, about);
  } else if (strcmp(path, "/im/unread") == 0) {
    request_answer(self, about,
                   http_unread(self->server, &about->who, self->now));
  } else if (strcmp(path, "/im/poll") == 0) {
    poll_frames(self, about);
  } else if (strcmp(path, "/metrics") == 0) {
    plain(self, about, front_metrics(self));
  } else if (strcmp(path, "/healthz") == 0) {
    health(self, about);
  } else {
    message = between(about, "/im/messages/", "/read-receipts");
    if (message != NULL)
      read_receipts(self, about, message);
    else
      not_found(self, about, "no such path");
  }
}

void route(front *self, request *about) {
  bool asks = strncmp(about->path, "/im/", 4) == 0;

  /* Also what only reads may have read what this turn wrote. */
  if (asks) front_takes(self);
  about->rests = asks;
  if (about->is_post)
    post(self, about);
  else
    get(self, about);
}
