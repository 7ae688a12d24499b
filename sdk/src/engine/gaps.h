/*
 * Seqs above the tally that did not come (U5): since when they are missed,
 * and when the conversation's row is to be asked for.
 */
#ifndef SN_ENGINE_GAPS_H
#define SN_ENGINE_GAPS_H

#include "engine/conversation.h"

/* How many seqs above the tally and above `seq` did not come. */
uint64_t sn_gaps_above(const sn_conv *conv, uint64_t seq);

/* Room for `more` further gaps and for what sn_gaps_new_link() may add. */
int sn_gaps_reserve(const seen_allocator *memory, sn_facts *facts, size_t more);

/* [lo, hi] shows as a gap now; nothing where lo > hi. Room was reserved. */
void sn_gaps_show(sn_conv *conv, uint64_t lo, uint64_t hi, uint64_t now);

/* A tally covers everything up to `last`. */
void sn_gaps_cover(sn_facts *facts, uint64_t last);

/* When the first gap not asked for becomes late; SEEN_NEVER: none does. */
uint64_t sn_gaps_due(sn_conv *conv, uint32_t wait);

/* Takes out what is late now; true where something of it is still a gap. */
bool sn_gaps_ask(sn_conv *conv, uint64_t now, uint32_t wait);

/* On a new link nothing was asked for: old gaps are late at once. */
void sn_gaps_new_link(sn_conv *conv);

#endif
