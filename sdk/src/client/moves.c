/*
 * What is alike at both ends is left out. Of the rest, a longest run of rows
 * that keep their order stays (patience sorting, O(n log n)); every other row
 * goes, comes or moves, which is as few as there can be.
 *
 * Steps are applied to the list as it is then, so an index is how many rows
 * stand before it at that moment: a Fenwick tree over the old places counts
 * them. A row that has come to its new place stands just behind the one that
 * stays before it, so it is counted there.
 */
#include "client/moves.h"

#include <string.h>

#include "base/memory.h"

enum { NONE = 0 };

/* A row of the old list. */
typedef struct old_row {
  uint32_t place;    /* from 1, in the new list; NONE: it goes */
  uint32_t previous; /* old row before it in a run that rises, from 1 */
  bool stays;
} old_row;

typedef struct search {
  sn_rows before, after; /* without what is alike at the ends */
  size_t skipped;        /* of the beginning */
  old_row *old;          /* by index in `before` */
  uint32_t *from;        /* by index in `after`: old row, from 1; NONE: new */
  uint32_t *tops;        /* of runs by length: the old row that ends lowest */
  uint32_t *counts;      /* the Fenwick tree over old places, from 0 */
  seen_move *moves;
  size_t limit;
  size_t count;
} search;

static void trim(search *s) {
  while (s->before.count && s->after.count &&
         s->before.convs[0] == s->after.convs[0]) {
    s->before.convs++, s->before.count--;
    s->after.convs++, s->after.count--;
    s->skipped++;
  }
  while (s->before.count && s->after.count &&
         s->before.convs[s->before.count - 1] ==
             s->after.convs[s->after.count - 1])
    s->before.count--, s->after.count--;
}

static seen_conv highest(sn_rows rows, seen_conv least) {
  for (size_t i = 0; i < rows.count; i++)
    if (rows.convs[i] > least) least = rows.convs[i];
  return least;
}

/* Who stands where in the other list. */
static int match(search *s, const seen_allocator *memory) {
  size_t size = (size_t)highest(s->before, highest(s->after, 0)) + 1;
  uint32_t *place = sn_allocate_zero(memory, size * sizeof *place);
  if (!place) return SEEN_ENOMEM;
  for (size_t i = 0; i < s->after.count; i++)
    place[s->after.convs[i]] = (uint32_t)i + 1;
  for (size_t i = 0; i < s->before.count; i++) {
    uint32_t at = place[s->before.convs[i]];
    s->old[i].place = at;
    if (at) s->from[at - 1] = (uint32_t)i + 1;
  }
  sn_release(memory, place);
  return SEEN_OK;
}

/* The longest run that a row of this place can go on. */
static size_t length_before(const search *s, size_t longest, uint32_t place) {
  size_t low = 0, high = longest;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (s->old[s->tops[middle] - 1].place < place)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void choose_who_stays(search *s) {
  size_t longest = 0;
  for (size_t i = 0; i < s->before.count; i++) {
    if (s->old[i].place == NONE) continue;
    size_t length = length_before(s, longest, s->old[i].place);
    s->old[i].previous = length ? s->tops[length - 1] : NONE;
    s->tops[length] = (uint32_t)i + 1;
    if (length == longest) longest++;
  }
  for (uint32_t row = longest ? s->tops[longest - 1] : NONE; row != NONE;
       row = s->old[row - 1].previous)
    s->old[row - 1].stays = true;
}

/* The place before all old rows is the first of the tree, theirs follow. */
static void change_count(search *s, size_t place, uint32_t by) {
  for (size_t i = place + 1; i <= s->before.count + 1; i += i & (~i + 1))
    s->counts[i] += by;
}

/* How many rows are counted at this place or before. */
static size_t count_to(const search *s, size_t place) {
  size_t count = 0;
  for (size_t i = place + 1; i; i -= i & (~i + 1))
    count += s->counts[i];
  return count;
}

static void put(search *s, seen_move_type type, size_t from, size_t to,
                seen_conv conv) {
  if (s->count < s->limit) {
    seen_move *move = &s->moves[s->count];
    *move = (seen_move){.type = type, .conv = conv};
    if (type != SEEN_MOVE_INSERT) move->from = s->skipped + from;
    if (type != SEEN_MOVE_REMOVE) move->to = s->skipped + to;
  }
  s->count++;
}

/* From the end on: the index of a row is still its own. */
static void remove_rows(search *s) {
  for (size_t i = s->before.count; i-- > 0;) {
    if (s->old[i].place == NONE)
      put(s, SEEN_MOVE_REMOVE, i, 0, s->before.convs[i]);
    else
      change_count(s, i + 1, 1);
  }
}

static void place_rows(search *s) {
  size_t behind = 0; /* the old place of who stays before this row, from 1 */
  for (size_t i = 0; i < s->after.count; i++) {
    uint32_t row = s->from[i];
    if (row != NONE && s->old[row - 1].stays) {
      behind = row;
      continue;
    }
    if (row == NONE) {
      put(s, SEEN_MOVE_INSERT, 0, count_to(s, behind), s->after.convs[i]);
    } else {
      size_t from = count_to(s, row) - 1;
      change_count(s, row, (uint32_t)-1);
      put(s, SEEN_MOVE_MOVE, from, count_to(s, behind), s->after.convs[i]);
    }
    change_count(s, behind, 1);
  }
}

int sn_moves_find(sn_rows before, sn_rows after, seen_move *moves, size_t limit,
                  size_t *count, const seen_allocator *memory) {
  search s = {.before = before, .after = after, .moves = moves, .limit = limit};
  int status = SEEN_ENOMEM;
  trim(&s);
  size_t rows = s.before.count + 1;
  s.old = sn_allocate_zero(memory, rows * sizeof *s.old);
  s.from = sn_allocate_zero(memory, (s.after.count + 1) * sizeof *s.from);
  s.tops = sn_allocate_zero(memory, rows * sizeof *s.tops);
  s.counts = sn_allocate_zero(memory, (rows + 1) * sizeof *s.counts);
  if (s.old && s.from && s.tops && s.counts) status = match(&s, memory);
  if (!status) {
    choose_who_stays(&s);
    remove_rows(&s);
    place_rows(&s);
    *count = s.count;
  }
  sn_release(memory, s.old);
  sn_release(memory, s.from);
  sn_release(memory, s.tops);
  sn_release(memory, s.counts);
  return status;
}
