/*
 * Memberships of one user in one conversation, the stretches of audience that
 * they make, and their text in the database:
 *
 *   excluded  "p5-9 d12-"            stretches of the latest period
 *   past      "1-20:15:18 p5-9;…"    join-leave:receipt:delivered of others
 */
#ifndef SERVER_PERIODS_H
#define SERVER_PERIODS_H

#include "core.h"

period *periods_latest(const member *self);
bool periods_is_present(const member *self);

/* Where a report up to `seq` counts (R3); NULL: nowhere. */
period *periods_holding(const member *self, uint64_t seq);

period *periods_begin(member *self, uint64_t join_seq);

/* The stretch that holds `seq` or comes after it; `whole`: receipts that are
 * off cut nothing. false: there is none. */
bool periods_stretch(const period *self, bool whole, uint64_t seq,
                     seen_run *stretch);

/* Cuts from `lo` on, until it is closed at `hi`. */
void periods_exclude(period *self, uint64_t lo, char why);
void periods_include(period *self, uint64_t hi, char why);

/* S7: how much of what was reached, a receipt or a delivered position, others
 * may know. */
uint64_t periods_public(const period *self, uint64_t reached);

/* Both ways; a text that can't be read is SEEN_ECORRUPT. */
void periods_write_excluded(const member *self, text *into);
void periods_write_past(const member *self, text *into);
int periods_read(member *self, const stored_member *from);

void periods_free(member *self);

#endif
