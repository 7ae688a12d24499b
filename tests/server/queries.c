/* Frames and requests that only ask. */
#include "server/world.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* R4: who is in the roster at a seq, and has read it, by its stretches. */
static void check_roster(const world *self, const cJSON *came,
                         const model_conv *conv) {
  const cJSON *roster = stage_at(came, "conversations.0.roster"), *entry;
  bool in[MODEL_USERS][MODEL_SEQS + 1] = {{false}},
                                    read[MODEL_USERS][MODEL_SEQS + 1] = {
                                        {false}};
  if (!roster) return;
  cJSON_ArrayForEach(entry, roster) {
    int user = replica_user(stage_text(entry, "user"));
    double leave = stage_number(entry, "leave");
    for (uint64_t seq = (uint64_t)stage_number(entry, "join");
         seq <= conv->last && (leave < 0 || (double)seq <= leave); seq++) {
      in[user][seq] = true;
      read[user][seq] = stage_number(entry, "read_seq") >= (double)seq;
    }
  }
  for (int user = 0; user < MODEL_USERS; user++)
    for (uint64_t seq = 1; seq <= conv->last; seq++) {
      bool shows = model_shows(&self->truth, conv, user, seq);
      if (in[user][seq] != shows ||
          (shows && read[user][seq] != conv->members[user].read[seq]))
        world_differ(self, "roster", came);
    }
}

void query_fetch(world *self, int user, device *from) {
  int conv = (int)world_pick(self, MODEL_CONVS);
  const model_conv *of = &self->truth.convs[conv];
  snprintf(self->frame, sizeof self->frame,
           "{\"t\":\"fetch\",\"convs\":[\"g%d\"]}", conv);
  cJSON *came = world_ask(self, from);
  if (!came) return;
  const cJSON *row = stage_at(came, "conversations.0");
  if (world_is_known(self, conv, user) != (row != NULL))
    world_differ(self, "a row", came);
  if (row) {
    world_check_word(self, came, row, conv, user);
    if (stage_number(row, "delivered_seq") !=
        (double)model_delivered_seq(of, user))
      world_differ(self, "delivered_seq", came);
    if (stage_number(row, "updated_at") != (double)of->updated_at)
      world_differ(self, "updated_at", came);
    if (of->members[user].present) check_roster(self, came, of);
  }
  cJSON_Delete(came);
}

void query_subscribe(world *self, int user, device *from) {
  int conv = (int)world_pick(self, MODEL_CONVS);
  const model_conv *of = &self->truth.convs[conv];
  uint64_t lo = 1 + world_pick(self, of->last + 1),
           hi = lo + world_pick(self, 30);
  uint64_t rows = 0;
  bool admin = user == ROOT || of->members[user].role == ADMIN;
  snprintf(self->frame, sizeof self->frame,
           "{\"t\":\"%s\",\"conv\":\"g%d\",\"from\":%" PRIu64 ",\"to\":%" PRIu64
           "}",
           world_pick(self, 4) ? "subscribe" : "unsubscribe", conv, lo, hi);
  cJSON *came = world_ask(self, from);
  if (!came) return;
  if (!strcmp(stage_text(came, "t"), "receipts")) {
    for (uint64_t seq = lo; seq <= hi && seq <= of->last; seq++)
      rows += seq > of->floor && of->messages[seq].counts &&
              !of->messages[seq].recalled && !of->messages[seq].taken_down &&
              !of->messages[seq].held &&
              (admin || of->messages[seq].from == user);
    if ((uint64_t)cJSON_GetArraySize(stage_at(came, "rows")) != rows)
      world_differ(self, "rows", came);
    world_check_receipts(self, came);
  }
  cJSON_Delete(came);
}

static bool may_ask(const model_conv *conv, int user, uint64_t seq) {
  const model_member *who = &conv->members[user];
  if (!conv->exists || seq <= conv->floor || seq > conv->last) return false;
  return user == ROOT || (who->present && (who->role == ADMIN ||
                                           conv->messages[seq].from == user));
}

static void check_names(const world *self, const cJSON *came,
                        const model_conv *conv, uint64_t seq, bool read) {
  const cJSON *users = stage_at(came, "users");
  int at = 0;
  for (int user = 0; user < MODEL_USERS; user++) {
    const model_member *who = &conv->members[user];
    if (!model_shows(&self->truth, conv, user, seq) || who->role == BOT ||
        user == conv->messages[seq].from || who->read[seq] != read)
      continue;
    const cJSON *name = cJSON_GetArrayItem(users, at++);
    if (!name || replica_user(name->valuestring) != user)
      world_differ(self, "other readers", came);
  }
  if (cJSON_GetArraySize(users) != at) world_differ(self, "more readers", came);
}

void query_readers(world *self, int user) {
  int conv = (int)world_pick(self, MODEL_CONVS);
  const model_conv *of = &self->truth.convs[conv];
  uint64_t seq = 1 + world_some_seq(self, of);
  bool read = world_pick(self, 2);
  identity who = {.admin = user == ROOT};
  snprintf(who.user, sizeof who.user, "u%d", user);
  snprintf(self->frame, sizeof self->frame, "g%d:%" PRIu64, conv, seq);
  response came =
      http_read_receipts(self->stage.server, &who, self->frame,
                         read ? "read" : "unread", NULL, 0, self->stage.now);
  cJSON *answer = cJSON_ParseWithLength(came.body, came.length);
  bool may = may_ask(of, user, seq);
  if (came.status != (may ? 200 : 404)) world_differ(self, "status", answer);
  if (may) {
    model_counts expected = model_count(&self->truth, of, seq);
    if (stage_number(answer, "read") != (double)expected.read ||
        stage_number(answer, "audience") != (double)expected.audience ||
        stage_number(answer, "delivered") != (double)expected.delivered ||
        stage_number(answer, "hidden") != (double)expected.hidden)
      world_differ(self, "counts", answer);
    if (of->kind != LARGE) check_names(self, answer, of, seq, read);
  }
  cJSON_Delete(answer);
  response_free(&came);
}

void query_unread(world *self, int user) {
  uint64_t unread = 0, mentions = 0;
  identity who = {.admin = false};
  snprintf(who.user, sizeof who.user, "u%d", user);
  for (int conv = 0; conv < MODEL_CONVS; conv++) {
    const model_conv *of = &self->truth.convs[conv];
    if (!of->exists || !of->members[user].present) continue;
    if (!of->members[user].muted) unread += model_unread(of, user);
    for (uint64_t seq = 1; seq <= of->last; seq++)
      mentions += model_mention(of, user, seq) != WHY_NONE;
  }
  response came = http_unread(self->stage.server, &who, self->stage.now);
  cJSON *answer = cJSON_ParseWithLength(came.body, came.length);
  if (stage_number(answer, "unread") != (double)unread ||
      stage_number(answer, "mentions") != (double)mentions)
    world_differ(self, "totals", answer);
  cJSON_Delete(answer);
  response_free(&came);
}
