/* Names to handles, and on to the roster. */
#include "engine/people.h"

#include <string.h>

#include "base/sort.h"
#include "engine/subscriptions.h"

static int need_roster(seen_engine *engine, sn_conv *conv, size_t periods) {
  if (sn_roster_need(engine->memory, &conv->roster, engine->registry.seed))
    return SEEN_ENOMEM;
  return sn_roster_reserve(engine->memory, conv->roster, periods);
}

static int need_user(seen_engine *engine, const char *user) {
  return sn_registry_need_user(engine->memory, &engine->registry, user)
             ? SEEN_OK
             : SEEN_ENOMEM;
}

static uint32_t user_of(const seen_engine *engine, const char *user) {
  return sn_registry_user(&engine->registry, user);
}

int sn_people_reserve_roster(seen_engine *engine, sn_conv *conv,
                             const seen_snapshot *snapshot) {
  if (!(snapshot->fields & SEEN_SNAPSHOT_ROSTER)) return SEEN_OK;
  for (size_t i = 0; i < snapshot->roster_count; i++)
    if (need_user(engine, snapshot->roster[i].user)) return SEEN_ENOMEM;
  return need_roster(engine, conv, snapshot->roster_count);
}

static bool by_person(const void *left, const void *right, const void *none) {
  const sn_period *a = left, *b = right;
  (void)none;
  if (a->user != b->user) return a->user < b->user;
  if (a->join != b->join) return a->join < b->join;
  return a->leave < b->leave;
}

/* Where it says no position, as above the limit of R4, the one that was known
 * stays (S3); none ever falls (P9). */
static sn_period period_of(const seen_engine *engine, const sn_roster *held,
                           const seen_member *member) {
  sn_period period = {.join = member->join_seq ? member->join_seq : 1,
                      .leave =
                          member->leave_seq ? member->leave_seq : UINT64_MAX,
                      .read = member->read_seq,
                      .delivered = member->delivered_seq,
                      .user = user_of(engine, member->user),
                      .bot = member->bot};
  sn_roster_keep(held, &period);
  period.delivered = sn_max(period.delivered, period.read);
  return period;
}

void sn_people_take_roster(seen_engine *engine, sn_conv *conv,
                           const seen_snapshot *snapshot) {
  sn_roster *roster = conv->roster;
  size_t count = snapshot->roster_count;
  sn_period *fresh = roster->periods + roster->count + 1;
  for (size_t i = 0; i < count; i++)
    fresh[i] = period_of(engine, roster, &snapshot->roster[i]);
  if (count) {
    sn_sort(fresh, count, sizeof(sn_period), by_person, NULL);
    memmove(roster->periods + 1, fresh, count * sizeof(sn_period));
  }
  sn_roster_start(roster);
  for (size_t i = 1; i <= count; i++)
    sn_roster_add(roster, roster->periods[i], engine->me);
}

/* Older messages count as one's own again: who asks for receipts is. */
static void keep_newest(sn_runs *senders) {
  sn_run oldest;
  if (senders->count > SN_SENDERS_KEPT && sn_runs_next(senders, 0, &oldest))
    sn_runs_remove(senders, oldest.lo, oldest.hi);
}

int sn_people_note_sender(seen_engine *engine, sn_conv *conv,
                          const seen_message *message, bool own) {
  bool text = message->kind == SEEN_MESSAGE_TEXT;
  uint32_t user = engine->me;
  if (sn_engine_need_facts(engine, conv)) return SEEN_ENOMEM;
  if (!own) {
    user =
        sn_registry_need_user(engine->memory, &engine->registry, message->from);
    if (!user) return SEEN_ENOMEM;
  }
  if (sn_runs_reserve(engine->memory, &conv->facts->senders, 2))
    return SEEN_ENOMEM;
  sn_runs_put(&conv->facts->senders, message->seq, message->seq,
              sn_sender_tag(user, text));
  keep_newest(&conv->facts->senders);
  return SEEN_OK;
}

uint32_t sn_people_sender(const seen_engine *engine, const sn_conv *conv,
                          uint64_t seq) {
  sn_run run;
  if (conv->facts && sn_runs_next(&conv->facts->senders, seq, &run) &&
      run.lo <= seq)
    return run.tag >> 1;
  return engine->me;
}

int sn_people_members(seen_engine *engine, sn_conv *conv,
                      const seen_members *members) {
  for (size_t i = 0; i < members->joined_count; i++)
    if (need_user(engine, members->joined[i].user)) return SEEN_ENOMEM;
  if (need_roster(engine, conv, members->joined_count + members->left_count))
    return SEEN_ENOMEM;
  for (size_t i = 0; i < members->left_count; i++) {
    uint32_t user = user_of(engine, members->left[i].user);
    if (user) sn_roster_leave(conv->roster, user, members->left[i].seq);
  }
  for (size_t i = 0; i < members->joined_count; i++)
    sn_roster_join(conv->roster, user_of(engine, members->joined[i].user),
                   members->joined[i].seq, members->joined[i].bot);
  return SEEN_OK;
}

int sn_people_peer(seen_engine *engine, sn_conv *conv, const seen_peer *peer) {
  if (need_user(engine, peer->user) || need_roster(engine, conv, 1))
    return SEEN_ENOMEM;
  sn_roster_peer(conv->roster, user_of(engine, peer->user), engine->me,
                 peer->read_seq, peer->delivered_seq);
  return SEEN_OK;
}

int sn_people_receipts(seen_engine *engine, sn_conv *conv,
                       const seen_receipt_rows *rows) {
  if (need_roster(engine, conv, 0) ||
      sn_roster_reserve_rows(engine->memory, conv->roster, rows->count))
    return SEEN_ENOMEM;
  for (size_t i = 0; i < rows->count; i++)
    sn_roster_count_row(conv->roster, rows->rows[i]);
  return SEEN_OK;
}
