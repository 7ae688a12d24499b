/* Opening, scrolling, marking, clearing, setting one conversation. */
#include "engine/person.h"

#include "engine/membership.h"
#include "engine/reading.h"
#include "engine/reporter.h"
#include "engine/settings.h"
#include "engine/tally.h"

static int reserve(seen_engine *engine, sn_conv *conv) {
  if (sn_engine_need_reading(engine, conv)) return SEEN_ENOMEM;
  return sn_engine_reserve_outputs(engine, conv, 0, 0);
}

int sn_person_open(seen_engine *engine, sn_conv *conv) {
  if (sn_conv_has(conv, SN_GONE)) return SEEN_OK;
  if (sn_engine_need_viewport(engine, conv) ||
      sn_viewport_reserve(engine->memory, conv->viewport, 0) ||
      reserve(engine, conv))
    return SEEN_ENOMEM;
  if (conv->viewport->open) return SEEN_OK;
  conv->viewport->first_unread = sn_tally_first_unread(conv); /* B5 */
  conv->viewport->open = true;
  conv->viewport->blocked = false;
  return SEEN_OK;
}

/* What of a range has rows; 0, 0: nothing. */
static seen_run rows_of(const sn_conv *conv, seen_run range) {
  if (range.lo == 0 && range.hi > 0) range.lo = 1;
  range.hi = sn_min(range.hi, conv->last_seq); /* V1 */
  return range.lo <= range.hi ? range : (seen_run){0, 0};
}

bool sn_person_sees(const sn_conv *conv, seen_run range) {
  return conv->viewport &&
         sn_viewport_dwells(conv->viewport, rows_of(conv, range));
}

int sn_person_visible(seen_engine *engine, sn_conv *conv, seen_run range) {
  sn_viewport *viewport = conv->viewport;
  if (!viewport || !viewport->open) return SEEN_OK;
  if (sn_viewport_reserve(engine->memory, viewport, 0) || reserve(engine, conv))
    return SEEN_ENOMEM;
  sn_viewport_show(viewport, rows_of(conv, range), engine->now,
                   sn_engine_active(engine));
  return SEEN_OK;
}

int sn_person_close(seen_engine *engine, sn_conv *conv) {
  if (!conv->viewport || !conv->viewport->open) return SEEN_OK;
  if (sn_engine_need_reading(engine, conv) || sn_reporter_reserve(engine, conv))
    return SEEN_ENOMEM;
  sn_viewport_close(conv->viewport);
  sn_reporter_hurry(engine, conv, true);
  return SEEN_OK;
}

int sn_person_mark_read(seen_engine *engine, sn_conv *conv,
                        seen_optional_seq seq) {
  if (reserve(engine, conv)) return SEEN_ENOMEM;
  sn_read_by_name(engine, conv, seq.said ? seq.seq : conv->last_seq);
  return SEEN_OK;
}

/* Just before the newest seq read that is not known to be uncountable (P4). */
static uint64_t default_target(const sn_conv *conv, uint64_t shown) {
  uint64_t newest =
      sn_tally_previous_countable(conv, sn_min(shown, conv->last_seq));
  return newest > sn_conv_low(conv) ? newest - 1 : shown - 1;
}

int sn_person_mark_unread(seen_engine *engine, sn_conv *conv,
                          seen_optional_seq target) {
  uint64_t shown = sn_conv_shown(conv);
  if (sn_conv_has(conv, SN_GONE) || shown == 0) return SEEN_OK;
  uint64_t seq = target.said ? target.seq : default_target(conv, shown);
  seq = sn_max(seq, sn_conv_low(conv));
  if (seq >= shown) return SEEN_OK;
  if (reserve(engine, conv)) return SEEN_ENOMEM;
  if (conv->viewport && conv->viewport->open) conv->viewport->blocked = true;
  sn_wish_mark(&conv->reading->wish, conv->server, seq);
  return SEEN_OK;
}

int sn_person_clear_mentions(seen_engine *engine, sn_conv *conv) {
  if (sn_conv_has(conv, SN_GONE)) return SEEN_OK;
  if (reserve(engine, conv)) return SEEN_ENOMEM;
  sn_read_clear(engine, conv, 1, SEEN_SEQ_MAX);
  sn_reporter_hurry(engine, conv, false);
  return SEEN_OK;
}

int sn_person_forget(seen_engine *engine, sn_conv *conv) {
  if (sn_engine_reserve_outputs(engine, conv, 0, 0)) return SEEN_ENOMEM;
  sn_membership_forget(engine, conv);
  return SEEN_OK;
}

int sn_person_mute(seen_engine *engine, sn_conv *conv, bool on) {
  if (sn_engine_reserve_outputs(engine, conv, 0, 0)) return SEEN_ENOMEM;
  sn_settings_mute(engine, conv, on);
  return SEEN_OK;
}

int sn_person_pin(seen_engine *engine, sn_conv *conv, bool on) {
  if (sn_engine_reserve_outputs(engine, conv, 0, 0)) return SEEN_ENOMEM;
  sn_settings_pin(engine, conv, on);
  return SEEN_OK;
}
