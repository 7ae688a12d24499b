/* What is in work, taken out of an engine and put into another one. */
#include <seen/sys/working.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "engine/check.h"
#include "engine/core.h"
#include "engine/gaps.h"
#include "engine/reporter.h"
#include "engine/upkeep.h"

static int put_reading(seen_engine *engine, const sn_reading *reading,
                       seen_working *working) {
  seen_run *runs = sn_engine_scratch(engine, SN_SCRATCH_SENT_CLEARED,
                                     reading->sent_cleared.count, sizeof *runs);
  sn_run run;
  if (!runs) return SEEN_ENOMEM;
  for (uint64_t s = 0; sn_runs_next(&reading->sent_cleared, s, &run);
       s = run.hi + 1)
    runs[working->sent_cleared_count++] = (seen_run){run.lo, run.hi};
  working->sent_cleared = runs;
  working->sent_epoch = reading->sent ? reading->sent_epoch : 0;
  working->sent_seq = reading->sent ? reading->sent_seq : 0;
  working->first_advance = reading->first;
  working->last_advance = reading->last;
  working->retry_at = reading->retry_at;
  working->backoff = reading->backoff;
  working->flags |= (reading->sent ? SEEN_WORKING_SENT : 0) |
                    (reading->mark_sent ? SEEN_WORKING_MARK_SENT : 0) |
                    (reading->now_due ? SEEN_WORKING_NOW_DUE : 0) |
                    (reading->pass_limit ? SEEN_WORKING_PASS_LIMIT : 0);
  return SEEN_OK;
}

static void put_facts(const sn_facts *facts, seen_working *working) {
  working->gaps = facts->gaps;
  working->gap_count = facts->gap_count;
  working->delivered_sent = facts->delivered_sent;
  working->delivered_first = facts->delivered_first;
  working->delivered_last = facts->delivered_last;
}

static void put_viewport(const sn_viewport *viewport, seen_working *working) {
  working->on_screen = viewport->range;
  working->subscribed = viewport->subscribed;
  working->first_unread = viewport->first_unread;
  working->stays = viewport->stays;
  working->stay_count = viewport->count;
  working->flags |= (viewport->open ? SEEN_WORKING_OPEN : 0) |
                    (viewport->blocked ? SEEN_WORKING_BLOCKED : 0);
}

static seen_working nothing(void) {
  return (seen_working){.size = sizeof(seen_working),
                        .first_advance = SEEN_NEVER,
                        .last_advance = SEEN_NEVER,
                        .retry_at = SEEN_NEVER,
                        .backoff = SN_FIRST_BACKOFF,
                        .delivered_first = SEEN_NEVER,
                        .delivered_last = SEEN_NEVER};
}

int seen_engine_working(seen_engine *engine, seen_conv handle,
                        seen_working *working) {
  if (handle == 0 || handle > engine->registry.count) return SEEN_ENOTFOUND;
  const sn_conv *conv = sn_engine_conv(engine, handle);
  *working = nothing();
  if (sn_conv_has(conv, SN_FETCHED)) working->flags |= SEEN_WORKING_FETCHED;
  if (sn_conv_has(conv, SN_DIRTY)) working->flags |= SEEN_WORKING_UNWRITTEN;
  if (conv->facts) put_facts(conv->facts, working);
  if (conv->viewport) put_viewport(conv->viewport, working);
  return conv->reading ? put_reading(engine, conv->reading, working) : SEEN_OK;
}

void seen_engine_session(const seen_engine *engine, seen_session *session) {
  *session = (seen_session){.size = sizeof *session,
                            .now = engine->now,
                            .link = engine->link,
                            .foreground = engine->foreground,
                            .focus = engine->focus,
                            .units = engine->units,
                            .units_at = engine->units_at,
                            .random = engine->random,
                            .dirty_since = engine->dirty_since,
                            .metrics = engine->metrics};
}

static bool has_reading(const seen_working *working) {
  enum {
    FLAGS = SEEN_WORKING_SENT | SEEN_WORKING_MARK_SENT | SEEN_WORKING_NOW_DUE |
            SEEN_WORKING_PASS_LIMIT
  };
  return working->flags & FLAGS || working->sent_cleared_count ||
         working->first_advance != SEEN_NEVER ||
         working->retry_at != SEEN_NEVER ||
         working->backoff != SN_FIRST_BACKOFF ||
         working->flags & SEEN_WORKING_OPEN;
}

static bool has_facts(const seen_working *working) {
  return working->gap_count || working->delivered_sent ||
         working->delivered_first != SEEN_NEVER;
}

static bool has_viewport(const seen_working *working) {
  return working->flags & (SEEN_WORKING_OPEN | SEEN_WORKING_BLOCKED) ||
         working->subscribed.lo;
}

