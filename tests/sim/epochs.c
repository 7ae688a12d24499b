#include "sim/epochs.h"

#include <inttypes.h>
#include <string.h>

typedef struct sim_epochs {
  sim_world *sim;
  uint32_t conv;
  uint64_t epoch[SIM_USERS];
  uint64_t counted[SIM_USERS];
} sim_epochs;

/* Periods of before are a list: "1-20:15:18;25-…". */
static uint64_t count_past(const char *past) {
  uint64_t count = past[0] != '\0';

  for (; *past != '\0'; past++)
    count += *past == ';';
  return count;
}

static int take_member(void *user_data, const stored_membership *found) {
  sim_epochs *of = user_data;
  int user = sim_user_of(found->member.user);

  if (user < 0) return SEEN_OK;
  of->epoch[user] = found->member.read.epoch;
  of->counted[user] = count_past(found->member.past);
  return SEEN_OK;
}

static void count_marks(sim_epochs *of) {
  const storage *disk = &of->sim->disk.inner;
  stored_op found;

  for (size_t i = 0; i < of->sim->op_count; i++) {
    const sim_op *op = &of->sim->ops[i];
    int user = sim_user_of(op->user);

    if (user >= 0 &&
        disk->get_op(disk->self, op->user, op->op, &found) == SEEN_OK &&
        strcmp(found.of, "mark_unread") == 0 && found.code[0] == '\0' &&
        strcmp(found.conv, sim_conv(of->conv)) == 0)
      of->counted[user]++;
  }
}

void epochs_check(sim_world *sim) {
  const storage *disk = &sim->disk.inner;

  for (uint32_t conv = 0; conv < sim->plan.convs; conv++) {
    sim_epochs of = {.sim = sim, .conv = conv};

    disk->each_member(disk->self, sim_conv(conv), &of, take_member);
    count_marks(&of);
    for (uint32_t user = 0; user < sim->plan.users; user++)
      if (of.epoch[user] != of.counted[user])
        sim_fail(sim,
                 "P5: %s is in epoch %" PRIu64 " of %s, behind %" PRIu64
                 " marks and rejoins",
                 sim_user(user), of.epoch[user], sim_conv(conv),
                 of.counted[user]);
  }
}
