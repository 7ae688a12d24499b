/*
 * The transport's rules, each a function that says what is wrong, or NULL. A
 * message about a code is built in one place, so that all of them read alike.
 */
#include "transport.h"

#include "ask.h"
#include "match.h"
#include "token.h"

#include <stdlib.h>
#include <string.h>

enum { FRAME_BYTES = 65536 };

typedef struct stage {
  const options *how;
  peers *all;
  names *names;
  char user[64];
  char token[TOKEN_BYTES];
  char why[300];
} stage;

static bool is_type(const cJSON *frame, const void *type) {
  const char *t =
      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(frame, "t"));

  return t != NULL && strcmp(t, type) == 0;
}

static bool came(const stage *self, peer *from, const char *type) {
  cJSON *frame = peer_take(from, is_type, type, self->how->patience_ms);

  cJSON_Delete(frame);
  return frame != NULL;
}

static bool say(peer *to, const char *text) {
  return peer_send(to, text, strlen(text), 1);
}

/* A connection that has said hello. */
static peer *welcome(stage *self) {
  peer *made = peer_open(self->all, "p", self->token);

  say(made, "{\"t\":\"hello\",\"id\":1,\"device\":\"p\"}");
  came(self, made, "welcome");
  return made;
}

static const char *closes_with(stage *self, peer *which, int wanted) {
  int code = peer_code(which, self->how->patience_ms);

  peer_close(which);
  if (code == wanted) return NULL;
  snprintf(self->why, sizeof self->why, "closed with %d, not %d", code, wanted);
  return self->why;
}

static const char *after(stage *self, const void *text, size_t length,
                         int wanted) {
  peer *made = welcome(self);

  peer_send(made, text, length, 1);
  return closes_with(self, made, wanted);
}

static const char *no_json(stage *self) {
  return after(self, "{\"t\":", 5, 1007);
}

static const char *no_object(stage *self) {
  return after(self, "[]", 2, 1007);
}

static const char *no_utf8(stage *self) {
  static const char text[] = "{\"t\":\"fetch\",\"id\":2,\"convs\":[\"\xc3(\"]}";

  return after(self, text, sizeof text - 1, 1007);
}

static const char *a_nul(stage *self) {
  static const char text[] =
      "{\"t\":\"fetch\",\"id\":2,\"convs\":[\"\\u0000\"]}";

  return after(self, text, sizeof text - 1, 1007);
}

static const char *deep(stage *self, int depth, int wanted) {
  char text[200] = "{\"t\":\"none\",\"id\":2,\"x\":";
  peer *made;

  for (int i = 1; i < depth; i++)
    strcat(text, "[");
  for (int i = 1; i < depth; i++)
    strcat(text, "]");
  strcat(text, "}");
  if (wanted != 0) return after(self, text, strlen(text), wanted);
  made = welcome(self);
  say(made, text);
  snprintf(self->why, sizeof self->why, "%s", "was not answered");
  wanted = came(self, made, "error");
  peer_close(made);
  return wanted ? NULL : self->why;
}

static const char *depth_of_8(stage *self) {
  return deep(self, 8, 0);
}

static const char *depth_of_9(stage *self) {
  return deep(self, 9, 1007);
}

/* A frame of `length` bytes that asks for nothing. */
static const char *sized(stage *self, size_t length, int parts, int wanted) {
  static const char head[] = "{\"t\":\"none\",\"id\":2,\"x\":\"",
                    tail[] = "\"}";
  char *text = malloc(length);
  peer *made = welcome(self);
  bool answered = true;

  if (text == NULL) abort();
  memset(text, 'x', length);
  memcpy(text, head, sizeof head - 1);
  memcpy(text + length - (sizeof tail - 1), tail, sizeof tail - 1);
  peer_send(made, text, length, parts);
  free(text);
  if (wanted != 0) return closes_with(self, made, wanted);
  answered = came(self, made, "error");
  peer_close(made);
  return answered ? NULL : "was not answered";
}

static const char *frame_of_limit(stage *self) {
  return sized(self, FRAME_BYTES, 1, 0);
}

static const char *fragments_of_limit(stage *self) {
  return sized(self, FRAME_BYTES, 7, 0);
}

static const char *frame_over_limit(stage *self) {
  return sized(self, FRAME_BYTES + 1, 1, 1009);
}

static const char *fragments_over_limit(stage *self) {
  return sized(self, (size_t)FRAME_BYTES * 2, 5, 1009);
}

static const char *first_no_hello(stage *self) {
  peer *made = peer_open(self->all, "p", self->token);

  say(made, "{\"t\":\"fetch\",\"id\":1,\"convs\":[\"g\"]}");
  return closes_with(self, made, 1008);
}

static const char *wrong_token(stage *self) {
  peer *made = peer_open(self->all, "p", "a.b.c");

  say(made, "{\"t\":\"hello\",\"id\":1,\"device\":\"p\"}");
  return closes_with(self, made, 4401);
}

static const char *no_token(stage *self) {
  peer *made = peer_open(self->all, "p", NULL);

  say(made, "{\"t\":\"hello\",\"id\":1,\"device\":\"p\"}");
  return closes_with(self, made, 4401);
}

static const char *old_token(stage *self) {
  char token[TOKEN_BYTES];
  peer *made;

  if (!token_for(self->how, self->user, false, -60, token)) return "no token";
  made = peer_open(self->all, "p", token);
  say(made, "{\"t\":\"hello\",\"id\":1,\"device\":\"p\"}");
  return closes_with(self, made, 4401);
}

