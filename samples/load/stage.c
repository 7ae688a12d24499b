/*
 * Setting up, in three steps, each a number of deeds of which some are in
 * flight. A deed that came too fast for the server is done again when it says.
 */
#include "stage.h"

#include "clock.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum { IN_FLIGHT = 64, ADDED = 500, STEPS = 3, FRAME_BYTES = 65536 };

struct stage {
  run *of;
  wire *host;
  bool is_welcome, is_closed;
  int step;
  uint64_t counts[STEPS]; /* deeds: groups made, members added, messages */
  uint64_t next, in_air;
  uint64_t again[IN_FLIGHT]; /* deeds that were refused for their rate */
  size_t again_count;
  uint64_t again_at;
  char text[FRAME_BYTES];
};

static size_t members_of(const run *self) {
  return (size_t)self->how->members + self->how->subscribers;
}

static uint64_t parts_of(const run *self) {
  return (members_of(self) - 1) / ADDED;
}

stage *stage_open(run *of) {
  stage *self = must_allocate(1, sizeof *self);
  char hello[64], *token = run_token(of, STAGE_HOST);
  int length;

  self->of = of;
  self->counts[0] = of->group_count;
  self->counts[1] = of->group_count * parts_of(of);
  self->counts[2] = (uint64_t)of->group_count * of->how->messages;
  if (token == NULL) return self;
  self->host = net_dial(of->net, STAGE_HOST, token);
  free(token);
  length = snprintf(hello, sizeof hello,
                    "{\"t\":\"hello\",\"id\":0,\"device\":\"load\"}");
  wire_say(self->host, hello, (size_t)length);
  return self;
}

void stage_close(stage *self) {
  free(self);
}

/* The n-th member of a group: its users, then who subscribes to it. */
static void member_name(const run *self, size_t group, size_t n,
                        char name[64]) {
  const options *how = self->how;
  size_t block = group / how->conversations;

  if (n < how->members)
    snprintf(name, 64, "%s-u%zu", self->name, block * how->members + n);
  else
    snprintf(name, 64, "%s-s%zu", self->name,
             group * how->subscribers + n - how->members);
}

static int write_users(const stage *self, char *text, size_t room, size_t group,
                       size_t part) {
  size_t end = members_of(self->of), from = part * ADDED;
  int length = snprintf(text, room, ",\"users\":[");
  char name[64];

  if (end > from + ADDED) end = from + ADDED;
  for (size_t i = from; i < end; i++) {
    member_name(self->of, group, i, name);
    length += snprintf(text + length, room - (size_t)length, "%s\"%s\"",
                       i > from ? "," : "", name);
  }
  return length + snprintf(text + length, room - (size_t)length, "]}");
}

static int write_deed(stage *self, uint64_t n) {
  static const char *const types[STEPS] = {"create", "add", "send"};
  const run *of = self->of;
  size_t group = (size_t)(n % of->group_count);
  char *text = self->text;
  int length = snprintf(
      text, FRAME_BYTES,
      "{\"t\":\"%s\",\"id\":%llu,\"op\":\"%s-%d-%llu\",\"conv\":\"%s\"",
      types[self->step], (unsigned long long)n + 1, of->name, self->step,
      (unsigned long long)n, of->groups[group].name);
  bool large = members_of(of) + 1 > of->limits.roster_limit;
  size_t room = FRAME_BYTES - (size_t)length;

  if (self->step == 2)
    return length + snprintf(text + length, room,
                             ",\"body\":\"as long as a line in a chat is\"}");
  if (self->step == 0)
    length += snprintf(text + length, room, ",\"kind\":\"%s\"",
                       large ? "large" : "group");
  return length +
         write_users(self, text + length, FRAME_BYTES - (size_t)length, group,
                     self->step == 0 ? 0 : 1 + (size_t)(n / of->group_count));
}

/* The next deed that may be done; false: none now. */
static bool next_deed(stage *self, uint64_t now, uint64_t *n) {
  if (self->in_air == IN_FLIGHT || now < self->again_at) return false;
  if (self->again_count > 0) {
    *n = self->again[--self->again_count];
    return true;
  }
  if (self->next == self->counts[self->step]) return false;
  *n = self->next++;
  return true;
}

static bool is_step_done(const stage *self) {
  return self->next == self->counts[self->step] && self->in_air == 0 &&
         self->again_count == 0;
}

bool stage_turn(stage *self, uint64_t now) {
  uint64_t n;

  if (!self->is_welcome || self->is_closed) return self->is_closed;
  while (next_deed(self, now, &n)) {
    wire_say(self->host, self->text, (size_t)write_deed(self, n));
    self->in_air++;
  }
  if (!is_step_done(self)) return false;
  self->next = 0;
  if (++self->step < STEPS) return stage_turn(self, now);
  wire_close(self->host);
  self->is_closed = true;
  return true;
}

static void take_seq(const stage *self, uint64_t n, const cJSON *frame) {
  load_group *of = &self->of->groups[n % self->of->group_count];
  const cJSON *items = cJSON_GetObjectItemCaseSensitive(frame, "items");
  uint64_t seq = frame_number(cJSON_GetArrayItem(items, 0), "seq");

  if (of->first == 0 || seq < of->first) of->first = seq;
  if (seq > of->last) of->last = seq;
}

static void take_error(stage *self, uint64_t id, const cJSON *frame) {
  const char *code = frame_text(frame, "code");

  if (strcmp(code, "rate_limited") != 0 || id == 0 || self->in_air == 0) {
    run_fail(self->of, "setting up failed: %.40s: %.200s", code,
             frame_text(frame, "message"));
    return;
  }
  self->in_air--;
  self->again[self->again_count++] = id - 1;
  self->again_at =
      clock_precise() + frame_number(frame, "retry_ms") * 1000000 + 1000000;
}

void stage_frame(stage *self, const char *type, const cJSON *frame) {
  uint64_t id = frame_number(frame, "id");

  if (strcmp(type, "changes") == 0 && id == 0) self->is_welcome = true;
  if (strcmp(type, "error") == 0) take_error(self, id, frame);
  if (strcmp(type, "ack") != 0 || id == 0 || self->in_air == 0) return;
  self->in_air--;
  if (self->step == 2) take_seq(self, id - 1, frame);
}
