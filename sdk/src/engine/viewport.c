/* V1: a list of stays, one for each time that rows came on screen. */
#include "engine/viewport.h"

#include "base/memory.h"

int sn_viewport_need(const seen_allocator *memory, sn_viewport **viewport) {
  if (*viewport) return SEEN_OK;
  *viewport = sn_allocate_zero(memory, sizeof **viewport);
  return *viewport ? SEEN_OK : SEEN_ENOMEM;
}

void sn_viewport_free(const seen_allocator *memory, sn_viewport *viewport) {
  if (!viewport) return;
  sn_release(memory, viewport->stays);
  sn_release(memory, viewport->spare);
  sn_release(memory, viewport);
}

int sn_viewport_reserve(const seen_allocator *memory, sn_viewport *viewport,
                        size_t stays) {
  size_t need = (stays > viewport->count ? stays : viewport->count) + 2;
  size_t spare = viewport->capacity;
  if (need <= viewport->capacity) return SEEN_OK;
  if (SN_RESERVE(memory, &viewport->spare, &spare, need)) return SEEN_ENOMEM;
  return SN_RESERVE(memory, &viewport->stays, &viewport->capacity, need);
}

static void add(sn_viewport *viewport, size_t *count, seen_stay stay) {
  seen_stay *last = *count ? &viewport->spare[*count - 1] : NULL;
  if (stay.rows.lo > stay.rows.hi) return;
  if (last && last->read == stay.read &&
      (stay.read || last->since == stay.since))
    last->rows.hi = stay.rows.hi; /* stays are adjacent */
  else
    viewport->spare[(*count)++] = stay;
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}
static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

void sn_viewport_show(sn_viewport *viewport, seen_run range, uint64_t now,
                      bool active) {
  if (active && sn_viewport_dwells(viewport, range)) return;
  size_t count = 0;
  uint64_t next = range.lo;
  viewport->range = range;
  if (!active || !range.lo) {
    viewport->count = 0;
    return;
  }
  for (size_t i = 0; i < viewport->count && next <= range.hi; i++) {
    seen_stay stay = viewport->stays[i];
    if (stay.rows.hi < range.lo || stay.rows.lo > range.hi) continue;
    stay.rows.lo = larger(stay.rows.lo, range.lo);
    stay.rows.hi = smaller(stay.rows.hi, range.hi);
    add(viewport, &count, (seen_stay){{next, stay.rows.lo - 1}, now, false});
    add(viewport, &count, stay);
    next = stay.rows.hi + 1;
  }
  add(viewport, &count, (seen_stay){{next, range.hi}, now, false});
  seen_stay *old = viewport->stays;
  viewport->stays = viewport->spare;
  viewport->spare = old;
  viewport->count = count;
}

void sn_viewport_restart(sn_viewport *viewport, uint64_t now, bool active) {
  viewport->count = 0;
  if (active && viewport->open && viewport->range.lo)
    viewport->stays[viewport->count++] =
        (seen_stay){viewport->range, now, false};
}

void sn_viewport_cut(sn_viewport *viewport, uint64_t last) {
  seen_run *range = &viewport->range;
  if (range->lo > last)
    *range = (seen_run){0, 0};
  else
    range->hi = smaller(range->hi, last);
  while (viewport->count && viewport->stays[viewport->count - 1].rows.lo > last)
    viewport->count--;
  if (viewport->count) {
    seen_stay *top = &viewport->stays[viewport->count - 1];
    top->rows.hi = smaller(top->rows.hi, last);
  }
}

void sn_viewport_close(sn_viewport *viewport) {
  viewport->open = viewport->blocked = false;
  viewport->range = (seen_run){0, 0};
  viewport->count = 0;
  viewport->first_unread = 0;
}
