/* The server's word on a conversation: position and tally (U2, S4). */
#ifndef SN_ENGINE_WORD_H
#define SN_ENGINE_WORD_H

#include "engine/core.h"

/* Makes sn_word_adopt() unable to fail; `whole` where it may be told so. */
int sn_word_reserve(seen_engine *engine, sn_conv *conv, const seen_word *word,
                    bool whole);

/*
 * Takes the tally or drops it whole, and merges the position. `whole`: the
 * tally is the server's now, whatever its version.
 */
void sn_word_adopt(seen_engine *engine, sn_conv *conv, const seen_word *word,
                   bool whole);

/* The server's position replaces the one held: one of the ways down (S4). */
void sn_word_replace(seen_engine *engine, sn_conv *conv,
                     seen_position position);

#endif
