/*
 * What every change of a conversation ends with: the rules that follow a
 * position (P8), the recount, the totals, the timers and the notices.
 */
#ifndef SN_ENGINE_UPKEEP_H
#define SN_ENGINE_UPKEEP_H

#include "engine/core.h"

/* After a position, an answer or a person's act (P8). */
void sn_engine_settle(seen_engine *engine, sn_conv *conv);

/* Recounts, totals, timers, notices: after every change of a conversation. */
void sn_engine_refresh(seen_engine *engine, sn_conv *conv);

#endif
