#include "sim/epochs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What may move a position in this turn: a mark all as read as of before its
 * latest mark, or anything else. */
enum { OLD_READ_ALL = 1, ANYTHING = 2 };

static bool is_of(const char *text, const char *word) {
  return strstr(text, word) != NULL;
}

void epochs_frame(sim_world *sim, const char *user, const char *text) {
  int who = sim_user_of(user);
  bool all = is_of(text, "\"read_all\"");
  uint64_t as_of = all ? strtoull(strstr(text, "\"as_of\":") + 8, NULL, 10) : 0;

  for (uint32_t conv = 0; conv < sim->plan.convs; conv++)
    for (uint32_t i = 0; i < sim->plan.users; i++) {
      bool old = all && as_of <= sim->marked_at[conv][i];

      /* Of others none but memberships. */
      if (is_of(text, sim_conv(conv)) || (all && who == (int)i))
        sim->moves[conv][i] |= old ? OLD_READ_ALL : ANYTHING;
    }
}

void epochs_moved(sim_world *sim, uint32_t conv, uint32_t user,
                  const seen_position *before, const stored_member *now) {
  const sim_member *member = &sim->facts[conv].members[user];
  bool same = member->count > 0 &&
              member->periods[member->count - 1].join == now->join_seq;

  if (now->read.epoch > before->epoch && same)
    sim->marked_at[conv][user] = sim->version;
  /* Over the rate, reports of before wait for another turn. */
  if (sim->moves[conv][user] == OLD_READ_ALL && !sim->plan.tight &&
      seen_position_compare(*before, now->read) != 0 &&
      now->read.seq <= before->high)
    sim_fail(sim,
             "V11: a mark all as read of before reads what %s marked in %s: "
             "%" PRIu64 ", not %" PRIu64,
             sim_user(user), sim_conv(conv), now->read.seq, before->seq);
}

void epochs_turn(sim_world *sim) {
  memset(sim->moves, 0, sizeof sim->moves);
  sim->version = server_version(sim->server);
}

void epochs_restored(sim_world *sim) {
  memset(sim->moves, 0, sizeof sim->moves);
  memset(sim->marked_at, 0, sizeof sim->marked_at);
}

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
