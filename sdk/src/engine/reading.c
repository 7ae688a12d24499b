/* Reads: local first, the report follows (V2). */
#include "engine/reading.h"

#include "engine/mentions.h"
#include "engine/reporter.h"
#include "engine/tally.h"
#include "engine/upkeep.h"

bool sn_read_clear(seen_engine *engine, sn_conv *conv, uint64_t lo,
                   uint64_t hi) {
  if (lo > hi || !sn_mentions_any(conv, lo, hi)) return false;
  sn_mentions_clear(conv, lo, hi);
  sn_reporter_touch(engine, conv);
  sn_engine_settle(engine, conv);
  return true;
}

bool sn_read_to(seen_engine *engine, sn_conv *conv, uint64_t seq,
                sn_clears clears) {
  uint64_t shown = sn_conv_shown(conv);
  bool merged = sn_reporter_unsent(conv), cleared = false;
  sn_reading *reading = conv->reading;
  seq = sn_min(seq, conv->last_seq); /* P3 */
  if (clears == SN_CLEARS_UP_TO)
    cleared = sn_read_clear(engine, conv, 1, seq);
  else if (clears == SN_CLEARS_PASSED)
    cleared = sn_read_clear(engine, conv, shown + 1, seq);
  if (seq <= shown) return cleared;
  sn_wish_read(&reading->wish, conv->server, seq, clears == SN_CLEARS_NOTHING);
  reading->own = sn_max(reading->own, reading->wish.read);
  engine->metrics.advances++;
  engine->metrics.reports_merged += merged;
  sn_reporter_touch(engine, conv);
  sn_engine_settle(engine, conv);
  return true;
}

void sn_read_by_name(seen_engine *engine, sn_conv *conv, uint64_t seq) {
  if (sn_conv_has(conv, SN_GONE)) return;
  sn_read_to(engine, conv, sn_tally_read_through(conv, seq), SN_CLEARS_UP_TO);
  sn_reporter_hurry(engine, conv, false);
}

/* Whether what is on screen there can be read now (V1, V8, V9). */
static bool is_possible(const seen_engine *engine, const sn_conv *conv) {
  const sn_viewport *viewport = conv->viewport;
  return viewport && viewport->open && !viewport->blocked &&
         !sn_conv_has(conv, SN_GONE) && sn_engine_active(engine);
}

uint64_t sn_read_due(const seen_engine *engine) {
  uint64_t due = SEEN_NEVER;
  if (!sn_engine_active(engine)) return due;
  for (size_t i = 0; i < engine->windows.count; i++) {
    const sn_conv *conv = sn_engine_conv(engine, engine->windows.items[i]);
    if (is_possible(engine, conv))
      due = sn_min(due,
                   sn_viewport_due(conv->viewport, engine->options.dwell_ms));
  }
  return due;
}

static bool ready(const seen_engine *engine, const seen_stay *stay) {
  return !stay->read && stay->since + engine->options.dwell_ms <= engine->now;
}

/* The highest row whose dwell has just ended; 0: none. */
static uint64_t highest_ready(const seen_engine *engine,
                              const sn_viewport *viewport) {
  uint64_t highest = 0;
  for (size_t i = 0; i < viewport->count; i++)
    if (ready(engine, &viewport->stays[i]))
      highest = viewport->stays[i].rows.hi;
  return highest;
}

static void read_window(seen_engine *engine, sn_conv *conv) {
  sn_viewport *viewport = conv->viewport;
  bool on_open = engine->options.read == SEEN_READ_ON_OPEN;
  bool changed = false;
  if (on_open)
    changed = sn_read_to(engine, conv, conv->last_seq, SN_CLEARS_PASSED);
  uint64_t highest = highest_ready(engine, viewport);
  uint64_t shown = sn_conv_shown(conv);
  if (highest && !on_open)
    changed |= sn_read_to(engine, conv, sn_tally_read_through(conv, highest),
                          SN_CLEARS_PASSED);
  for (size_t i = 0; highest && i < viewport->count; i++) {
    seen_stay *stay = &viewport->stays[i];
    if (!ready(engine, stay)) continue;
    stay->read = true;
    /* M3: at or below the position, a mention on screen is cleared alone. */
    changed |= sn_read_clear(engine, conv, stay->rows.lo,
                             sn_min(stay->rows.hi, shown));
  }
  if (changed) sn_engine_refresh(engine, conv);
}

void sn_read_run(seen_engine *engine) {
  for (size_t i = 0; i < engine->windows.count; i++) {
    sn_conv *conv = sn_engine_conv(engine, engine->windows.items[i]);
    if (!is_possible(engine, conv)) continue;
    sn_reporter_end_wait(engine, conv);
    read_window(engine, conv);
  }
}
