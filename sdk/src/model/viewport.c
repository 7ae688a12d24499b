/*
 * What a person can be said to see. Rows come from layout code of all kinds,
 * so whatever makes no sense is skipped and never fatal.
 */
#include <seen/viewport.h>

/* Whether a person can be said to see a row. Comparisons are written so that
 * an edge or a height that is no number makes them false. */
static bool is_visible(const seen_list_row *row, double height) {
  double top = row->top > 0 ? row->top : 0;
  double bottom = row->bottom < height ? row->bottom : height;
  double size = row->bottom - row->top;
  if (!(row->bottom > row->top) || !(bottom > top)) return false;
  if (row->bottom <= height) return true;
  return bottom - top >= (size < height ? size : height) / 2;
}

bool seen_viewport_range(const seen_list_row *rows, size_t count, double height,
                         seen_run *range) {
  size_t i;
  *range = (seen_run){0, 0};
  for (i = 0; i < count; i++) {
    uint64_t seq = rows[i].seq;
    if (!seq || !is_visible(&rows[i], height)) continue;
    if (!range->lo || seq < range->lo) range->lo = seq;
    if (seq > range->hi) range->hi = seq;
  }
  return range->lo != 0;
}
