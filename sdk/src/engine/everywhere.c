/* Walks over all conversations: O(conversations), and rare. */
#include "engine/everywhere.h"

#include "engine/delivered.h"
#include "engine/gaps.h"
#include "engine/membership.h"
#include "engine/mentions.h"
#include "engine/reading.h"
#include "engine/reporter.h"
#include "engine/settings.h"
#include "engine/tally.h"
#include "engine/totals.h"
#include "engine/upkeep.h"

/* Calls `act` for every conversation that has a row, shown or not. */
#define FOR_ROWS(engine, conv)                                                 \
  for (seen_conv i_ = 1; i_ <= (engine)->registry.count; i_++)                 \
    if (sn_conv_has((conv) = sn_engine_conv((engine), i_), SN_ROW))

static bool may_send(const sn_conv *conv) {
  return conv->reading || conv->facts || conv->viewport ||
         sn_conv_has(conv, SN_WANT_MUTE | SN_WANT_PIN);
}

/*
 * Room for what all of them can have to send in one turn. Reserving one by
 * one would be short, since nothing is put in between.
 */
static int reserve_outputs(seen_engine *engine) {
  enum { AT_MOST = 8 };
  size_t outputs = AT_MOST, seqs = 0;
  sn_conv *conv;
  FOR_ROWS(engine, conv) {
    if (!may_send(conv)) continue;
    outputs += AT_MOST;
    if (conv->facts)
      seqs += (size_t)sn_runs_count(&conv->facts->open, 0, SEEN_SEQ_MAX);
    if (conv->reading)
      seqs += (size_t)sn_runs_count(&conv->reading->cleared, 0, SEEN_SEQ_MAX);
  }
  return sn_outbox_reserve(engine->memory, &engine->outbox, outputs, seqs);
}

static void restart_dwell(seen_engine *engine) {
  for (size_t i = 0; i < engine->windows.count; i++)
    sn_viewport_restart(
        sn_engine_conv(engine, engine->windows.items[i])->viewport, engine->now,
        sn_engine_active(engine));
}

static void hurry_all(seen_engine *engine, bool pass_limit) {
  sn_conv *conv;
  FOR_ROWS(engine, conv) {
    if (!conv->reading) continue;
    sn_reporter_end_wait(engine, conv);
    sn_reporter_hurry(engine, conv, pass_limit);
    sn_reporter_schedule(engine, conv);
  }
}

int sn_everywhere_app(seen_engine *engine, bool foreground) {
  if (reserve_outputs(engine)) return SEEN_ENOMEM;
  bool changed = engine->foreground != foreground;
  engine->foreground = foreground;
  if (changed) restart_dwell(engine);
  if (!foreground) hurry_all(engine, true);
  return SEEN_OK;
}

int sn_everywhere_focus(seen_engine *engine, bool focus) {
  if (reserve_outputs(engine)) return SEEN_ENOMEM;
  bool changed = engine->focus != focus;
  engine->focus = focus;
  if (changed) restart_dwell(engine);
  return SEEN_OK;
}

static void new_link(seen_engine *engine, sn_conv *conv) {
  sn_gaps_new_link(conv);
  sn_delivered_new_link(conv);
  if (sn_conv_silent(conv)) return;
  sn_settings_send(engine, conv);
  sn_delivered_send(engine, conv);
}

int sn_everywhere_link(seen_engine *engine, bool up) {
  if (engine->link == up) return SEEN_OK;
  if (reserve_outputs(engine)) return SEEN_ENOMEM;
  engine->link = up;
  for (seen_conv i = 1; i <= engine->registry.count; i++) {
    sn_conv *conv = sn_engine_conv(engine, i);
    sn_conv_flag(conv, SN_FETCHED, false);
    if (!sn_conv_has(conv, SN_ROW)) continue;
    if (conv->viewport) conv->viewport->subscribed = (seen_run){0, 0};
    sn_reporter_link(engine, conv, up);
    if (up) new_link(engine, conv);
    if (may_send(conv)) sn_engine_refresh(engine, conv);
  }
  return SEEN_OK;
}

int sn_everywhere_hurry(seen_engine *engine) {
  if (reserve_outputs(engine)) return SEEN_ENOMEM;
  hurry_all(engine, false);
  return SEEN_OK;
}

