/*
 * What is written of a conversation, and taken back after a restart (S6).
 * Lists are laid out in scratch memory that the next record uses again.
 */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "engine/check.h"
#include "engine/core.h"
#include "engine/gaps.h"
#include "engine/membership.h"
#include "engine/mentions.h"
#include "engine/subscriptions.h"
#include "engine/tally.h"
#include "engine/upkeep.h"

static int put_runs(seen_engine *engine, sn_scratch_block at,
                    const sn_runs *runs, const seen_run **list, size_t *count) {
  seen_run *room_for =
      sn_engine_scratch(engine, at, runs->count, sizeof *room_for);
  sn_run run;
  if (!room_for) return SEEN_ENOMEM;
  for (uint64_t s = 0; sn_runs_next(runs, s, &run); s = run.hi + 1)
    room_for[(*count)++] = (seen_run){run.lo, run.hi};
  *list = room_for;
  return SEEN_OK;
}

static int put_mentions(seen_engine *engine, sn_scratch_block at,
                        const sn_runs *runs, const seen_mention **list,
                        size_t *count) {
  size_t seqs = (size_t)sn_runs_count(runs, 0, SEEN_SEQ_MAX);
  seen_mention *room_for =
      sn_engine_scratch(engine, at, seqs, sizeof *room_for);
  sn_run run;
  if (!room_for) return SEEN_ENOMEM;
  for (uint64_t s = 0; sn_runs_next(runs, s, &run); s = run.hi + 1)
    for (uint64_t seq = run.lo; seq <= run.hi; seq++)
      room_for[(*count)++] = (seen_mention){seq, (seen_mention_why)run.tag};
  *list = room_for;
  return SEEN_OK;
}

static int put_senders(seen_engine *engine, const sn_facts *facts,
                       seen_record *record) {
  seen_sender *list = sn_engine_scratch(engine, SN_SCRATCH_SENDERS,
                                        facts->senders.count, sizeof *list);
  sn_run run;
  if (!list) return SEEN_ENOMEM;
  for (uint64_t s = 0; sn_runs_next(&facts->senders, s, &run); s = run.hi + 1)
    list[record->sender_count++] =
        (seen_sender){{run.lo, run.hi},
                      sn_registry_user_name(&engine->registry, run.tag >> 1),
                      run.tag & 1};
  record->senders = list;
  return SEEN_OK;
}

/* One list, whatever of it is beyond a gap. */
static int put_live(seen_engine *engine, const sn_conv *conv,
                    seen_record *record) {
  size_t beyond = conv->facts ? conv->facts->live.count : 0;
  seen_run *list =
      sn_engine_scratch(engine, SN_SCRATCH_LIVE, beyond + 1, sizeof *list);
  sn_run run;
  if (!list) return SEEN_ENOMEM;
  if (conv->live_to > conv->tally_last)
    list[record->live_count++] =
        (seen_run){conv->tally_last + 1, conv->live_to};
  for (uint64_t s = 0; beyond && sn_runs_next(&conv->facts->live, s, &run);
       s = run.hi + 1)
    list[record->live_count++] = (seen_run){run.lo, run.hi};
  record->live = list;
  return SEEN_OK;
}

static int put_facts(seen_engine *engine, const sn_facts *facts,
                     seen_record *record) {
  record->notes = facts->notes;
  record->note_count = facts->note_count;
  if (put_runs(engine, SN_SCRATCH_UNCOUNTABLE, &facts->uncountable,
               &record->uncountable, &record->uncountable_count) ||
      put_runs(engine, SN_SCRATCH_FOUND, &facts->found, &record->found,
               &record->found_count) ||
      put_mentions(engine, SN_SCRATCH_MENTIONS, &facts->mentions,
                   &record->mentions, &record->mention_count) ||
      put_mentions(engine, SN_SCRATCH_FOUND_MENTIONS, &facts->found_mentions,
                   &record->found_mentions, &record->found_mention_count))
    return SEEN_ENOMEM;
  return put_senders(engine, facts, record);
}

