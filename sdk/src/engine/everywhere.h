/*
 * Inputs that concern every conversation: the app, the link, mark all as
 * read, another incarnation, audit. Each reserves first; on SEEN_ENOMEM
 * nothing has changed.
 */
#ifndef SN_ENGINE_EVERYWHERE_H
#define SN_ENGINE_EVERYWHERE_H

#include "engine/core.h"

int sn_everywhere_app(seen_engine *engine, bool foreground);
int sn_everywhere_focus(seen_engine *engine, bool focus);
int sn_everywhere_link(seen_engine *engine, bool up);
int sn_everywhere_hurry(seen_engine *engine);
int sn_everywhere_read_all(seen_engine *engine);
int sn_everywhere_server_reset(seen_engine *engine);
int sn_everywhere_snapshot_end(seen_engine *engine);

/* Recounts every cache and corrects what differs (U8). */
int sn_everywhere_audit(seen_engine *engine);

#endif
