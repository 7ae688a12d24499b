/* One's own membership: left, refused for good, forgotten (B4, S2, S5, S8). */
#ifndef SN_ENGINE_MEMBERSHIP_H
#define SN_ENGINE_MEMBERSHIP_H

#include "engine/core.h"

/* What was wished, cleared and opened here ends; nothing can fail. */
void sn_membership_end(seen_engine *engine, sn_conv *conv);

/* The row goes with all that it held; the id keeps its handle. */
void sn_membership_discard(seen_engine *engine, sn_conv *conv);

/* Likewise, and so does what was written of it. */
void sn_membership_forget(seen_engine *engine, sn_conv *conv);

/*
 * A snapshot of another incarnation: everything begins anew but what S2 keeps.
 */
void sn_membership_renew(seen_engine *engine, sn_conv *conv, uint64_t last);

#endif
