/* Rows that are asked for because a gap stayed open (U5). */
#ifndef SN_ENGINE_FETCHES_H
#define SN_ENGINE_FETCHES_H

#include "engine/core.h"

/* When its row is to be asked for, into the timers; there are facts. */
void sn_fetches_schedule(seen_engine *engine, sn_conv *conv);

/* Asks for what is late: 0, or SEEN_ENOMEM with all of it still late. */
int sn_fetches_run(seen_engine *engine);

#endif
