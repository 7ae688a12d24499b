/*
 * A queue of conversations by when something of theirs is due, or by their
 * ids: a binary heap that knows where each conversation stands, so that a
 * time can change or go.
 */
#ifndef SN_ENGINE_TIMERS_H
#define SN_ENGINE_TIMERS_H

#include <seen/error.h>
#include <seen/sys/alloc.h>
#include <seen/types.h>

typedef struct sn_timer {
  uint64_t due;
  seen_conv conv;
  uint32_t *place; /* where the owner keeps its place; 0: not in the queue */
  const char *id;  /* what orders a queue by id; else NULL */
} sn_timer;

/* All zero is an empty queue. */
typedef struct sn_timers {
  sn_timer *items; /* from 1 */
  size_t capacity;
  size_t count;
} sn_timers;

/* Room for `total` conversations in all: 0 or SEEN_ENOMEM. */
int sn_timers_reserve(const seen_allocator *memory, sn_timers *timers,
                      size_t total);

/* Sets, moves or (SEEN_NEVER) takes away the time of a conversation. */
void sn_timers_set(sn_timers *timers, seen_conv conv, uint32_t *place,
                   uint64_t due);

/* Puts a conversation, which is not there, into a queue by id. */
void sn_timers_put(sn_timers *timers, seen_conv conv, uint32_t *place,
                   const char *id);

/* When the first is due; SEEN_NEVER where there is none. */
static inline uint64_t sn_timers_due(const sn_timers *timers) {
  return timers->count ? timers->items[1].due : SEEN_NEVER;
}

/* Takes the first out and returns it; there is one. */
seen_conv sn_timers_pop(sn_timers *timers);

void sn_timers_free(const seen_allocator *memory, sn_timers *timers);

#endif