static int put_reading(seen_engine *engine, const sn_reading *reading,
                       seen_record *record) {
  const sn_wish *wish = &reading->wish;
  const sn_mark *mark = &reading->mark;
  record->flags |= (wish->set ? SEEN_RECORD_WISH : 0) |
                   (wish->keep ? SEEN_RECORD_WISH_KEEP : 0) |
                   (mark->set ? SEEN_RECORD_MARK : 0) |
                   (mark->keep ? SEEN_RECORD_MARK_KEEP : 0) |
                   (reading->acked ? SEEN_RECORD_ACKED : 0);
  record->wish_epoch = wish->epoch;
  record->wish_read = wish->read;
  record->wish_shown = wish->shown;
  record->mark = (seen_mark){mark->epoch, mark->seq, mark->target, mark->op};
  record->acked_epoch = reading->acked ? reading->acked_epoch : 0;
  record->acked_seq = reading->acked ? reading->acked_seq : 0;
  record->own = reading->own;
  return put_runs(engine, SN_SCRATCH_CLEARED, &reading->cleared,
                  &record->cleared, &record->cleared_count);
}

/* Who left before the first message holds none, which 0 can't say (R3). */
static int put_roster(seen_engine *engine, const sn_roster *roster,
                      seen_record *record) {
  seen_member *members = sn_engine_scratch(engine, SN_SCRATCH_MEMBERS,
                                           roster->count, sizeof *members);
  seen_peer *peer =
      sn_engine_scratch(engine, SN_SCRATCH_PEERS, 1, sizeof *peer);
  size_t count = 0;
  if (!members || !peer) return SEEN_ENOMEM;
  for (size_t i = 0; i < roster->count; i++) {
    const sn_period *period = &roster->periods[i + 1];
    if (period->leave == 0) continue;
    members[count++] =
        (seen_member){sn_registry_user_name(&engine->registry, period->user),
                      period->join,
                      period->leave == UINT64_MAX ? 0 : period->leave,
                      period->read,
                      period->delivered,
                      period->bot};
  }
  record->members = members;
  record->member_count = count;
  if (roster->peer) {
    *peer = (seen_peer){sn_registry_user_name(&engine->registry, roster->peer),
                        roster->peer_read, roster->peer_delivered};
    record->peers = peer;
    record->peer_count = 1;
  }
  record->receipts = roster->row_count ? roster->rows + 1 : NULL;
  record->receipt_count = roster->row_count;
  return SEEN_OK;
}

/* Flags that a conversation and a record share. */
static const struct {
  uint32_t conv;
  uint32_t record;
} FLAGS[] = {{SN_GONE, SEEN_RECORD_GONE},
             {SN_WAITING, SEEN_RECORD_WAITING},
             {SN_MUTED, SEEN_RECORD_MUTED},
             {SN_PINNED, SEEN_RECORD_PINNED},
             {SN_WANT_MUTE, SEEN_RECORD_WANT_MUTE},
             {SN_WANT_MUTED, SEEN_RECORD_WANT_MUTED},
             {SN_WANT_PIN, SEEN_RECORD_WANT_PIN},
             {SN_WANT_PINNED, SEEN_RECORD_WANT_PINNED}};

static void put_conv(const sn_conv *conv, seen_record *record) {
  bool counted = conv->tally_counted != SN_NOT_COUNTED;
  *record = (seen_record){.size = sizeof *record,
                          .id = conv->id,
                          .kind = conv->kind,
                          .read = conv->server,
                          .last_seq = conv->last_seq,
                          .floor = conv->floor,
                          .join_seq = conv->join_seq,
                          .updated_at = conv->updated_at,
                          .tally_version = conv->tally_version,
                          .tally_last = conv->tally_last,
                          .tally_from = conv->tally_from,
                          .tally_base = conv->tally_base,
                          .tally_counted = counted ? conv->tally_counted : 0,
                          .delivered_here = conv->delivered_here,
                          .delivered_server = conv->delivered_server,
                          .flags = counted ? SEEN_RECORD_COUNTED : 0};
  for (size_t i = 0; i < sizeof FLAGS / sizeof *FLAGS; i++)
    if (sn_conv_has(conv, FLAGS[i].conv)) record->flags |= FLAGS[i].record;
}

