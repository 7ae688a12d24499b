#include "sim/positions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t number_behind(const char *text, const char *name) {
  const char *at = strstr(text, name);

  return at == NULL ? 0 : strtoull(at + strlen(name), NULL, 10);
}

static bool is_a(const char *text, const char *type) {
  const char *at = strstr(text, "\"t\":\"");

  return at != NULL && strncmp(at + 5, type, strlen(type)) == 0 &&
         at[5 + strlen(type)] == '"';
}

static void add_move(sim_moves *moves, sim_move type) {
  moves->count++;
  moves->last = type;
}

/* An item of a report, a mark: whatever says a position of a conversation. */
static void take_said(sim_world *sim, uint32_t conv, uint32_t user,
                      sim_move type, const char *text) {
  sim_moves *moves = &sim->moves[conv][user];

  add_move(moves, type);
  moves->said.epoch = number_behind(text, "\"epoch\":");
  moves->said.seq = number_behind(text, "\"seq\":");
  moves->target = number_behind(text, "\"target\":");
  /* What is not committed yet may be there when it is taken. */
  if (moves->said.seq > sim->facts[conv].last) moves->last = SIM_MOVE_UNKNOWN;
  if (type == SIM_MOVE_MARK && moves->said.seq > sim->marked[conv][user])
    sim->marked[conv][user] = moves->said.seq;
}

/* Where a frame names a conversation; NULL: nowhere. */
static const char *named(const char *text, uint32_t conv) {
  char name[32];

  snprintf(name, sizeof name, "\"conv\":\"%s\"", sim_conv(conv));
  return strstr(text, name);
}

static void own_frame(sim_world *sim, uint32_t user, const char *text,
                      bool again) {
  uint64_t as_of = number_behind(text, "\"as_of\":");

  for (uint32_t conv = 0; conv < sim->plan.convs; conv++) {
    const char *at = named(text, conv);
    bool old = as_of <= sim->marked_at[conv][user];

    if (is_a(text, "read_all"))
      add_move(&sim->moves[conv][user],
               old ? SIM_MOVE_READ_ALL : SIM_MOVE_UNKNOWN);
    else if (at != NULL && is_a(text, "read"))
      take_said(sim, conv, user, SIM_MOVE_READ, at);
    else if (at != NULL && is_a(text, "mark_unread"))
      take_said(sim, conv, user, again ? SIM_MOVE_UNKNOWN : SIM_MOVE_MARK, at);
  }
}

/* Those who come and go, and what is purged. */
static bool is_of_all(const char *text) {
  return is_a(text, "create") || is_a(text, "add") || is_a(text, "remove") ||
         is_a(text, "join") || is_a(text, "leave") || is_a(text, "admin");
}

void positions_frame(sim_world *sim, const char *user, const char *text,
                     bool again) {
  int who = sim_user_of(user);

  if (who >= 0) own_frame(sim, (uint32_t)who, text, again);
  for (uint32_t conv = 0; is_of_all(text) && conv < sim->plan.convs; conv++)
    for (uint32_t i = 0; i < sim->plan.users; i++)
      add_move(&sim->moves[conv][i], SIM_MOVE_UNKNOWN);
}

void positions_request(sim_world *sim, uint32_t user, const char *path) {
  for (uint32_t conv = 0; conv < sim->plan.convs; conv++)
    if (strstr(path, sim_conv(conv)) != NULL)
      add_move(&sim->moves[conv][user], SIM_MOVE_UNKNOWN);
}

/* P2, written down once more. */
static seen_position reported(seen_position from, const seen_position *said) {
  bool counts = said->epoch == from.epoch ||
                (said->epoch < from.epoch && said->seq > from.high);

  if (counts && said->seq > from.seq) from.seq = said->seq;
  return from;
}

/* P4. */
static seen_position marked(seen_position from, const sim_moves *mark,
                            uint64_t low) {
  uint64_t target = mark->target > low ? mark->target : low;

  from = reported(from, &mark->said);
  if (from.epoch != mark->said.epoch || from.seq != mark->said.seq ||
      target >= from.seq)
    return from;
  if (from.seq > from.high) from.high = from.seq;
  from.seq = target;
  from.epoch++;
  return from;
}

static void check_move(sim_world *sim, uint32_t conv, uint32_t user,
                       const seen_position *before, const stored_member *now) {
  const sim_moves *moves = &sim->moves[conv][user];
  uint64_t low = sim->facts[conv].floor;
  seen_position right = *before;

  if (low + 1 < now->join_seq) low = now->join_seq - 1;
  if (moves->last == SIM_MOVE_READ) right = reported(right, &moves->said);
  if (moves->last == SIM_MOVE_MARK) right = marked(right, moves, low);
  /* V11: as a report of the epoch before the mark. */
  if (moves->last == SIM_MOVE_READ_ALL && now->read.seq > before->high)
    right.seq = now->read.seq;
  if (memcmp(&right, &now->read, sizeof right) != 0)
    sim_fail(sim,
             "%s: %s was at (%" PRIu64 ",%" PRIu64 ",%" PRIu64
             ") of %s, said (%" PRIu64 ",%" PRIu64 ") and %" PRIu64
             ", and is at (%" PRIu64 ",%" PRIu64 ")",
             moves->last == SIM_MOVE_READ   ? "P2"
             : moves->last == SIM_MOVE_MARK ? "P4"
                                            : "V11",
             sim_user(user), before->epoch, before->seq, before->high,
             sim_conv(conv), moves->said.epoch, moves->said.seq, moves->target,
             now->read.epoch, now->read.seq);
}

void positions_moved(sim_world *sim, uint32_t conv, uint32_t user,
                     const seen_position *before, const stored_member *now) {
  const sim_member *member = &sim->facts[conv].members[user];
  const sim_moves *moves = &sim->moves[conv][user];
  bool same = member->count > 0 && now->leave_seq == SEEN_SEQ_MAX &&
              member->periods[member->count - 1].join == now->join_seq &&
              member->periods[member->count - 1].leave == SEEN_SEQ_MAX;

  if (now->read.epoch > before->epoch && same)
    sim->marked_at[conv][user] = sim->version;
  /* Over the rate, reports wait for another turn. */
  if (same && !sim->plan.tight && moves->count == 1 &&
      moves->last != SIM_MOVE_UNKNOWN)
    check_move(sim, conv, user, before, now);
}

void positions_turn(sim_world *sim) {
  memset(sim->moves, 0, sizeof sim->moves);
  sim->version = server_version(sim->server);
}

void positions_crashed(sim_world *sim) {
  memset(sim->moves, 0, sizeof sim->moves);
}

void positions_restored(sim_world *sim) {
  positions_crashed(sim);
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

void positions_check(sim_world *sim) {
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
