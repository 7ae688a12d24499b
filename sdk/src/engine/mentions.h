/*
 * Open mentions (M1–M5): said ones and found ones, less what was cleared here.
 * `facts->open` is derived from the other sets and kept beside them.
 */
#ifndef SN_ENGINE_MENTIONS_H
#define SN_ENGINE_MENTIONS_H

#include "engine/conversation.h"

/*
 * Room for `said` and `found` further mentions and `blockers` further
 * uncountable runs, so that neither deriving the open ones nor clearing all
 * of them can fail. A conversation with mentions has a reading.
 */
int sn_mentions_reserve(const seen_allocator *memory, sn_conv *conv,
                        size_t said, size_t found, size_t blockers);

/* Derives the open mentions anew. */
void sn_mentions_derive(sn_conv *conv);

/* A live message or an edit mentions at `seq` (M1). */
void sn_mentions_say(sn_conv *conv, uint64_t seq, seen_mention_why why);

/* Shows the mention that was said or found at `seq` if nothing hides it. */
void sn_mentions_show(sn_conv *conv, uint64_t seq);

/* Whether a mention in [lo, hi] is open. */
bool sn_mentions_any(const sn_conv *conv, uint64_t lo, uint64_t hi);

/* Clears those in [lo, hi]: said ones are remembered (M4), found ones go. */
void sn_mentions_clear(sn_conv *conv, uint64_t lo, uint64_t hi);

/* A tally up to `last` was taken: what it no longer lists is forgotten. */
void sn_mentions_confirm(sn_conv *conv, uint64_t last);

/* Walks what no report clears by itself, run by run from `seq` on (M4). */
bool sn_mentions_next_named(const sn_conv *conv, uint64_t seq, seen_run *run);

/* Whether there is something to be sent by name, in flight or not. */
bool sn_mentions_named(const sn_conv *conv);

/* Whether something of it is not in flight. */
bool sn_mentions_unsent(const sn_conv *conv);

/* Puts all of it in flight. */
void sn_mentions_send(sn_conv *conv);

#endif
