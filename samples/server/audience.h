/*
 * How many have read, received, could have: by rank queries, never by a walk
 * over members (R2, R3).
 *
 *   audience(s) = #{lo ≤ s} − #{hi < s}
 *   read(s)     = #{read ≥ s} − #{lo > s}     since read ≥ lo − 1 always
 *
 * over the stretches in which members are in the audience, the sender taken
 * off one by one.
 */
#ifndef SERVER_AUDIENCE_H
#define SERVER_AUDIENCE_H

#include "core.h"

typedef struct counts {
  uint64_t read;
  uint64_t audience;
  uint64_t delivered;
  uint64_t hidden; /* receipts are off, or were */
} counts;

/* What of one member is in the sums; nothing of a bot. */
void audience_put(conversation *conv, const member *of);
void audience_take(conversation *conv, const member *of);

/* A period's receipt or delivered rose from what they were. */
void audience_move(conversation *conv, const member *of, const period *moved,
                   uint64_t old_receipt, uint64_t old_delivered);

/* Of a message; `sender` may be NULL where they never were a member. */
counts audience_count(const conversation *conv, uint64_t seq,
                      const member *sender);

/* The same by a look at every member, for everybody's messages but nobody's:
 * what audience_count says with no sender. To check that by. */
counts audience_recount(const conversation *conv, uint64_t seq);

typedef enum reader_state {
  READER_OUTSIDE = 0, /* not in the audience, or hidden */
  READER_UNREAD,
  READER_DELIVERED,
  READER_READ
} reader_state;

/* What one member is to a message that somebody else sent. */
reader_state audience_state(const member *of, uint64_t seq);

void audience_free(audience *self);

#endif