static bool reads_all(const sn_conv *conv) {
  return !sn_conv_has(conv, SN_GONE) && conv->last_seq > sn_conv_shown(conv);
}

static int reserve_read_all(seen_engine *engine) {
  sn_conv *conv;
  FOR_ROWS(engine, conv)
  if (reads_all(conv) && sn_engine_need_reading(engine, conv))
    return SEEN_ENOMEM;
  return reserve_outputs(engine);
}

/* With a link one read_all says it all; what waits after a mark does not. */
static void said_by_read_all(seen_engine *engine, sn_conv *conv) {
  sn_reading *reading = conv->reading;
  if (!reading || !engine->link || sn_conv_has(conv, SN_WAITING)) return;
  if (!reading->wish.set || (reading->mark.set && !reading->mark_sent)) return;
  reading->sent = true;
  reading->sent_epoch = reading->wish.epoch;
  reading->sent_seq = reading->wish.read;
  sn_engine_settle(engine, conv);
}

int sn_everywhere_read_all(seen_engine *engine) { /* V11 */
  sn_conv *conv;
  if (reserve_read_all(engine)) return SEEN_ENOMEM;
  FOR_ROWS(engine, conv) {
    if (sn_conv_has(conv, SN_GONE)) continue;
    sn_reporter_end_wait(engine, conv);
    if (reads_all(conv))
      sn_read_to(engine, conv, conv->last_seq, SN_CLEARS_NOTHING);
    said_by_read_all(engine, conv);
    if (conv->reading) sn_engine_refresh(engine, conv);
  }
  if (engine->link)
    sn_outbox_put(&engine->outbox, SEEN_EFFECT_READ_ALL, 0, 0, 0);
  return SEEN_OK;
}

/* Marks are dropped; what they carried was read (S2). */
static void wait_for_snapshot(seen_engine *engine, sn_conv *conv) {
  sn_reading *reading = conv->reading;
  sn_conv_flag(conv, SN_WAITING, true);
  if (reading) {
    bool keep = (reading->wish.set && reading->wish.keep) ||
                (reading->mark.set && reading->mark.keep);
    reading->mark = (sn_mark){0};
    if (reading->wish.set) {
      reading->own = sn_max(reading->own, reading->wish.read);
      reading->wish = (sn_wish){0};
      if (reading->own > conv->server.seq)
        sn_wish_read(&reading->wish, conv->server, reading->own, keep);
    }
  }
  sn_engine_settle(engine, conv);
  sn_engine_dirty(engine, conv);
  sn_engine_refresh(engine, conv);
}

int sn_everywhere_server_reset(seen_engine *engine) {
  sn_conv *conv;
  if (reserve_outputs(engine)) return SEEN_ENOMEM;
  FOR_ROWS(engine, conv) wait_for_snapshot(engine, conv);
  if (engine->link) sn_outbox_put(&engine->outbox, SEEN_EFFECT_RESYNC, 0, 0, 0);
  return SEEN_OK;
}

int sn_everywhere_snapshot_end(seen_engine *engine) {
  sn_conv *conv;
  if (reserve_outputs(engine)) return SEEN_ENOMEM;
  FOR_ROWS(engine, conv)
  if (sn_conv_has(conv, SN_WAITING)) sn_membership_forget(engine, conv);
  return SEEN_OK;
}

static bool drifted(const sn_conv *conv, uint64_t unread, uint32_t mentions) {
  return unread != conv->unread || mentions != conv->mentions;
}

int sn_everywhere_audit(seen_engine *engine) {
  seen_totals held = engine->totals;
  sn_conv *conv;
  engine->totals = (seen_totals){0, 0, 0, 0};
  FOR_ROWS(engine, conv) {
    uint64_t unread = conv->unread;
    uint32_t mentions = conv->mentions;
    sn_conv_flag(conv, SN_TOTALED, false);
    sn_mentions_derive(conv);
    sn_engine_refresh(engine, conv);
    if (!drifted(conv, unread, mentions)) continue;
    engine->metrics.unread_drift++;
    engine->drifts++;
  }
  if (!sn_totals_equal(&held, &engine->totals)) {
    engine->metrics.unread_drift++;
    engine->drifts++;
  }
  return SEEN_OK;
}