int seen_engine_record(seen_engine *engine, seen_conv handle,
                       seen_record *record) {
  if (handle == 0 || handle > engine->registry.count) return SEEN_ENOTFOUND;
  const sn_conv *conv = sn_engine_conv(engine, handle);
  if (!sn_conv_has(conv, SN_ROW)) return SEEN_ENOTFOUND;
  put_conv(conv, record);
  if (put_live(engine, conv, record)) return SEEN_ENOMEM;
  if (conv->facts && put_facts(engine, conv->facts, record)) return SEEN_ENOMEM;
  if (conv->reading && put_reading(engine, conv->reading, record))
    return SEEN_ENOMEM;
  if (conv->roster && put_roster(engine, conv->roster, record))
    return SEEN_ENOMEM;
  return SEEN_OK;
}

static int reserve_facts(seen_engine *engine, sn_conv *conv,
                         const seen_record *record) {
  const seen_allocator *memory = engine->memory;
  if (sn_engine_need_facts(engine, conv)) return SEEN_ENOMEM;
  sn_facts *facts = conv->facts;
  for (size_t i = 0; i < record->sender_count; i++)
    if (!sn_registry_need_user(memory, &engine->registry,
                               record->senders[i].user))
      return SEEN_ENOMEM;
  if (sn_runs_reserve(memory, &facts->uncountable, record->uncountable_count) ||
      sn_runs_reserve(memory, &facts->live, record->live_count) ||
      sn_runs_reserve(memory, &facts->found, record->found_count) ||
      sn_runs_reserve(memory, &facts->mentions, record->mention_count) ||
      sn_runs_reserve(memory, &facts->found_mentions,
                      record->found_mention_count) ||
      sn_runs_reserve(memory, &facts->senders, record->sender_count) ||
      SN_RESERVE(memory, &facts->notes, &facts->note_capacity,
                 record->note_count) ||
      sn_gaps_reserve(memory, facts, record->live_count + 1))
    return SEEN_ENOMEM;
  return SEEN_OK;
}

static int reserve_reading(seen_engine *engine, sn_conv *conv,
                           const seen_record *record) {
  if (sn_engine_need_reading(engine, conv)) return SEEN_ENOMEM;
  if (sn_runs_reserve(engine->memory, &conv->reading->cleared,
                      record->cleared_count) ||
      sn_runs_reserve(engine->memory, &conv->reading->sent_cleared,
                      record->cleared_count + 2))
    return SEEN_ENOMEM;
  return SEEN_OK;
}

static int reserve_roster(seen_engine *engine, sn_conv *conv,
                          const seen_record *record) {
  for (size_t i = 0; i < record->member_count; i++)
    if (!sn_registry_need_user(engine->memory, &engine->registry,
                               record->members[i].user))
      return SEEN_ENOMEM;
  for (size_t i = 0; i < record->peer_count; i++)
    if (!sn_registry_need_user(engine->memory, &engine->registry,
                               record->peers[i].user))
      return SEEN_ENOMEM;
  if (sn_roster_need(engine->memory, &conv->roster, engine->registry.seed) ||
      sn_roster_reserve(engine->memory, conv->roster, record->member_count) ||
      sn_roster_reserve_rows(engine->memory, conv->roster,
                             record->receipt_count))
    return SEEN_ENOMEM;
  return SEEN_OK;
}

