#include "fuzz/requests.h"

#include <stdlib.h>
#include <string.h>

typedef struct parts {
  char *path;
  char *query; /* "": none */
  char *body;
} parts;

/* Cuts the text at the first of a character; what is behind it, "": nothing. */
static char *cut(char *text, char at) {
  char *found = strchr(text, at);

  if (found == NULL) return text + strlen(text);
  *found = '\0';
  return found + 1;
}

/* A value of the query, NULL: it has none. The query stays as it is. */
static const char *value(const parts *of, const char *name, char *into,
                         size_t size) {
  size_t prefix = strlen(name);

  for (const char *at = of->query; *at != '\0';) {
    size_t length = strcspn(at, "&");

    if (length >= prefix && strncmp(at, name, prefix) == 0 &&
        length - prefix < size) {
      memcpy(into, at + prefix, length - prefix);
      into[length - prefix] = '\0';
      return into;
    }
    at += length + (at[length] == '&');
  }
  return NULL;
}

static uint64_t number(const parts *of, const char *name) {
  char text[20];

  return value(of, name, text, sizeof text) ? strtoull(text, NULL, 10) : 0;
}

/* What stands between, cut out; NULL: it is another path. */
static char *between(const parts *of, const char *before, const char *behind) {
  size_t all = strlen(of->path), head = strlen(before), tail = strlen(behind);

  if (all <= head + tail || strncmp(of->path, before, head) != 0 ||
      strcmp(of->path + all - tail, behind) != 0)
    return NULL;
  of->path[all - tail] = '\0';
  return of->path + head;
}

/* What a connection has to be told, once that is durable. */
static response gather(server *to, connection *from, uint64_t now) {
  if (!server_commit(to, now)) return http_error(503, "storage", "failed", 0);
  return http_gather(to, from, now);
}

static response receipts(server *to, const identity *who, const parts *of,
                         const char *message, uint64_t now) {
  char status[300], cursor[700];

  return http_read_receipts(
      to, who, message, value(of, "status=", status, sizeof status),
      value(of, "cursor=", cursor, sizeof cursor), number(of, "limit="), now);
}

static response get(server *to, const identity *who, const parts *of,
                    uint64_t now) {
  const char *message;
  char name[100];

  if (strcmp(of->path, "/im/unread") == 0) return http_unread(to, who, now);
  if (strcmp(of->path, "/im/conversations") == 0)
    return http_conversations(to, who, number(of, "after="),
                              number(of, "limit="), now);
  if (strcmp(of->path, "/im/poll") == 0) {
    const char *given = value(of, "connection=", name, sizeof name);
    connection *from = http_poll(to, who, given ? given : "", now);

    return from ? gather(to, from, now)
                : http_error(404, "not_found", "say hello again", 0);
  }
  message = between(of, "/im/messages/", "/read-receipts");
  return message ? receipts(to, who, of, message, now) : (response){0, NULL, 0};
}

static response frames(server *to, const identity *who, const parts *of,
                       const char *fresh, uint64_t now) {
  char name[100];
  connection *from = NULL;
  response came =
      http_frames(to, who, value(of, "connection=", name, sizeof name), fresh,
                  of->body, strlen(of->body), &from, now);

  return came.status == 200 ? gather(to, from, now) : came;
}

static response post(server *to, const identity *who, const parts *of,
                     const char *fresh, uint64_t now) {
  const char *conv;

  if (strcmp(of->path, "/im/frames") == 0)
    return frames(to, who, of, fresh, now);
  conv = between(of, "/im/conversations/", "/read-cursor");
  return conv ? http_read_cursor(to, who, conv, of->body, strlen(of->body), now)
              : (response){0, NULL, 0};
}

response requests_take(server *to, const identity *who, char *text,
                       const char *fresh, uint64_t now) {
  parts of = {.path = cut(text, ' ')};

  of.body = cut(of.path, ' ');
  of.query = cut(of.path, '?');
  if (strcmp(text, "GET") == 0) return get(to, who, &of, now);
  if (strcmp(text, "POST") == 0) return post(to, who, &of, fresh, now);
  return (response){0, NULL, 0};
}
