/* Devices, replicas, and comparing what came with the model. */
#include "server/world.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

uint64_t world_pick(world *self, uint64_t below) {
  return stage_random(&self->seed, below);
}

void world_differ(const world *self, const char *what, const cJSON *came) {
  char *text = cJSON_PrintUnformatted(came);
  print_error(
      "seed %" PRIu64 ", step %" PRIu64 ": %s\n  sent: %s\n  came: %s\n",
      self->start_seed, self->step, what, self->frame, text ? text : "");
  free(text);
  fail();
}

/* Numbers of a `receipts` are those of now: nothing happens in between. */
void world_check_receipts(const world *self, const cJSON *frame) {
  const model_conv *conv =
      &self->truth.convs[replica_conv(stage_text(frame, "conv"))];
  const cJSON *row;
  cJSON_ArrayForEach(row, stage_at(frame, "rows")) {
    uint64_t seq = (uint64_t)stage_number(row, "0");
    model_counts expected = model_count(&self->truth, conv, seq);
    if (stage_number(row, "1") != (double)expected.read ||
        stage_number(row, "2") != (double)expected.audience ||
        stage_number(row, "3") != (double)expected.delivered)
      world_differ(self, "receipts", frame);
  }
}

/* What is told of a peer was read, and in public. */
static void check_peers(const world *self, const cJSON *frame) {
  const model_conv *conv =
      &self->truth.convs[replica_conv(stage_text(frame, "conv"))];
  const cJSON *item;
  cJSON_ArrayForEach(item, stage_at(frame, "items")) {
    int user = replica_user(stage_text(item, "user"));
    double seq = stage_number(item, "read_seq");
    const model_member *who = &conv->members[user];
    if (self->truth.off[user]) world_differ(self, "a peer who is off", frame);
    if (seq >= (double)who->join[who->periods - 1] &&
        (!who->read[(int)seq] || who->secret[(int)seq]))
      world_differ(self, "a peer who has not read that in public", frame);
  }
}

void world_take_frames(world *self) {
  for (int user = 0; user < MODEL_USERS; user++)
    for (int i = 0; i < DEVICES; i++) {
      device *at = &self->devices[user][i];
      const cJSON *frame;
      if (!at->connected) continue;
      cJSON_ArrayForEach(frame, at->player->came) {
        const char *type = stage_text(frame, "t");
        replica_take(&at->replica, frame);
        if (!strcmp(type, "receipts")) world_check_receipts(self, frame);
        if (!strcmp(type, "peer")) check_peers(self, frame);
      }
      stage_drop(at->player);
    }
}

void world_connect_device(world *self, int user, int i) {
  device *at = &self->devices[user][i];
  char name[32], id[32], hello[200] = "";
  if (self->truth.disabled[user]) return;
  snprintf(name, sizeof name, "d%d%d", user, i);
  snprintf(id, sizeof id, "u%d", user);
  if (at->replica.version && world_pick(self, 4))
    snprintf(hello, sizeof hello,
             ",\"incarnation\":\"b1\",\"version\":%" PRIu64,
             at->replica.version);
  at->player = stage_connect_as(&self->stage, name, id, user == ROOT, hello);
  at->connected = true;
  at->replica.user = user;
  world_take_frames(self);
}

void world_disconnect_device(world *self, int user, int i) {
  device *at = &self->devices[user][i];
  if (!at->connected) return;
  stage_close(&self->stage, at->player);
  stage_drop(at->player);
  at->connected = false;
}

void world_restart(world *self) {
  stage_restart(&self->stage);
  for (int user = 0; user < MODEL_USERS; user++)
    for (int i = 0; i < DEVICES; i++)
      self->devices[user][i].connected = false;
}

void world_check_at_rest(world *self) {
  stage_wait(&self->stage, world_pick(self, 8) ? 1100 : 62000);
  world_take_frames(self);
  for (int user = 0; user < MODEL_USERS; user++)
    for (int i = 0; i < DEVICES; i++)
      for (int conv = 0; conv < MODEL_CONVS; conv++) {
        const device *at = &self->devices[user][i];
        const char *what =
            at->connected ? replica_differs(&at->replica, &self->truth, conv)
                          : NULL;
        if (!what) continue;
        print_error("device %d%d, conversation g%d: ", user, i, conv);
        world_differ(self, what, NULL);
      }
}

cJSON *world_ask(world *self, device *from) {
  self->faulty.fails_at =
      self->fails && world_pick(self, 10) == 0 ? 1 + world_pick(self, 8) : 0;
  self->frames++;
  self->truth.now = ++self->stage.now;
  uint64_t id = stage_send(&self->stage, from->player, "%s", self->frame);
  cJSON *came = stage_answer(from->player, id);
  self->faulty.fails_at = 0;
  if (!came) world_differ(self, "no answer", NULL);
  if (strcmp(stage_text(came, "code"), "storage") != 0) {
    replica_take(&from->replica, came);
    return came;
  }
  if (!self->fails) world_differ(self, "a failure", came);
  self->failures++;
  cJSON_Delete(came);
  return NULL;
}

void world_check_word(const world *self, const cJSON *came, const cJSON *item,
                      int conv, int user) {
  const char *what = replica_word_differs(item, &self->truth.convs[conv], user);
  if (what) world_differ(self, what, came);
}

void world_check_result(const world *self, const cJSON *came, const cJSON *item,
                        const char *expected) {
  const char *result = stage_text(item, "result");
  const char *said =
      strcmp(result, "refused") ? result : stage_text(item, "code");
  if (strcmp(said, expected) != 0) {
    print_error("expected %s: ", expected);
    world_differ(self, "another result", came);
  }
}

bool world_check_taken(const world *self, const cJSON *came, const char *code) {
  if (!*code) {
    world_check_result(self, came, stage_at(came, "items.0"), "ok");
    return true;
  }
  if (strcmp(stage_text(came, "code"), code) != 0) {
    print_error("expected %s: ", code);
    world_differ(self, "another error", came);
  }
  return false;
}

void world_keep_op(world *self, int user, const cJSON *came) {
  done_op *at = &self->done[self->done_count++ % DONE_OPS];
  snprintf(at->frame, sizeof at->frame, "%s", self->frame);
  at->user = user;
  snprintf(at->result, sizeof at->result, "%s",
           stage_text(came, "items.0.result"));
  at->seq = stage_number(came, "items.0.seq");
  snprintf(at->code, sizeof at->code, "%s", stage_text(came, "items.0.code"));
}

uint64_t world_some_seq(world *self, const model_conv *conv) {
  uint64_t last = conv->last;
  switch (world_pick(self, 8)) {
  case 0: return last + world_pick(self, 3);
  case 1: return world_pick(self, last + 1);
  default: return last - world_pick(self, last < 12 ? last + 1 : 12);
  }
}

const model_member *world_member_of(const world *self, int conv, int user) {
  return &self->truth.convs[conv].members[user];
}

bool world_is_known(const world *self, int conv, int user) {
  return self->truth.convs[conv].exists &&
         world_member_of(self, conv, user)->ever;
}

bool world_is_full(const world *self, int conv) {
  return self->truth.convs[conv].last >= MODEL_SEQS - 1;
}
