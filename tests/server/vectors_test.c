/*
 * The vectors of docs/vectors against the state part, without a network: the
 * steps are those that docs/protocol.md describes.
 */
#include "server/stage.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
  LINE_BYTES = 16384,
  SAVED = 16,
  EXPECT_MS = 3000,
  NONE_MS = 1500,
  CURSOR_ROOM = 600
};

typedef struct run {
  stage stage;
  unsigned vector; /* fresh names end with it */
  char saved_name[SAVED][32];
  char *saved[SAVED];
  size_t saved_count;
  const char *file;
  unsigned line;
} run;

static void wrong(const run *self, const char *what, const cJSON *step) {
  char *text = cJSON_PrintUnformatted(step);
  print_error("%s:%u: %s: %s\n", self->file, self->line, what, text);
  free(text);
  fail();
}

static const char *saved_value(const run *self, const char *name,
                               size_t length) {
  for (size_t i = self->saved_count; i > 0; i--)
    if (strlen(self->saved_name[i - 1]) == length &&
        !strncmp(self->saved_name[i - 1], name, length))
      return self->saved[i - 1];
  fail_msg("%s:%u: @%.*s was not saved", self->file, self->line, (int)length,
           name);
  return "";
}

static size_t name_length(const char *name) {
  size_t length = 0;
  while ((name[length] >= 'a' && name[length] <= 'z') ||
         (name[length] >= '0' && name[length] <= '9'))
    length++;
  return length;
}

/* $ann becomes a fresh name, "@v" and @v in a text what was saved. */
static void fill_in(const run *self, const char *from, char *into) {
  char *end = into + (LINE_BYTES - 128);
  while (*from && into < end) {
    bool quoted = from[0] == '"' && from[1] == '@';
    size_t length;
    if (*from == '$') {
      length = name_length(from + 1);
      into += sprintf(into, "%.*s_%u", (int)length, from + 1, self->vector);
      from += length + 1;
    } else if (*from == '@' || quoted) {
      from += quoted ? 2 : 1;
      length = name_length(from);
      const char *value = saved_value(self, from, length);
      bool bare = !quoted && *value == '"';
      into += sprintf(into, "%.*s", (int)(strlen(value) - (bare ? 2 : 0)),
                      value + bare);
      from += length + quoted;
    } else {
      *into++ = *from++;
    }
  }
  *into = '\0';
}

static void save(run *self, const cJSON *step, const cJSON *from) {
  const cJSON *member;
  cJSON_ArrayForEach(member, cJSON_GetObjectItem(step, "save")) {
    const cJSON *value = stage_at(from, member->valuestring);
    if (!value || self->saved_count == SAVED) wrong(self, "save", step);
    snprintf(self->saved_name[self->saved_count], 32, "%s", member->string);
    self->saved[self->saved_count++] = cJSON_PrintUnformatted(value);
  }
}

static player *player_named(run *self, const char *name) {
  for (size_t i = 0; i < self->stage.player_count; i++)
    if (!strcmp(self->stage.players[i].name, name) &&
        self->stage.players[i].connection)
      return &self->stage.players[i];
  fail_msg("%s:%u: no connection %s", self->file, self->line, name);
  return NULL;
}

static cJSON *take_match(player *from, const cJSON *least) {
  for (int i = 0; i < cJSON_GetArraySize(from->came); i++)
    if (stage_holds(cJSON_GetArrayItem(from->came, i), least))
      return cJSON_DetachItemFromArray(from->came, i);
  return NULL;
}

static void step_connect(run *self, const cJSON *step) {
  char hello[512] = "";
  const cJSON *more = cJSON_GetObjectItem(step, "hello");
  if (more) {
    char *text = cJSON_PrintUnformatted(more);
    snprintf(hello, sizeof hello, ",%.*s", (int)strlen(text) - 2, text + 1);
    free(text);
  }
  stage_connect_as(&self->stage, stage_text(step, "connect"),
                   stage_text(step, "user"),
                   cJSON_IsTrue(cJSON_GetObjectItem(step, "admin")), hello);
}

static void step_send(run *self, const cJSON *step) {
  char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(step, "frame"));
  stage_send(&self->stage, player_named(self, stage_text(step, "send")), "%s",
             text);
  free(text);
}

static void step_expect(run *self, const cJSON *step) {
  player *from = player_named(self, stage_text(step, "expect"));
  const cJSON *least = cJSON_GetObjectItem(step, "frame");
  cJSON *found = take_match(from, least);
  for (int ms = 0; !found && ms < EXPECT_MS; ms += 100) {
    stage_wait(&self->stage, 100);
    found = take_match(from, least);
  }
  if (!found) {
    char *came = cJSON_PrintUnformatted(from->came);
    print_error("%s has: %s\n", from->name, came);
    free(came);
    wrong(self, "no such frame came", step);
  }
  save(self, step, found);
  cJSON_Delete(found);
}

static void step_none(run *self, const cJSON *step) {
  player *from = player_named(self, stage_text(step, "none"));
  stage_wait(&self->stage, NONE_MS);
  cJSON *found = take_match(from, cJSON_GetObjectItem(step, "frame"));
  if (found) wrong(self, "came", found);
}

/* A value of the query, or NULL. */
static char *query(const char *path, const char *name, char *into) {
  const char *at = strchr(path, '?');
  size_t length = strlen(name);
  for (at = at ? at + 1 : NULL; at; at = strchr(at, '&')) {
    at += *at == '&';
    if (strncmp(at, name, length) != 0 || at[length] != '=') continue;
    snprintf(into, CURSOR_ROOM, "%.*s", (int)strcspn(at + length + 1, "&"),
             at + length + 1);
    return into;
  }
  return NULL;
}

