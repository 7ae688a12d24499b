/* How long to wait, at random. */
#ifndef SN_SESSION_WAITS_H
#define SN_SESSION_WAITS_H

#include "session/core.h"

uint64_t sn_random(sn_session *session);

/*
 * Full jitter: anything from 0 to the window, which doubles with each failure
 * (from 1 on) up to the longest.
 */
uint64_t sn_wait(sn_session *session, uint32_t failures);

/* The same for a window of `ms`. */
uint64_t sn_wait_within(sn_session *session, uint64_t ms);

/* `from` doubled `times` times, at most `most`. */
uint64_t sn_doubled(uint64_t from, uint32_t times, uint64_t most);

/* A time that much later; SEEN_NEVER stays. */
uint64_t sn_later(uint64_t time, uint64_t ms);

#endif
