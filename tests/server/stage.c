#include "server/stage.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t cursor_key[32] = {1, 2, 3};

static void open_server(stage *self) {
  int status;
  self->server = server_open(&self->storage, &self->limits, NULL, cursor_key,
                             self->now, &status);
  if (!self->server) abort();
}

void stage_begin(stage *self, storage over, const limits *with) {
  memset(self, 0, sizeof *self);
  self->storage = over;
  limits_init(&self->limits);
  self->limits.reports_per_second = self->limits.requests_per_second =
      self->limits.lists_per_second = 1000000;
  self->limits.reports_burst = self->limits.requests_burst =
      self->limits.lists_burst = 1000000;
  if (with) self->limits = *with;
  self->now = STAGE_START;
  open_server(self);
}

void stage_begin_memory(stage *self) {
  storage over;
  storage_memory_open(&over, "b1");
  stage_begin(self, over, NULL);
}

void stage_end(stage *self) {
  server_close(self->server);
  self->storage.close(self->storage.self);
  for (size_t i = 0; i < self->player_count; i++)
    cJSON_Delete(self->players[i].came);
}

void stage_restart(stage *self) {
  server_close(self->server);
  for (size_t i = 0; i < self->player_count; i++) {
    self->players[i].connection = NULL;
    stage_drop(&self->players[i]);
  }
  open_server(self);
}

static player *find_player(stage *self, const char *name) {
  for (size_t i = 0; i < self->player_count; i++)
    if (!strcmp(self->players[i].name, name)) return &self->players[i];
  if (self->player_count == STAGE_PLAYERS) abort();
  player *fresh = &self->players[self->player_count++];
  snprintf(fresh->name, sizeof fresh->name, "%s", name);
  fresh->came = cJSON_CreateArray();
  fresh->next_id = 1;
  return fresh;
}

player *stage_connect_as(stage *self, const char *name, const char *user,
                         bool admin, const char *hello) {
  player *who = find_player(self, name);
  identity as = {.admin = admin};
  snprintf(as.user, sizeof as.user, "%s", user);
  snprintf(who->user, sizeof who->user, "%s", user);
  who->connection = server_connect(self->server, &as, NULL, self->now);
  stage_send(self, who, "{\"t\":\"hello\",\"device\":\"%s\"%s}", name, hello);
  return who;
}

player *stage_connect(stage *self, const char *name, const char *user,
                      bool admin) {
  return stage_connect_as(self, name, user, admin, "");
}

void stage_close(stage *self, player *who) {
  if (who->connection)
    server_disconnect(self->server, who->connection, self->now);
  who->connection = NULL;
  stage_turn(self);
}

static uint64_t put_frame(stage *self, player *from, const char *frame,
                          va_list arguments) {
  char body[70000], whole[70100];
  uint64_t id = from->next_id++;
  vsnprintf(body, sizeof body, frame, arguments);
  if (strstr(body, "\"id\":"))
    snprintf(whole, sizeof whole, "%s", body);
  else
    snprintf(whole, sizeof whole, "{\"id\":%" PRIu64 ",%s", id, body + 1);
  server_frame(self->server, from->connection, whole, strlen(whole), self->now);
  return id;
}

uint64_t stage_put(stage *self, player *from, const char *frame, ...) {
  va_list arguments;
  va_start(arguments, frame);
  uint64_t id = put_frame(self, from, frame, arguments);
  va_end(arguments);
  return id;
}

uint64_t stage_send(stage *self, player *from, const char *frame, ...) {
  va_list arguments;
  va_start(arguments, frame);
  uint64_t id = put_frame(self, from, frame, arguments);
  va_end(arguments);
  stage_turn(self);
  return id;
}

static player *player_of(stage *self, const connection *of) {
  for (size_t i = 0; i < self->player_count; i++)
    if (self->players[i].connection == of) return &self->players[i];
  return NULL;
}

static void gather(player *who) {
  const char *frame;
  size_t length;
  while ((frame = connection_next(who->connection, &length))) {
    cJSON *parsed = cJSON_Parse(frame);
    if (!parsed || strlen(frame) != length || length > 65536) {
      fprintf(stderr, "a frame that can't be: %.200s\n", frame);
      abort();
    }
    cJSON_AddItemToArray(who->came, parsed);
    who->frames++;
  }
}

void stage_turn(stage *self) {
  connection *waiting;
  self->commits = server_commit(self->server, self->now);
  while ((waiting = server_next_waiting(self->server))) {
    player *who = player_of(self, waiting);
    if (who) gather(who);
  }
}

void stage_wait(stage *self, uint64_t ms) {
  uint64_t end = self->now + ms;
  for (;;) {
    uint64_t due = server_deadline(self->server);
    if (due > end) break;
    self->now = due > self->now ? due : self->now;
    server_tick(self->server, self->now);
    stage_turn(self);
    if (server_deadline(self->server) <= self->now) break;
  }
  self->now = end;
  server_tick(self->server, self->now);
  stage_turn(self);
}

cJSON *stage_take(player *from, const char *type, uint64_t id) {
  for (int i = 0; i < cJSON_GetArraySize(from->came); i++) {
    const cJSON *frame = cJSON_GetArrayItem(from->came, i);
    if (strcmp(stage_text(frame, "t"), type) != 0) continue;
    if (id && stage_number(frame, "id") != (double)id) continue;
    return cJSON_DetachItemFromArray(from->came, i);
  }
  return NULL;
}

