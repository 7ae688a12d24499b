/*
 * Random frames from many devices of many users, against the state part and
 * against the brute-force model: all answers agree, and so does what each
 * device makes of all that comes to it.
 */
#include "recount.h"

#include "server/world.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STEPS = 2500, FRAMES = 400000 };

static void send_one(world *self) {
  int user = (int)world_pick(self, MODEL_USERS),
      i = (int)world_pick(self, DEVICES);
  device *from = &self->devices[user][i];
  if (self->truth.disabled[user]) return;
  if (!from->connected) {
    world_connect_device(self, user, i);
    return;
  }
  uint64_t act = world_pick(self, 100);
  if (act < 26)
    act_read(self, user, from);
  else if (act < 32)
    act_delivered(self, user, from);
  else if (act < 40)
    act_mark(self, user, from);
  else if (act < 43)
    act_read_all(self, user, from);
  else if (act < 67)
    act_text(self, user, from);
  else if (act < 71)
    act_create(self, user, from);
  else if (act < 76)
    act_membership(self, user, from);
  else if (act < 78)
    act_set(self, user, from);
  else if (act < 80)
    act_settings(self, user, from);
  else if (act < 84)
    act_admin(self, ROOT, &self->devices[ROOT][0]);
  else if (act < 89)
    act_again(self, user, from);
  else if (act < 93)
    query_fetch(self, user, from);
  else if (act < 95)
    query_subscribe(self, user, from);
  else if (act < 97)
    query_readers(self, user);
  else if (act < 98)
    query_unread(self, user);
  else
    world_disconnect_device(self, user, i);
}

static void begin(world *self, uint64_t seed) {
  storage inner;
  memset(self, 0, sizeof *self);
  self->seed = self->start_seed = seed;
  uint64_t mood = world_pick(self, 8);
  if (mood % 2)
    storage_memory_open(&inner, "b1");
  else
    assert_int_equal(storage_sqlite_open(&inner, ":memory:", "b1", NULL),
                     SEEN_OK);
  faulty_begin(&self->faulty, inner);
  stage_begin(&self->stage, self->faulty.storage, NULL);
  if (mood / 2 % 2) self->stage.limits.cache_entries = 40;
  stage_restart(&self->stage);
  self->fails = mood / 4 % 2;
  world_connect_device(self, ROOT, 0);
}

static void differs(void *self, const char *line) {
  world_differ(self, line, NULL);
}

/* What is stored, message by message, against what the server makes of it. */
static void recount_all(world *self) {
  for (int conv = 0; conv < MODEL_CONVS; conv++) {
    char name[16];
    if (!self->truth.convs[conv].exists) continue;
    snprintf(name, sizeof name, "g%d", conv);
    assert_int_equal(recount(&self->faulty.storage, name, differs, self),
                     SEEN_OK);
  }
}

static uint64_t play(world *self, uint64_t seed) {
  begin(self, seed);
  for (self->step = 0; self->step < STEPS; self->step++) {
    if (!self->devices[ROOT][0].connected) world_connect_device(self, ROOT, 0);
    send_one(self);
    world_take_frames(self);
    model_remember(&self->truth, server_version(self->stage.server));
    if (world_pick(self, 60) == 0) world_check_at_rest(self);
    if (world_pick(self, 700) == 0) world_restart(self);
  }
  world_check_at_rest(self);
  const metrics *counted = server_metrics(self->stage.server);
  assert_int_equal(counted->read_above_audience, 0);
  assert_int_equal(counted->position_above_last, 0);
  assert_int_equal(counted->counts_drifted, 0);
  recount_all(self);
  uint64_t frames = self->frames;
  stage_end(&self->stage);
  return frames;
}

static void play_worlds(uint64_t seed, uint64_t frames) {
  static world self;
  uint64_t played = 0;
  for (uint64_t i = 0; played < frames; i++)
    played += play(&self, seed + i);
  print_message("%" PRIu64 " frames from seed %" PRIu64 "\n", played, seed);
}

static void test_model__fixed_worlds_agree_with_the_model(void **state) {
  (void)state;
  play_worlds(20240, stage_scaled(FRAMES / 2));
}

static void test_model__fresh_worlds_agree_with_the_model(void **state) {
  (void)state;
  play_worlds(stage_seed(), stage_scaled(FRAMES / 2));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_model__fixed_worlds_agree_with_the_model),
      cmocka_unit_test(test_model__fresh_worlds_agree_with_the_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