static int reserve(seen_engine *engine, sn_conv *conv,
                   const seen_working *working) {
  const seen_allocator *memory = engine->memory;
  if (has_reading(working) &&
      (sn_engine_need_reading(engine, conv) ||
       sn_runs_reserve(memory, &conv->reading->sent_cleared,
                       working->sent_cleared_count)))
    return SEEN_ENOMEM;
  if (has_facts(working) &&
      (sn_engine_need_facts(engine, conv) ||
       sn_gaps_reserve(memory, conv->facts, working->gap_count)))
    return SEEN_ENOMEM;
  if (has_viewport(working) &&
      (sn_engine_need_viewport(engine, conv) ||
       sn_viewport_reserve(memory, conv->viewport, working->stay_count)))
    return SEEN_ENOMEM;
  return SEEN_OK;
}

static void take_reading(seen_engine *engine, sn_reading *reading,
                         const seen_working *working) {
  reading->sent = (working->flags & SEEN_WORKING_SENT) != 0;
  reading->mark_sent = (working->flags & SEEN_WORKING_MARK_SENT) != 0;
  reading->now_due = (working->flags & SEEN_WORKING_NOW_DUE) != 0;
  reading->pass_limit = (working->flags & SEEN_WORKING_PASS_LIMIT) != 0;
  engine->pass_limit += reading->pass_limit;
  reading->sent_epoch = working->sent_epoch;
  reading->sent_seq = working->sent_seq;
  reading->first = working->first_advance;
  reading->last = working->last_advance;
  reading->retry_at = working->retry_at;
  reading->backoff = working->backoff;
  for (size_t i = 0; i < working->sent_cleared_count; i++)
    sn_runs_put(&reading->sent_cleared, working->sent_cleared[i].lo,
                working->sent_cleared[i].hi, 0);
}

static void take_facts(sn_facts *facts, const seen_working *working) {
  if (working->gap_count)
    memcpy(facts->gaps, working->gaps,
           working->gap_count * sizeof *working->gaps);
  facts->gap_count = working->gap_count;
  facts->delivered_sent = working->delivered_sent;
  facts->delivered_first = working->delivered_first;
  facts->delivered_last = working->delivered_last;
}

static void take_viewport(sn_viewport *viewport, const seen_working *working) {
  viewport->open = (working->flags & SEEN_WORKING_OPEN) != 0;
  viewport->blocked = (working->flags & SEEN_WORKING_BLOCKED) != 0;
  viewport->range = working->on_screen;
  viewport->subscribed = working->subscribed;
  viewport->first_unread = working->first_unread;
  viewport->count = working->stay_count;
  if (working->stay_count)
    memcpy(viewport->stays, working->stays,
           working->stay_count * sizeof *working->stays);
}

static void take(seen_engine *engine, sn_conv *conv,
                 const seen_working *working) {
  if (has_reading(working)) take_reading(engine, conv->reading, working);
  if (conv->facts && (sn_conv_has(conv, SN_ROW) || has_facts(working)))
    take_facts(conv->facts, working);
  if (has_viewport(working)) take_viewport(conv->viewport, working);
  if (working->flags & SEEN_WORKING_FETCHED)
    sn_conv_flag(conv, SN_FETCHED, true);
  if (working->flags & SEEN_WORKING_UNWRITTEN) sn_engine_dirty(engine, conv);
  sn_engine_refresh(engine, conv);
}

int seen_engine_resume(seen_engine *engine, const char *id,
                       const seen_working *working, seen_error *error) {
  seen_conv handle;
  int status = sn_check_working(working, error);
  if (status) return status;
  if (engine->fed)
    return sn_fail(error, SEEN_ESTATE, "resume comes before the first feed");
  status = seen_engine_intern(engine, id, &handle, error);
  if (status) return status;
  sn_conv *conv = sn_engine_conv(engine, handle);
  if (reserve(engine, conv, working)) return sn_fail_memory(error);
  take(engine, conv, working);
  return SEEN_OK;
}

int seen_engine_resume_session(seen_engine *engine, const seen_session *session,
                               seen_error *error) {
  if (session->size != sizeof *session)
    return sn_fail(error, SEEN_EINVAL, "session.size is not this library's");
  if (engine->fed)
    return sn_fail(error, SEEN_ESTATE, "resume comes before the first feed");
  if (session->now != engine->now || session->units_at > engine->now)
    return sn_fail(error, SEEN_EINVAL, "the session is of another time");
  uint64_t full = (uint64_t)engine->options.burst * SN_TOKEN;
  bool is_full = session->units == SEEN_NEVER;
  if (!is_full && session->units > full)
    return sn_fail(error, SEEN_EINVAL, "the bucket holds more than it can");
  engine->link = session->link;
  engine->foreground = session->foreground;
  engine->focus = session->focus;
  engine->units = is_full ? full : session->units;
  engine->units_at = session->units_at;
  engine->random = session->random;
  engine->dirty_since = session->dirty_since;
  engine->metrics = session->metrics;
  engine->outbox.frames = (uint32_t)session->metrics.report_frames;
  return SEEN_OK;
}
