/* What a person reads and clears here (P6, M3, V1, V3). */
#ifndef SN_ENGINE_READING_H
#define SN_ENGINE_READING_H

#include "engine/core.h"

/* Which mentions a read clears (M3). */
typedef enum sn_clears {
  SN_CLEARS_PASSED, /* those between the old position and the new */
  SN_CLEARS_UP_TO,  /* by name: every one up to the new position */
  SN_CLEARS_NOTHING /* mark all as read: reminders stay */
} sn_clears;

/* A read up to `seq`; true if it changed something. There is a reading. */
bool sn_read_to(seen_engine *engine, sn_conv *conv, uint64_t seq,
                sn_clears clears);

/* Clears the open mentions in [lo, hi]; true if there were any. */
bool sn_read_clear(seen_engine *engine, sn_conv *conv, uint64_t lo,
                   uint64_t hi);

/* A read by name, due at once (V3). */
void sn_read_by_name(seen_engine *engine, sn_conv *conv, uint64_t seq);

/* When the next dwell ends. */
uint64_t sn_read_due(const seen_engine *engine);

/* Reads what was on screen long enough. */
void sn_read_run(seen_engine *engine);

#endif
