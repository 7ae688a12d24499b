/*
 * What is on screen and for how long: what counts as seen (V1, V9). One for
 * each conversation that is open.
 */
#ifndef SN_ENGINE_VIEWPORT_H
#define SN_ENGINE_VIEWPORT_H

#include <seen/error.h>
#include <seen/sys/alloc.h>
#include <seen/sys/working.h>
#include <seen/types.h>

typedef struct sn_viewport {
  seen_stay *stays; /* by rows; disjoint, within `range` */
  seen_stay *spare; /* the next list, while it is made */
  size_t count;
  size_t capacity;
  seen_run range;        /* on screen; 0, 0: nothing */
  seen_run subscribed;   /* asked for (R5); 0, 0: none */
  uint64_t first_unread; /* the divider, frozen (B5) */
  bool open;
  bool blocked; /* marked unread here: nothing is read until closed (V8) */
} sn_viewport;

/* Nothing is on screen or subscribed any more. */
static inline bool sn_viewport_ended(const sn_viewport *viewport) {
  return !viewport->open && !viewport->subscribed.lo;
}

int sn_viewport_need(const seen_allocator *memory, sn_viewport **viewport);
void sn_viewport_free(const seen_allocator *memory, sn_viewport *viewport);

/* Whether just these rows are on screen and dwell there. */
static inline bool sn_viewport_dwells(const sn_viewport *viewport,
                                      seen_run range) {
  return viewport->count && range.lo == viewport->range.lo &&
         range.hi == viewport->range.hi;
}

/* Room for the next sn_viewport_show(), and for `stays` of them at least. */
int sn_viewport_reserve(const seen_allocator *memory, sn_viewport *viewport,
                        size_t stays);

/*
 * `range` is on screen now (0, 0: nothing). Rows that stay keep their dwell;
 * where the app is not active nothing dwells (V9).
 */
void sn_viewport_show(sn_viewport *viewport, seen_run range, uint64_t now,
                      bool active);

/* Activity began (every row dwells anew) or ended (none does) (V9). */
void sn_viewport_restart(sn_viewport *viewport, uint64_t now, bool active);

/* Cuts off what a restored server does not have (S2). */
void sn_viewport_cut(sn_viewport *viewport, uint64_t last);

/* Nothing is open, nothing on screen; a subscription stays until it ends. */
void sn_viewport_close(sn_viewport *viewport);

/* When the next dwell ends; SEEN_NEVER: none does. */
static inline uint64_t sn_viewport_due(const sn_viewport *viewport,
                                       uint32_t dwell) {
  uint64_t due = SEEN_NEVER;
  for (size_t i = 0; i < viewport->count; i++) {
    const seen_stay *stay = &viewport->stays[i];
    if (!stay->read && stay->since + dwell < due) due = stay->since + dwell;
  }
  return due;
}

#endif
