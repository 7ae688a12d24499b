/* Delivered positions: the highest live message of others (V5, V10). */
#ifndef SN_ENGINE_DELIVERED_H
#define SN_ENGINE_DELIVERED_H

#include "engine/core.h"

/* A message of somebody else arrived. */
void sn_delivered_rise(seen_engine *engine, sn_conv *conv, uint64_t seq);

/* Says it now, if no row of the server names it and this link has not. */
void sn_delivered_send(seen_engine *engine, sn_conv *conv);

/* A new link: nothing was said on it. */
void sn_delivered_new_link(sn_conv *conv);

/* When it is to be said, into the timers; there are facts. */
void sn_delivered_schedule(seen_engine *engine, sn_conv *conv);

/* Sends what is due: 0, or SEEN_ENOMEM with all of it still due. */
int sn_delivered_run(seen_engine *engine);

#endif
