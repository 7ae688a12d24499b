/* What a person wants is kept until a row received after it agrees (V5). */
#include "engine/settings.h"

typedef struct choice {
  uint32_t said;   /* the server's word */
  uint32_t want;   /* the person wants something else … */
  uint32_t wanted; /* … namely this */
  seen_effect_type effect;
} choice;

static const choice MUTE = {SN_MUTED, SN_WANT_MUTE, SN_WANT_MUTED,
                            SEEN_EFFECT_MUTE};
static const choice PIN = {SN_PINNED, SN_WANT_PIN, SN_WANT_PINNED,
                           SEEN_EFFECT_PIN};

static bool value(const sn_conv *conv, const choice *by) {
  return sn_conv_has(conv, sn_conv_has(conv, by->want) ? by->wanted : by->said);
}

static void say(sn_conv *conv, const choice *by, bool on) {
  sn_conv_flag(conv, by->said, on);
  if (sn_conv_has(conv, by->wanted) == on) sn_conv_flag(conv, by->want, false);
}

void sn_settings_said(seen_engine *engine, sn_conv *conv,
                      const seen_settings *settings) {
  bool pinned = value(conv, &PIN);
  if (settings->has_muted) say(conv, &MUTE, settings->muted);
  if (settings->has_pinned) say(conv, &PIN, settings->pinned);
  if (value(conv, &PIN) != pinned) sn_engine_reorder(engine, conv);
}

static void send(seen_engine *engine, const sn_conv *conv, const choice *by) {
  if (engine->link && !sn_conv_silent(conv) && sn_conv_has(conv, by->want))
    sn_outbox_put(&engine->outbox, by->effect, conv->handle,
                  sn_conv_has(conv, by->wanted), 0);
}

static bool want(seen_engine *engine, sn_conv *conv, const choice *by,
                 bool on) {
  if (value(conv, by) == on || sn_conv_has(conv, SN_GONE)) return false;
  sn_conv_flag(conv, by->want, true);
  sn_conv_flag(conv, by->wanted, on);
  send(engine, conv, by);
  return true;
}

void sn_settings_mute(seen_engine *engine, sn_conv *conv, bool on) {
  want(engine, conv, &MUTE, on);
}

void sn_settings_pin(seen_engine *engine, sn_conv *conv, bool on) {
  if (want(engine, conv, &PIN, on)) sn_engine_reorder(engine, conv);
}

void sn_settings_send(seen_engine *engine, const sn_conv *conv) {
  send(engine, conv, &MUTE);
  send(engine, conv, &PIN);
}
