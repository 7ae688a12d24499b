/*
 * seen/position.h: the algebra of positions, for clients and servers alike.
 *
 * Pure functions on values; a server in C can link this and have the rules of
 * section 2 of docs/semantics.md as the client has them.
 */
#ifndef SEEN_POSITION_H
#define SEEN_POSITION_H

#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** How a position took what was said to it. */
typedef enum seen_verdict {
  SEEN_ADVANCED = 0,         /**< the position changed */
  SEEN_UNCHANGED = 1,        /**< it said nothing new */
  SEEN_EPOCH_AHEAD = 2,      /**< refused: an epoch not made yet (P2) */
  SEEN_SEQ_OUT_OF_RANGE = 3, /**< refused: above the last seq (P3) */
  SEEN_CONFLICT = 4,         /**< refused: a concurrent read stands (P4) */
  SEEN_TARGET_INVALID = 5    /**< refused: the target is not below (P4) */
} seen_verdict;

/**
 * Orders by (epoch, seq) (P1): below 0, 0 or above 0 as `a` is older than,
 * the same as or newer than `b`. `high` takes no part.
 *
 * Thread: any. Ownership: values. Offline: yes.
 */
SEEN_API int seen_position_compare(seen_position a, seen_position b);

/**
 * The newer of two (P1); `a` where neither is. Commutative (up to `high` of
 * equals), associative, idempotent.
 *
 * Thread: any. Ownership: values. Offline: yes.
 */
SEEN_API seen_position seen_position_merge(seen_position a, seen_position b);

/**
 * Applies a report `(epoch, seq)` (P2, P3).
 *
 * `last_seq` is the last seq visible to the user; a client, which clamps,
 * passes SEEN_SEQ_MAX. Returns SEEN_ADVANCED, SEEN_UNCHANGED, or a refusal
 * (SEEN_EPOCH_AHEAD, SEEN_SEQ_OUT_OF_RANGE) that changes nothing.
 *
 * Thread: any, one at a time a position. Ownership: the caller's.
 * Offline: yes.
 */
SEEN_API seen_verdict seen_position_report(seen_position *position,
                                           uint64_t epoch, uint64_t seq,
                                           uint64_t last_seq);

/**
 * Applies a mark as unread by compare-and-set (P4): `expected` first as a
 * report, then, if the position now is `expected`, a rollback to `target` in
 * the next epoch.
 *
 * Returns SEEN_ADVANCED when rolled back; SEEN_CONFLICT when a concurrent
 * read stands (what `expected` reported is kept); SEEN_TARGET_INVALID,
 * SEEN_EPOCH_AHEAD or SEEN_SEQ_OUT_OF_RANGE with nothing changed. That the
 * target is not below the floor is the caller's to see to.
 *
 * Thread: any, one at a time a position. Ownership: the caller's.
 * Offline: yes.
 */
SEEN_API seen_verdict seen_position_mark_unread(seen_position *position,
                                                uint64_t expected_epoch,
                                                uint64_t expected_seq,
                                                uint64_t target,
                                                uint64_t last_seq);

/**
 * The position of a member who was added again (P5): the next epoch, read up
 * to `last_seq`.
 *
 * Thread: any. Ownership: values. Offline: yes.
 */
SEEN_API seen_position seen_position_rejoin(seen_position position,
                                            uint64_t last_seq);

/**
 * What others see of a reader (P9): the larger of `seq` and `high`.
 *
 * Thread: any. Ownership: values. Offline: yes.
 */
SEEN_API uint64_t seen_position_receipt(seen_position position);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
