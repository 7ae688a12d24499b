/* The binary heap of <engine/timers.h>, ordered by (due, handle) or by id. */
#include "engine/timers.h"

#include <string.h>

#include "base/memory.h"

int sn_timers_reserve(const seen_allocator *memory, sn_timers *timers,
                      size_t total) {
  return SN_RESERVE(memory, &timers->items, &timers->capacity, total + 1);
}

static bool before(const sn_timer *a, const sn_timer *b) {
  if (a->id) return strcmp(a->id, b->id) < 0;
  return a->due != b->due ? a->due < b->due : a->conv < b->conv;
}

static void put(sn_timers *timers, size_t at, sn_timer timer) {
  timers->items[at] = timer;
  *timer.place = (uint32_t)at;
}

static void rise(sn_timers *timers, size_t at, sn_timer timer) {
  while (at > 1 && before(&timer, &timers->items[at / 2])) {
    put(timers, at, timers->items[at / 2]);
    at /= 2;
  }
  put(timers, at, timer);
}

static void sink(sn_timers *timers, size_t at, sn_timer timer) {
  for (;;) {
    size_t child = 2 * at;
    if (child > timers->count) break;
    if (child < timers->count &&
        before(&timers->items[child + 1], &timers->items[child]))
      child++;
    if (!before(&timers->items[child], &timer)) break;
    put(timers, at, timers->items[child]);
    at = child;
  }
  put(timers, at, timer);
}

static void take(sn_timers *timers, size_t at) {
  sn_timer last = timers->items[timers->count--];
  *timers->items[at].place = 0;
  if (at > timers->count) return;
  if (at > 1 && before(&last, &timers->items[at / 2]))
    rise(timers, at, last);
  else
    sink(timers, at, last);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): a timer writes its place. */
void sn_timers_set(sn_timers *timers, seen_conv conv, uint32_t *place,
                   uint64_t due) {
  size_t at = *place;
  if (due == SEEN_NEVER) {
    if (at) take(timers, at);
    return;
  }
  sn_timer timer = {due, conv, place, NULL};
  if (!at) {
    rise(timers, ++timers->count, timer);
  } else if (due < timers->items[at].due) {
    rise(timers, at, timer);
  } else if (due > timers->items[at].due) {
    sink(timers, at, timer);
  }
}

void sn_timers_put(sn_timers *timers, seen_conv conv, uint32_t *place,
                   const char *id) {
  rise(timers, ++timers->count, (sn_timer){0, conv, place, id});
}

seen_conv sn_timers_pop(sn_timers *timers) {
  seen_conv conv = timers->items[1].conv;
  take(timers, 1);
  return conv;
}

void sn_timers_free(const seen_allocator *memory, sn_timers *timers) {
  sn_release(memory, timers->items);
  *timers = (sn_timers){0};
}
