/*
 * The last inputs, as bytes: a queue of pieces in one block of memory.
 */
#ifndef SN_CLIENT_RING_H
#define SN_CLIENT_RING_H

#include <seen/error.h>
#include <seen/sys/alloc.h>

typedef struct sn_ring {
  const seen_allocator *memory;
  uint8_t *block;
  size_t capacity;
  size_t head; /* where the oldest piece begins */
  size_t tail; /* where the next one will */
  size_t count;
} sn_ring;

typedef struct sn_noted {
  uint64_t at; /* when it happened */
  const uint8_t *bytes;
  size_t size;
} sn_noted;

void sn_ring_init(sn_ring *ring, const seen_allocator *memory);
void sn_ring_free(sn_ring *ring);

/* How many bytes its pieces take. */
size_t sn_ring_bytes(const sn_ring *ring);

/* 0, or SEEN_ENOMEM with nothing changed. */
int sn_ring_push(sn_ring *ring, sn_noted piece);

/* The piece at `*place`, which moves to the next one; 0 is the oldest's.
 * false: there is none. */
bool sn_ring_next(const sn_ring *ring, size_t *place, sn_noted *piece);

/* Drops the oldest one; there is one. */
void sn_ring_pop(sn_ring *ring);

#endif