void stage_drop(player *from) {
  cJSON_Delete(from->came);
  from->came = cJSON_CreateArray();
}

size_t stage_count(const player *from, const char *type) {
  const cJSON *frame;
  size_t count = 0;
  cJSON_ArrayForEach(frame, from->came) count +=
      !strcmp(stage_text(frame, "t"), type);
  return count;
}

cJSON *stage_answer(player *from, uint64_t id) {
  for (int i = 0; i < cJSON_GetArraySize(from->came); i++)
    if (stage_number(cJSON_GetArrayItem(from->came, i), "id") == (double)id)
      return cJSON_DetachItemFromArray(from->came, i);
  return NULL;
}

static cJSON *take_answer(player *from, uint64_t id) {
  cJSON *found = stage_answer(from, id);
  if (found) return found;
  fprintf(stderr, "%s: no answer to frame %" PRIu64 "\n", from->name, id);
  abort();
}

cJSON *stage_ask(stage *self, player *from, const char *frame, ...) {
  va_list arguments;
  va_start(arguments, frame);
  uint64_t id = put_frame(self, from, frame, arguments);
  va_end(arguments);
  stage_turn(self);
  return take_answer(from, id);
}

void stage_do(stage *self, player *from, const char *frame, ...) {
  va_list arguments;
  va_start(arguments, frame);
  uint64_t id = put_frame(self, from, frame, arguments);
  va_end(arguments);
  stage_turn(self);
  cJSON_Delete(take_answer(from, id));
}

cJSON *stage_row(stage *self, player *from, const char *conv) {
  cJSON *answer =
      stage_ask(self, from, "{\"t\":\"fetch\",\"convs\":[\"%s\"]}", conv);
  cJSON *rows = cJSON_GetObjectItemCaseSensitive(answer, "conversations");
  cJSON *row = cJSON_DetachItemFromArray(rows, 0);
  cJSON_Delete(answer);
  return row;
}

const cJSON *stage_at(const cJSON *in, const char *path) {
  char step[64];
  while (in && *path) {
    size_t length = strcspn(path, ".");
    snprintf(step, sizeof step, "%.*s", (int)length, path);
    in = cJSON_IsArray(in) ? cJSON_GetArrayItem(in, (int)strtol(step, NULL, 10))
                           : cJSON_GetObjectItemCaseSensitive(in, step);
    path += length + (path[length] == '.');
  }
  return in;
}

double stage_number(const cJSON *in, const char *path) {
  const cJSON *found = stage_at(in, path);
  return cJSON_IsNumber(found) ? found->valuedouble : -1;
}

const char *stage_text(const cJSON *in, const char *path) {
  const cJSON *found = stage_at(in, path);
  return cJSON_IsString(found) ? found->valuestring : "";
}

static bool holds_items(const cJSON *frame, const cJSON *least) {
  int count = cJSON_GetArraySize(least);
  if (!cJSON_IsArray(frame) || cJSON_GetArraySize(frame) != count) return false;
  for (int i = 0; i < count; i++)
    if (!stage_holds(cJSON_GetArrayItem(frame, i),
                     cJSON_GetArrayItem(least, i)))
      return false;
  return true;
}

bool stage_holds(const cJSON *frame, const cJSON *least) {
  const cJSON *member;
  if (cJSON_IsNull(least)) return !frame || cJSON_IsNull(frame);
  if (cJSON_IsArray(least)) return holds_items(frame, least);
  if (!cJSON_IsObject(least)) return cJSON_Compare(frame, least, true);
  if (!cJSON_IsObject(frame)) return false;
  cJSON_ArrayForEach(member, least) {
    if (!stage_holds(cJSON_GetObjectItemCaseSensitive(frame, member->string),
                     member))
      return false;
  }
  return true;
}

void stage_text_to(stage *self, player *from, const char *conv, int n) {
  stage_do(self, from,
           "{\"t\":\"send\",\"op\":\"%s-%s-%d\",\"conv\":\"%s\",\"body\":"
           "\"message %d\"}",
           conv, from->name, n, conv, n);
}

void stage_create(stage *self, player *from, const char *conv,
                  const char *users) {
  stage_do(self, from,
           "{\"t\":\"create\",\"op\":\"c-%s\",\"conv\":\"%s\",\"users\":[%s]}",
           conv, conv, users);
}

void stage_read(stage *self, player *from, const char *conv, int seq) {
  stage_do(self, from,
           "{\"t\":\"read\",\"items\":[{\"conv\":\"%s\",\"epoch\":0,\"seq\":%d}"
           "]}",
           conv, seq);
}

double stage_row_number(stage *self, player *from, const char *conv,
                        const char *path) {
  cJSON *row = stage_row(self, from, conv);
  double number = stage_number(row, path);
  cJSON_Delete(row);
  return number;
}

/* splitmix64 */
uint64_t stage_random(uint64_t *seed, uint64_t below) {
  uint64_t value = *seed += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return (value ^ value >> 31) % below;
}

static uint64_t environment(const char *name, uint64_t usual) {
  const char *value = getenv(name);
  return value && *value ? strtoull(value, NULL, 10) : usual;
}

uint64_t stage_seed(void) {
  return environment("SEEN_SEED", 1);
}

uint64_t stage_scaled(uint64_t count) {
  uint64_t scale = environment("SEEN_SCALE", 1);
  count /= scale ? scale : 1;
  return count ? count : 1;
}