/* Whether something above the tally did not come live. */
static bool has_gaps(const seen_record *record) {
  const seen_run *live = record->live;
  if (record->last_seq == record->tally_last) return false;
  return record->live_count != 1 || live->lo != record->tally_last + 1 ||
         live->hi != record->last_seq;
}

static bool has_facts(const seen_record *record) {
  return record->uncountable_count || has_gaps(record) || record->found_count ||
         record->mention_count || record->found_mention_count ||
         record->note_count || record->sender_count ||
         record->delivered_here > record->delivered_server;
}

static bool has_reading(const seen_record *record) {
  enum { DONE = SEEN_RECORD_WISH | SEEN_RECORD_MARK | SEEN_RECORD_ACKED };
  return record->flags & DONE || record->cleared_count || record->own ||
         record->mention_count || record->found_mention_count;
}

static bool has_roster(const seen_record *record) {
  return record->member_count || record->peer_count || record->receipt_count;
}

static int reserve_all(seen_engine *engine, sn_conv *conv,
                       const seen_record *record) {
  if (has_facts(record) && reserve_facts(engine, conv, record))
    return SEEN_ENOMEM;
  if (has_reading(record) && reserve_reading(engine, conv, record))
    return SEEN_ENOMEM;
  return has_roster(record) ? reserve_roster(engine, conv, record) : SEEN_OK;
}

static void take_conv(sn_conv *conv, const seen_record *record) {
  conv->kind = record->kind;
  conv->server = record->read;
  conv->last_seq = record->last_seq;
  conv->live_to = record->tally_last;
  conv->floor = record->floor;
  conv->join_seq = sn_max(record->join_seq, 1);
  conv->updated_at = record->updated_at;
  conv->tally_version = record->tally_version;
  conv->tally_last = record->tally_last;
  conv->tally_from = record->tally_from;
  conv->tally_base = record->tally_base;
  conv->tally_counted = record->flags & SEEN_RECORD_COUNTED
                            ? record->tally_counted
                            : SN_NOT_COUNTED;
  conv->delivered_here = record->delivered_here;
  conv->delivered_server = record->delivered_server;
  sn_conv_flag(conv, SN_ROW, true);
  for (size_t i = 0; i < sizeof FLAGS / sizeof *FLAGS; i++)
    sn_conv_flag(conv, FLAGS[i].conv, record->flags & FLAGS[i].record);
}

static void take_runs(sn_runs *runs, const seen_run *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    sn_runs_put(runs, list[i].lo, list[i].hi, 0);
}

static void take_mentions(sn_runs *runs, const seen_mention *list,
                          size_t count) {
  for (size_t i = 0; i < count; i++)
    sn_runs_put(runs, list[i].seq, list[i].seq, (uint32_t)list[i].why);
}

/* After a restart gaps show anew (S6). */
static void take_gaps(seen_engine *engine, sn_conv *conv) {
  uint64_t next = conv->live_to + 1;
  sn_run run;
  while (sn_runs_next(&conv->facts->live, next, &run)) {
    sn_gaps_show(conv, next, sn_max(run.lo, 1) - 1, engine->now);
    next = run.hi + 1;
  }
  sn_gaps_show(conv, next, conv->last_seq, engine->now);
}

static void take_facts(seen_engine *engine, sn_conv *conv,
                       const seen_record *record) {
  sn_facts *facts = conv->facts;
  take_runs(&facts->uncountable, record->uncountable,
            record->uncountable_count);
  take_runs(&facts->found, record->found, record->found_count);
  take_mentions(&facts->mentions, record->mentions, record->mention_count);
  take_mentions(&facts->found_mentions, record->found_mentions,
                record->found_mention_count);
  if (record->note_count)
    memcpy(facts->notes, record->notes,
           record->note_count * sizeof *record->notes);
  facts->note_count = record->note_count;
  for (size_t i = 0; i < record->sender_count; i++) {
    const seen_sender *sender = &record->senders[i];
    uint32_t user = sn_registry_user(&engine->registry, sender->user);
    sn_runs_put(&facts->senders, sender->run.lo, sender->run.hi,
                sn_sender_tag(user, sender->text));
  }
  take_gaps(engine, conv);
}

