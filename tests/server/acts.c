/* Frames that change something. */
#include "server/world.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct item {
  int conv;
  uint64_t epoch, seq;
  uint64_t cleared[2];
  int cleared_count;
  bool keep;
} item;

static void write_item(const item *of, char *into, size_t size) {
  char cleared[80] = "";
  if (of->cleared_count)
    snprintf(cleared, sizeof cleared,
             ",\"cleared\":[%" PRIu64 "%s%.0" PRIu64 "]", of->cleared[0],
             of->cleared_count > 1 ? "," : "",
             of->cleared_count > 1 ? of->cleared[1] : 0);
  snprintf(into, size,
           "{\"conv\":\"g%d\",\"epoch\":%" PRIu64 ",\"seq\":%" PRIu64 "%s%s}",
           of->conv, of->epoch, of->seq, of->keep ? ",\"keep\":true" : "",
           cleared);
}

void act_read(world *self, int user, device *from) {
  item items[3];
  int count = 1 + (int)world_pick(self, 3);
  char written[3][200];
  for (int i = 0; i < count; i++) {
    int conv = (int)world_pick(self, MODEL_CONVS);
    const model_conv *of = &self->truth.convs[conv];
    uint64_t epoch = world_is_known(self, conv, user)
                         ? world_member_of(self, conv, user)->epoch
                         : 0;
    if (epoch && world_pick(self, 5) == 0) epoch--;
    if (world_pick(self, 25) == 0) epoch++;
    items[i] = (item){.conv = conv,
                      .epoch = epoch,
                      .seq = world_some_seq(self, of),
                      .keep = world_pick(self, 6) == 0};
    items[i].cleared_count =
        world_pick(self, 5) ? 0 : 1 + (int)world_pick(self, 2);
    items[i].cleared[0] = 1 + world_some_seq(self, of);
    items[i].cleared[1] = 1 + world_some_seq(self, of);
    write_item(&items[i], written[i], sizeof written[i]);
  }
  snprintf(self->frame, sizeof self->frame,
           "{\"t\":\"read\",\"items\":[%s%s%s%s%s]}", written[0],
           count > 1 ? "," : "", count > 1 ? written[1] : "",
           count > 2 ? "," : "", count > 2 ? written[2] : "");
  cJSON *came = world_ask(self, from);
  for (int i = 0; came && i < count; i++) {
    char path[32];
    snprintf(path, sizeof path, "items.%d", i);
    const cJSON *answer = stage_at(came, path);
    const item *of = &items[i];
    if (!world_is_known(self, of->conv, user)) {
      world_check_result(self, came, answer, "not_found");
      continue;
    }
    world_check_result(self, came, answer,
                       model_read(&self->truth.convs[of->conv], user, of->epoch,
                                  of->seq, of->cleared, of->cleared_count,
                                  of->keep));
    world_check_word(self, came, answer, of->conv, user);
  }
  cJSON_Delete(came);
}

void act_delivered(world *self, int user, device *from) {
  int conv = (int)world_pick(self, MODEL_CONVS);
  model_conv *of = &self->truth.convs[conv];
  uint64_t seq = world_some_seq(self, of);
  snprintf(self->frame, sizeof self->frame,
           "{\"t\":\"delivered\",\"items\":[{\"conv\":\"g%d\",\"seq\":%" PRIu64
           "}]}",
           conv, seq);
  cJSON *came = world_ask(self, from);
  if (!came) return;
  const cJSON *answer = stage_at(came, "items.0");
  bool known = world_is_known(self, conv, user);
  world_check_result(self, came, answer,
                     known ? model_deliver(of, user, seq) : "not_found");
  if (known && stage_number(answer, "delivered_seq") !=
                   (double)model_delivered_seq(of, user))
    world_differ(self, "delivered_seq", came);
  cJSON_Delete(came);
}

