/*
 * What to send of positions, and when (P7, V3–V7): what is pending follows
 * from positions, nothing is queued.
 */
#ifndef SN_ENGINE_REPORTER_H
#define SN_ENGINE_REPORTER_H

#include "engine/core.h"

/* What a frame costs, in units of the bucket (V4). */
enum { SN_TOKEN = 1000 };

/* What goes next of a conversation. */
typedef enum sn_next { SN_NEXT_NOTHING, SN_NEXT_REPORT, SN_NEXT_MARK } sn_next;

sn_next sn_reporter_next(const sn_conv *conv);

/* Something is not the server's yet (V5). */
bool sn_reporter_pending(const sn_conv *conv);

/* Something but the open mark is neither the server's nor in flight. */
bool sn_reporter_unsent(const sn_conv *conv);

/* An advance, or a mention cleared, happened now (V3). */
void sn_reporter_touch(seen_engine *engine, sn_conv *conv);

/* What is unsent is due now; `pass_limit`: also without a token (V4). */
void sn_reporter_hurry(seen_engine *engine, sn_conv *conv, bool pass_limit);

/* Nothing is unsent any more. */
void sn_reporter_rest(seen_engine *engine, sn_conv *conv);

/* A wait that ended with nothing to be sent is over (V7). */
void sn_reporter_end_wait(seen_engine *engine, sn_conv *conv);

/* An answer other than rate_limited came; or that one (V7). */
void sn_reporter_answered(sn_conv *conv);
void sn_reporter_limited(seen_engine *engine, sn_conv *conv, uint64_t retry_ms);

/* On a new link nothing is in flight; without a link nothing waits. */
void sn_reporter_link(seen_engine *engine, sn_conv *conv, bool up);

/* When its next report or mark is due, into the timers; there is a reading. */
void sn_reporter_schedule(seen_engine *engine, sn_conv *conv);

/*
 * Room for what one conversation can have to send, and for all that waits
 * for a token: a frame that leaves without one takes it along (V4).
 */
int sn_reporter_reserve(seen_engine *engine, const sn_conv *conv);

/* When the next turn of reports is due. */
uint64_t sn_reporter_due(const seen_engine *engine);

/* Sends what is due: 0, or SEEN_ENOMEM with all of it still due. */
int sn_reporter_run(seen_engine *engine);

#endif