static const char *token_in_hello(stage *self) {
  peer *made = peer_open(self->all, "p", NULL);
  char text[TOKEN_BYTES + 100];
  bool good;

  snprintf(text, sizeof text,
           "{\"t\":\"hello\",\"id\":1,\"device\":\"p\",\"token\":\"%s\"}",
           self->token);
  say(made, text);
  good = came(self, made, "welcome");
  peer_close(made);
  return good ? NULL : "no welcome";
}

static const char *unknown_type(stage *self) {
  static const char wanted[] =
      "{\"t\":\"error\",\"id\":7,\"code\":\"unsupported\"}";
  peer *made = welcome(self);
  cJSON *frame;
  const char *why = "no error came";

  say(made, "{\"t\":\"tomorrow\",\"id\":7}");
  frame = peer_take(made, is_type, "error", self->how->patience_ms);
  if (frame != NULL) {
    cJSON *expected = cJSON_Parse(wanted);

    why = holds_at_least(frame, expected) ? NULL : "another error";
    cJSON_Delete(expected);
  }
  cJSON_Delete(frame);
  peer_close(made);
  return why;
}

static const char *http_status(stage *self, const char *what, const char *token,
                               const char *body, long wanted) {
  answer answered = ask(self->how, what, token, body);
  long status = answered.status;

  answer_free(&answered);
  if (status == wanted) return NULL;
  snprintf(self->why, sizeof self->why, "%ld, not %ld", status, wanted);
  return self->why;
}

static const char *http_no_token(stage *self) {
  return http_status(self, "GET /im/unread", NULL, NULL, 401);
}

static const char *http_wrong_token(stage *self) {
  return http_status(self, "GET /im/unread", "a.b.c", NULL, 401);
}

static const char *http_health(stage *self) {
  return http_status(self, "GET /healthz", NULL, NULL, 200);
}

static const char *http_no_path(stage *self) {
  return http_status(self, "GET /im/tomorrow", self->token, NULL, 404);
}

static const char *http_no_message(stage *self) {
  return http_status(self, "GET /im/messages/none:1/read-receipts", self->token,
                     NULL, 404);
}

static const char *http_no_frames(stage *self) {
  return http_status(self, "POST /im/frames", self->token, "{}", 400);
}

static const char *http_large(stage *self) {
  static char body[FRAME_BYTES + 2];

  memset(body, ' ', sizeof body - 1);
  return http_status(self, "POST /im/frames", self->token, body, 413);
}

static const char *http_no_connection(stage *self) {
  return http_status(self, "GET /im/poll?connection=0123456789abcdef",
                     self->token, NULL, 404);
}

/* hello and a frame by POST; the name of the connection, from `welcome`. */
static const char *polled(stage *self) {
  answer answered = ask(self->how, "POST /im/frames", self->token,
                        "[{\"t\":\"hello\",\"id\":1,\"device\":\"q\"}]");
  cJSON *frames = cJSON_ParseWithLength(answered.body, answered.length);
  const char *name = cJSON_GetStringValue(member_at(frames, "0.connection"));
  char path[200];
  const char *why = "no welcome with a connection";

  if (name != NULL) {
    snprintf(path, sizeof path, "GET /im/poll?connection=%.100s&wait=10", name);
    why = http_status(self, path, self->token, NULL, 200);
  }
  cJSON_Delete(frames);
  answer_free(&answered);
  return why;
}

static const struct {
  const char *title;
  const char *(*check)(stage *self);
} rules[] = {
    {"what is no JSON closes with 1007", no_json},
    {"what is no object closes with 1007", no_object},
    {"what is no UTF-8 closes with 1007", no_utf8},
    {"U+0000 in a string closes with 1007", a_nul},
    {"a depth of 8 is taken", depth_of_8},
    {"a depth of 9 closes with 1007", depth_of_9},
    {"64 KiB are taken", frame_of_limit},
    {"64 KiB in fragments are taken", fragments_of_limit},
    {"one byte more closes with 1009", frame_over_limit},
    {"more in fragments closes with 1009", fragments_over_limit},
    {"a first frame that is no hello closes with 1008", first_no_hello},
    {"no token closes with 4401", no_token},
    {"a wrong token closes with 4401", wrong_token},
    {"an expired token closes with 4401", old_token},
    {"a token may come in hello", token_in_hello},
    {"an unknown type is unsupported", unknown_type},
    {"HTTP without a token is 401", http_no_token},
    {"HTTP with a wrong token is 401", http_wrong_token},
    {"healthz is 200", http_health},
    {"a path that is none is 404", http_no_path},
    {"readers of a message that is none are 404", http_no_message},
    {"frames that are no array are 400", http_no_frames},
    {"a body over 64 KiB is 413", http_large},
    {"a poll of no connection is 404", http_no_connection},
    {"a connection by frames and poll", polled},
};

void transport_check(const options *how, peers *all, names *fresh,
                     table *results) {
  stage self = {.how = how, .all = all, .names = fresh};
  char *user;

  names_next(fresh);
  user = names_text(fresh, "$tess");
  if (user == NULL) abort();
  snprintf(self.user, sizeof self.user, "%s", user);
  free(user);
  if (!token_for(how, self.user, false, 3600, self.token)) {
    table_row(results, "transport", "tokens", "there is no token");
    return;
  }
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (how->only == NULL || strstr(rules[i].title, how->only) != NULL)
      table_row(results, "transport", rules[i].title, rules[i].check(&self));
}
