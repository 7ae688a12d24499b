/*
 * The server's tally, and what came live above it (U1–U6): how much is
 * unread, and whether that is certain.
 */
#ifndef SN_ENGINE_TALLY_H
#define SN_ENGINE_TALLY_H

#include "engine/conversation.h"

/* A number of unread, and whether what is known leaves that one answer. */
typedef struct sn_unread {
  uint64_t count;
  bool exact;
} sn_unread;

/* Counts from positions and runs, O(log runs) (U1, U6). */
uint64_t sn_tally_unread(const sn_conv *conv);
sn_unread sn_tally_count(const sn_conv *conv);

/* Known to be uncountable: said by the server, live, or found (F3, U7). */
bool sn_tally_uncountable(const sn_conv *conv, uint64_t seq);
bool sn_tally_said_uncountable(const sn_conv *conv, uint64_t seq);

/* The lowest seq from `seq` on that is not known to be uncountable. */
uint64_t sn_tally_next_countable(const sn_conv *conv, uint64_t seq);

/* The highest seq at or below `seq` that is not; 0 where there is none. */
uint64_t sn_tally_previous_countable(const sn_conv *conv, uint64_t seq);

/* On from a read at `seq` through what is known to be uncountable (V1, P3). */
uint64_t sn_tally_read_through(const sn_conv *conv, uint64_t seq);

/* The lowest seq above the base that may be unread; 0: none is (B5). */
uint64_t sn_tally_first_unread(const sn_conv *conv);

/* Whether a word's tally replaces the one held (U2). */
bool sn_tally_is_newer(const sn_conv *conv, const seen_word *word);

/* Makes taking a word's tally unable to fail; a list needs facts. */
int sn_tally_reserve(const seen_allocator *memory, sn_conv *conv,
                     const seen_word *word);

/*
 * Takes a word's tally, whole (U2, U3). Returns false where the server's own
 * count is not what the client counts from the same tally (U8).
 */
bool sn_tally_take(sn_conv *conv, const seen_word *word, uint64_t now);

/* Whether a message is countable by itself (F2). */
bool sn_tally_counts(const seen_message *message);

/* The next message that came, and no more: it needs no facts and no room. */
bool sn_tally_is_next(const sn_conv *conv, const seen_message *message,
                      bool own);

/* It came, which is all; or what any other above the tally changes (U3). */
void sn_tally_add_next(sn_conv *conv, uint64_t seq);
void sn_tally_add_message(sn_conv *conv, const seen_message *message, bool own,
                          uint64_t now);
int sn_tally_reserve_message(const seen_allocator *memory, sn_conv *conv,
                             const seen_message *message);

/* [lo, hi], above the tally, came live; room was reserved. */
void sn_tally_came(sn_conv *conv, uint64_t lo, uint64_t hi);

#endif