void act_mark(world *self, int user, device *from) {
  int conv = (int)world_pick(self, MODEL_CONVS);
  model_conv *of = &self->truth.convs[conv];
  const model_member *who = world_member_of(self, conv, user);
  bool known = world_is_known(self, conv, user);
  uint64_t seq =
      known && world_pick(self, 3) ? who->seq : world_some_seq(self, of);
  uint64_t epoch = who->epoch;
  if (epoch && world_pick(self, 6) == 0) epoch--;
  if (world_pick(self, 20) == 0) epoch++;
  if (!seq) return;
  uint64_t target = seq - 1 - world_pick(self, seq < 6 ? seq : 6);
  snprintf(self->frame, sizeof self->frame,
           "{\"t\":\"mark_unread\",\"op\":\"o%" PRIu64
           "\",\"conv\":\"g%d\",\"expected\":{\"epoch\":%" PRIu64
           ",\"seq\":%" PRIu64 "},\"target\":%" PRIu64 "}",
           self->next_op++, conv, epoch, seq, target);
  cJSON *came = world_ask(self, from);
  if (!came) return;
  const cJSON *answer = stage_at(came, "items.0");
  const char *expected = "not_found";
  if (known) expected = who->present ? "" : "not_member";
  if (!*expected) {
    world_check_result(self, came, answer,
                       model_mark(of, user, epoch, seq, target));
    world_check_word(self, came, answer, conv, user);
    world_keep_op(self, user, came);
  } else {
    world_check_result(self, came, answer, expected);
  }
  cJSON_Delete(came);
}

void act_read_all(world *self, int user, device *from) {
  if (!self->truth.log_count) return;
  model_moment as_of =
      self->truth.log[world_pick(self, (uint64_t)self->truth.log_count)];
  const cJSON *answer;
  int unread = 0, moved = 0;
  snprintf(self->frame, sizeof self->frame,
           "{\"t\":\"read_all\",\"as_of\":%" PRIu64 "}", as_of.version);
  cJSON *came = world_ask(self, from);
  if (!came) return;
  for (int conv = 0; conv < MODEL_CONVS; conv++) {
    const model_conv *of = &self->truth.convs[conv];
    unread += of->members[user].present && of->members[user].seq < of->last;
    moved += model_read_all(&self->truth, conv, user, &as_of);
  }
  cJSON_ArrayForEach(answer, stage_at(came, "items")) {
    world_check_word(self, came, answer,
                     replica_conv(stage_text(answer, "conv")), user);
    unread--;
    moved -= !strcmp(stage_text(answer, "result"), "ok");
  }
  if (unread || moved) world_differ(self, "other conversations", came);
  cJSON_Delete(came);
}

static unsigned some_users(world *self) {
  return (unsigned)world_pick(self, 1u << MODEL_USERS);
}

static unsigned few_users(world *self) {
  unsigned users = some_users(self);
  return users & some_users(self);
}

static unsigned two_users(world *self) {
  unsigned users = 1u << world_pick(self, MODEL_USERS);
  return users | 1u << world_pick(self, MODEL_USERS);
}

static void write_users(unsigned users, char *into) {
  strcpy(into, "[");
  for (int user = 0; user < MODEL_USERS; user++)
    if (users >> user & 1)
      sprintf(into + strlen(into), "%s\"u%d\"", into[1] ? "," : "", user);
  strcat(into, "]");
}

/* Mostly a late text of one's own, which can be changed. */
static uint64_t some_target(world *self, const model_conv *conv, int user) {
  uint64_t seq = 1 + world_some_seq(self, conv);
  if (world_pick(self, 4) == 0) return seq;
  for (uint64_t at = seq < conv->last ? seq : conv->last; at > 0; at--)
    if (conv->messages[at].from == user && conv->messages[at].sort == TEXT)
      return at;
  return seq;
}