static void take_reading(sn_conv *conv, const seen_record *record) {
  sn_reading *reading = conv->reading;
  uint32_t flags = record->flags;
  if (flags & SEEN_RECORD_WISH)
    reading->wish =
        (sn_wish){record->wish_epoch, record->wish_read, record->wish_shown,
                  true, (flags & SEEN_RECORD_WISH_KEEP) != 0};
  if (flags & SEEN_RECORD_MARK)
    reading->mark = (sn_mark){record->mark.expected_epoch,
                              record->mark.expected_seq,
                              record->mark.target,
                              record->mark.op,
                              true,
                              (flags & SEEN_RECORD_MARK_KEEP) != 0};
  reading->acked = (flags & SEEN_RECORD_ACKED) != 0;
  reading->acked_epoch = record->acked_epoch;
  reading->acked_seq = record->acked_seq;
  reading->own = record->own;
  take_runs(&reading->cleared, record->cleared, record->cleared_count);
}

static void take_roster(seen_engine *engine, sn_conv *conv,
                        const seen_record *record) {
  sn_roster *roster = conv->roster;
  for (size_t i = 0; i < record->member_count; i++) {
    const seen_member *member = &record->members[i];
    sn_roster_put(
        roster,
        (sn_period){.join = member->join_seq,
                    .leave = member->leave_seq ? member->leave_seq : UINT64_MAX,
                    .read = member->read_seq,
                    .delivered = member->delivered_seq,
                    .user = sn_registry_user(&engine->registry, member->user),
                    .bot = member->bot});
  }
  for (size_t i = 0; i < record->peer_count; i++)
    sn_roster_follow_peer(
        roster, sn_registry_user(&engine->registry, record->peers[i].user),
        record->peers[i].read_seq, record->peers[i].delivered_seq);
  for (size_t i = 0; i < record->receipt_count; i++)
    sn_roster_count_row(roster, record->receipts[i]);
}

static int restore_into(seen_engine *engine, sn_conv *conv,
                        const seen_record *record) {
  if (reserve_all(engine, conv, record)) return SEEN_ENOMEM;
  take_conv(conv, record);
  for (size_t i = 0; i < record->live_count; i++)
    sn_tally_came(conv, record->live[i].lo, record->live[i].hi);
  if (has_facts(record)) take_facts(engine, conv, record);
  if (has_reading(record)) take_reading(conv, record);
  if (has_roster(record)) take_roster(engine, conv, record);
  if (conv->facts && (sn_mentions_reserve(engine->memory, conv, 0, 0, 0) ||
                      sn_engine_reserve_outputs(engine, conv, 0, 0))) {
    sn_membership_discard(engine, conv);
    return SEEN_ENOMEM;
  }
  sn_mentions_derive(conv);
  sn_engine_refresh(engine, conv);
  return SEEN_OK;
}

int seen_engine_restore(seen_engine *engine, const seen_record *record,
                        seen_error *error) {
  seen_conv handle;
  int status = sn_check_record(record, error);
  if (status) return status;
  if (engine->fed)
    return sn_fail(error, SEEN_ESTATE, "restore comes before the first feed");
  status = seen_engine_intern(engine, record->id, &handle, error);
  if (status) return status;
  sn_conv *conv = sn_engine_conv(engine, handle);
  if (sn_conv_has(conv, SN_ROW))
    return sn_fail(error, SEEN_ESTATE, "%s is there already", record->id);
  engine->link = false; /* before anything that is due can leave */
  return restore_into(engine, conv, record) ? sn_fail_memory(error) : SEEN_OK;
}
