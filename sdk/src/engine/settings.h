/* Mute and pin: the server's word, and the person's until it agrees (V5). */
#ifndef SN_ENGINE_SETTINGS_H
#define SN_ENGINE_SETTINGS_H

#include "engine/core.h"

/* The server says how a row is set. */
void sn_settings_said(seen_engine *engine, sn_conv *conv,
                      const seen_settings *settings);

/* The person wants it muted (or not), pinned (or not). Room is reserved. */
void sn_settings_mute(seen_engine *engine, sn_conv *conv, bool on);
void sn_settings_pin(seen_engine *engine, sn_conv *conv, bool on);

/* Sends what the server has not said yet. */
void sn_settings_send(seen_engine *engine, const sn_conv *conv);

#endif