static uint64_t query_number(const char *path, const char *name) {
  char value[CURSOR_ROOM];
  return query(path, name, value) ? strtoull(value, NULL, 10) : 0;
}

/* What stands between two parts of a path; false: it is another path. */
static bool between(const char *path, const char *before, const char *after,
                    char *into) {
  size_t length = strcspn(path, "?"), head = strlen(before),
         tail = strlen(after);
  if (length < head + tail || strncmp(path, before, head) != 0 ||
      strncmp(path + length - tail, after, tail) != 0)
    return false;
  snprintf(into, CURSOR_ROOM, "%.*s", (int)(length - head - tail), path + head);
  return true;
}

static response request(run *self, const identity *who, const char *what,
                        const char *body) {
  char id[CURSOR_ROOM], status[CURSOR_ROOM], at[CURSOR_ROOM];
  server *to = self->stage.server;
  uint64_t now = self->stage.now;
  if (between(what, "GET /im/unread", "", id)) return http_unread(to, who, now);
  if (between(what, "GET /im/conversations", "", id))
    return http_conversations(to, who, query_number(what, "after"),
                              query_number(what, "limit"), now);
  if (between(what, "POST /im/conversations/", "/read-cursor", id))
    return http_read_cursor(to, who, id, body, strlen(body), now);
  if (between(what, "GET /im/messages/", "/read-receipts", id))
    return http_read_receipts(to, who, id, query(what, "status", status),
                              query(what, "cursor", at),
                              query_number(what, "limit"), now);
  fail_msg("%s:%u: %s", self->file, self->line, what);
  return (response){0, NULL, 0};
}

static void step_http(run *self, const cJSON *step) {
  identity who = {.admin = cJSON_IsTrue(cJSON_GetObjectItem(step, "admin"))};
  char *body = cJSON_PrintUnformatted(cJSON_GetObjectItem(step, "body"));
  snprintf(who.user, sizeof who.user, "%s", stage_text(step, "user"));
  response came =
      request(self, &who, stage_text(step, "http"), body ? body : "");
  stage_turn(&self->stage);
  cJSON *answer = cJSON_ParseWithLength(came.body, came.length);
  if (came.status != (int)stage_number(step, "status") ||
      !stage_holds(answer, cJSON_GetObjectItem(step, "answer"))) {
    print_error("%d %s\n", came.status, came.body);
    wrong(self, "another answer", step);
  }
  save(self, step, answer);
  cJSON_Delete(answer);
  response_free(&came);
  free(body);
}

static void step_vector(run *self) {
  for (size_t i = 0; i < self->stage.player_count; i++) {
    stage_close(&self->stage, &self->stage.players[i]);
    stage_drop(&self->stage.players[i]);
  }
  while (self->saved_count)
    free(self->saved[--self->saved_count]);
  self->vector++;
}

static void take_step(run *self, const cJSON *step) {
  if (cJSON_HasObjectItem(step, "vector")) {
    step_vector(self);
  } else if (cJSON_HasObjectItem(step, "connect")) {
    step_connect(self, step);
  } else if (cJSON_HasObjectItem(step, "send")) {
    step_send(self, step);
  } else if (cJSON_HasObjectItem(step, "expect")) {
    step_expect(self, step);
  } else if (cJSON_HasObjectItem(step, "none")) {
    step_none(self, step);
  } else if (cJSON_HasObjectItem(step, "drop")) {
    stage_drop(player_named(self, stage_text(step, "drop")));
  } else if (cJSON_HasObjectItem(step, "close")) {
    stage_close(&self->stage, player_named(self, stage_text(step, "close")));
  } else if (cJSON_HasObjectItem(step, "wait")) {
    stage_wait(&self->stage, (uint64_t)stage_number(step, "wait"));
  } else if (cJSON_HasObjectItem(step, "http")) {
    step_http(self, step);
  } else {
    wrong(self, "no such step", step);
  }
}

static unsigned run_file(const char *name, storage over) {
  static run self;
  char path[512], line[LINE_BYTES], filled[LINE_BYTES];
  memset(&self, 0, sizeof self);
  self.file = name;
  stage_begin(&self.stage, over, NULL);
  snprintf(path, sizeof path, "%s/docs/vectors/%s", SEEN_ROOT, name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file)) {
    self.line++;
    if (*line == '#' || *line == '\n') continue;
    fill_in(&self, line, filled);
    cJSON *step = cJSON_Parse(filled);
    if (!step) fail_msg("%s:%u: no JSON: %s", name, self.line, filled);
    take_step(&self, step);
    cJSON_Delete(step);
  }
  fclose(file);
  step_vector(&self);
  stage_end(&self.stage);
  return self.vector - 1;
}

static void run_both(const char *name) {
  storage over;
  storage_memory_open(&over, "b1");
  assert_true(run_file(name, over) > 0);
  assert_int_equal(storage_sqlite_open(&over, ":memory:", "b1", NULL), SEEN_OK);
  assert_true(run_file(name, over) > 0);
}

#define VECTORS(name)                                                          \
  static void test_vectors__##name(void **state) {                             \
    (void)state;                                                               \
    run_both(#name ".jsonl");                                                  \
  }

VECTORS(reads)
VECTORS(marks)
VECTORS(messages)
VECTORS(membership)
VECTORS(receipts)
VECTORS(sessions)
VECTORS(moderation)
VECTORS(tally)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vectors__reads),
      cmocka_unit_test(test_vectors__marks),
      cmocka_unit_test(test_vectors__messages),
      cmocka_unit_test(test_vectors__membership),
      cmocka_unit_test(test_vectors__receipts),
      cmocka_unit_test(test_vectors__sessions),
      cmocka_unit_test(test_vectors__moderation),
      cmocka_unit_test(test_vectors__tally),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
