/*
 * seen/viewport.h: from rows on screen to the seqs that are visible.
 */
#ifndef SEEN_VIEWPORT_H
#define SEEN_VIEWPORT_H

#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/**
 * One row of a message list. `top` and `bottom` are in the host's unit
 * (points, pixels), measured from the viewport's top edge downwards, so that
 * the viewport is 0 … height; rows above it have a negative top.
 */
typedef struct seen_list_row {
  uint64_t seq; /**< 0 for a separator or another row without a message */
  double top;
  double bottom;
} seen_list_row;

/**
 * The range of seqs that a person can be said to see.
 *
 * A row is visible when its bottom edge is inside the viewport, or at least
 * half of the row is, or, for a row taller than the viewport, at least half
 * the viewport is filled by it. Rows without a seq, rows of no height or with
 * a bottom above their top, and rows whose edges are no numbers are skipped.
 * Rows may come in any order. A list of 0 rows or a viewport of no height
 * shows nothing.
 *
 * Returns true and fills `range` with the lowest and the highest visible seq,
 * or false (and {0, 0}) when no message is visible.
 *
 * Thread: any. Ownership: the caller's. Offline: yes.
 */
SEEN_API bool seen_viewport_range(const seen_list_row *SEEN_NULLABLE rows,
                                  size_t count, double height, seen_run *range);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