void act_text(world *self, int user, device *from) {
  static const char *const kinds[] = {"text", "system", "recall", "edit",
                                      "reaction"};
  static const model_sort sorts[] = {TEXT,   TEXT, TEXT, TEXT,    TEXT,
                                     RECALL, EDIT, EDIT, REACTION};
  int conv = (int)world_pick(self, MODEL_CONVS);
  const model_conv *of = &self->truth.convs[conv];
  model_send what = {.sort = sorts[world_pick(self, 9)], .countable = -1};
  char more[300] = "", users[80];
  if (world_is_full(self, conv)) return;
  bool changes = what.sort == RECALL || what.sort == EDIT;
  if (changes || world_pick(self, 4) == 0) {
    what.target = some_target(self, of, user);
    sprintf(more, ",\"target\":%" PRIu64, what.target);
  }
  if (!changes && world_pick(self, 8) == 0) {
    what.countable = (int)world_pick(self, 2);
    sprintf(more + strlen(more), ",\"countable\":%s",
            what.countable ? "true" : "false");
  }
  if ((what.sort == TEXT || what.sort == EDIT) && world_pick(self, 2)) {
    what.says_mentions = true;
    what.all = world_pick(self, 4) == 0;
    what.named = what.all ? 0 : few_users(self);
    write_users(what.named, users);
    sprintf(more + strlen(more), ",\"mentions\":%s",
            what.all ? "\"all\"" : users);
  }
  snprintf(self->frame, sizeof self->frame,
           "{\"t\":\"send\",\"op\":\"o%" PRIu64
           "\",\"conv\":\"g%d\",\"kind\":\"%s\",\"body\":\"hello\"%s}",
           self->next_op++, conv, kinds[what.sort], more);
  cJSON *came = world_ask(self, from);
  if (!came) return;
  if (world_check_taken(
          self, came,
          model_post(&self->truth, conv, user, user == ROOT, &what))) {
    if (stage_number(came, "items.0.seq") != (double)of->last)
      world_differ(self, "seq", came);
    world_check_word(self, came, stage_at(came, "items.0"), conv, user);
    world_keep_op(self, user, came);
  }
  cJSON_Delete(came);
}

static void finish_membership(world *self, int user, int conv, cJSON *came,
                              const char *code) {
  if (world_check_taken(self, came, code)) {
    const model_member *who = world_member_of(self, conv, user);
    if (who->present)
      world_check_word(self, came, stage_at(came, "items.0"), conv, user);
    else if (who->ever && stage_number(came, "items.0.leave_seq") !=
                              (double)who->leave[who->periods - 1])
      world_differ(self, "leave_seq", came);
    world_keep_op(self, user, came);
  }
  cJSON_Delete(came);
}

void act_create(world *self, int user, device *from) {
  static const char *const kinds[] = {"direct", "group", "large"};
  static const char *const roles[] = {"member", "admin", "bot"};
  int conv = (int)world_pick(self, MODEL_CONVS);
  model_kind kind = (model_kind)world_pick(self, 3);
  model_role role =
      world_pick(self, 6) ? MEMBER : (model_role)world_pick(self, 3);
  unsigned users = some_users(self);
  bool open = world_pick(self, 2), moderated = world_pick(self, 4) == 0;
  char list[80];
  int other = (int)((unsigned)user + 1 + world_pick(self, MODEL_USERS - 1)) %
              MODEL_USERS;
  if (kind == DIRECT) users = 1u << other;
  write_users(users, list);
  snprintf(self->frame, sizeof self->frame,
           "{\"t\":\"create\",\"op\":\"o%" PRIu64
           "\",\"conv\":\"g%d\",\"kind\":\"%s\",\"role\":\"%s\",\"open\":%s,"
           "\"moderated\":%s,\"users\":%s}",
           self->next_op++, conv, kinds[kind], roles[role],
           open ? "true" : "false", moderated ? "true" : "false", list);
  cJSON *came = world_ask(self, from);
  if (came)
    finish_membership(self, user, conv, came,
                      model_create(&self->truth, conv, user, kind, open,
                                   moderated, users, role));
}

void act_membership(world *self, int user, device *from) {
  static const char *const acts[] = {"add", "remove", "join", "leave"};
  static const char *const roles[] = {"member", "admin", "bot"};
  int conv = (int)world_pick(self, MODEL_CONVS), act = (int)world_pick(self, 4);
  unsigned users = two_users(self);
  model_role role =
      world_pick(self, 4) ? MEMBER : (model_role)world_pick(self, 3);
  model *truth = &self->truth;
  char list[80], more[120] = "";
  if (world_is_full(self, conv) ||
      world_member_of(self, conv, user)->periods >= MODEL_PERIODS - 1)
    return;
  write_users(users, list);
  if (act < 2)
    snprintf(more, sizeof more, ",\"users\":%s,\"role\":\"%s\"", list,
             roles[role]);
  snprintf(self->frame, sizeof self->frame,
           "{\"t\":\"%s\",\"op\":\"o%" PRIu64 "\",\"conv\":\"g%d\"%s}",
           acts[act], self->next_op++, conv, more);
  cJSON *came = world_ask(self, from);
  const char *code = "";
  if (!came) return;
  if (act == 0)
    code = model_add(truth, conv, user, user == ROOT, users, role);
  else if (act == 1)
    code = model_remove(truth, conv, user, user == ROOT, users);
  else if (act == 2)
    code = model_join(truth, conv, user);
  else
    code = model_leave(truth, conv, user);
  finish_membership(self, user, conv, came, code);
}

