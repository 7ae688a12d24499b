/* What this device found out by itself, apart from what was said (U7). */
#ifndef SN_ENGINE_FOUND_H
#define SN_ENGINE_FOUND_H

#include "engine/conversation.h"

/* Room for dropping what `more` further uncountable runs say. */
int sn_found_reserve(const seen_allocator *memory, sn_facts *facts,
                     size_t more);

/* Drops what is said to be uncountable now: of one seq, or all there is. */
void sn_found_drop_seq(sn_facts *facts, uint64_t seq);
void sn_found_drop_said(sn_facts *facts);

/* The server's position passed `seq`; true where something went. */
bool sn_found_drop_passed(sn_facts *facts, uint64_t seq);

#endif
