/*
 * What the person does with one conversation. Each reserves first; on
 * SEEN_ENOMEM nothing has changed.
 */
#ifndef SN_ENGINE_PERSON_H
#define SN_ENGINE_PERSON_H

#include "engine/core.h"

int sn_person_open(seen_engine *engine, sn_conv *conv);
int sn_person_visible(seen_engine *engine, sn_conv *conv, seen_run range);

/* Whether just these rows are on screen already, and dwell there. */
bool sn_person_sees(const sn_conv *conv, seen_run range);

int sn_person_close(seen_engine *engine, sn_conv *conv);
int sn_person_mark_read(seen_engine *engine, sn_conv *conv,
                        seen_optional_seq seq);
int sn_person_mark_unread(seen_engine *engine, sn_conv *conv,
                          seen_optional_seq target);
int sn_person_clear_mentions(seen_engine *engine, sn_conv *conv);
int sn_person_forget(seen_engine *engine, sn_conv *conv);
int sn_person_mute(seen_engine *engine, sn_conv *conv, bool on);
int sn_person_pin(seen_engine *engine, sn_conv *conv, bool on);

#endif