void act_set(world *self, int user, device *from) {
  int conv = (int)world_pick(self, MODEL_CONVS);
  model_member *who = &self->truth.convs[conv].members[user];
  bool muted = world_pick(self, 2), pins = world_pick(self, 2);
  snprintf(self->frame, sizeof self->frame,
           "{\"t\":\"set\",\"conv\":\"g%d\",\"muted\":%s%s}", conv,
           muted ? "true" : "false", pins ? ",\"pinned\":true" : "");
  cJSON *came = world_ask(self, from);
  if (!came) return;
  if (!who->present) {
    world_check_taken(self, came, who->ever ? "not_member" : "not_found");
  } else {
    who->muted = muted;
    who->pinned = who->pinned || pins;
  }
  cJSON_Delete(came);
}

void act_settings(world *self, int user, device *from) {
  bool receipts = world_pick(self, 2);
  snprintf(self->frame, sizeof self->frame,
           "{\"t\":\"settings\",\"receipts\":%s}", receipts ? "true" : "false");
  cJSON *came = world_ask(self, from);
  if (!came) return;
  model_settings(&self->truth, user, receipts);
  if (cJSON_IsTrue(stage_at(came, "receipts")) != receipts)
    world_differ(self, "receipts", came);
  cJSON_Delete(came);
}

static void close_all(world *self, int user) {
  for (int i = 0; i < DEVICES; i++)
    world_disconnect_device(self, user, i);
}

void act_admin(world *self, int user, device *from) {
  static const char *const acts[] = {"takedown", "approve", "purge", "disable",
                                     "enable"};
  int conv = (int)world_pick(self, MODEL_CONVS),
      act = (int)world_pick(self, 10);
  int about = (int)world_pick(self, MODEL_USERS - 1);
  model *truth = &self->truth;
  act = act < 4 ? 0 : act < 7 ? 1 : act == 7 ? 2 : act - 5;
  uint64_t seq =
      1 + (act == 2 ? world_pick(self, truth->convs[conv].last / 2 + 1)
                    : world_some_seq(self, &truth->convs[conv]));
  snprintf(self->frame, sizeof self->frame,
           "{\"t\":\"admin\",\"op\":\"o%" PRIu64
           "\",\"act\":\"%s\",\"conv\":\"g%d\",\"seq\":%" PRIu64
           ",\"user\":\"u%d\"}",
           self->next_op++, acts[act], conv, seq, about);
  cJSON *came = world_ask(self, from);
  const char *code = "";
  if (!came) return;
  if (user != ROOT) {
    code = "forbidden";
  } else if (act == 0) {
    code = model_takedown(truth, conv, seq);
  } else if (act == 1) {
    code = model_approve(truth, conv, seq);
  } else if (act == 2) {
    code = truth->convs[conv].exists ? "" : "not_found";
    if (!*code) model_purge(truth, conv, seq);
  } else {
    model_account(truth, about, act == 3);
    if (act == 3) close_all(self, about);
  }
  if (world_check_taken(self, came, code)) world_keep_op(self, user, came);
  cJSON_Delete(came);
}

/* Once more: the same result, the present word, and nothing happens. */
void act_again(world *self, int user, device *from) {
  if (!self->done_count) return;
  const done_op *op = &self->done[world_pick(
      self, self->done_count < DONE_OPS ? self->done_count : DONE_OPS)];
  if (op->user != user) return;
  snprintf(self->frame, sizeof self->frame, "%s", op->frame);
  cJSON *came = world_ask(self, from);
  if (!came) return;
  if (strcmp(stage_text(came, "items.0.result"), op->result) != 0 ||
      strcmp(stage_text(came, "items.0.code"), op->code) != 0 ||
      stage_number(came, "items.0.seq") != op->seq)
    world_differ(self, "a retry was answered in another way", came);
  int conv = replica_conv(stage_text(came, "items.0.conv"));
  if (stage_at(came, "items.0.read"))
    world_check_word(self, came, stage_at(came, "items.0"), conv, user);
  cJSON_Delete(came);
}
