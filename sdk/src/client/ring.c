/* Pieces one behind the other; room in front is used before more is asked. */
#include "client/ring.h"

#include <string.h>

#include "base/memory.h"

/* In front of each piece. */
typedef struct head {
  uint64_t at;
  size_t size;
} head;

void sn_ring_init(sn_ring *ring, const seen_allocator *memory) {
  *ring = (sn_ring){.memory = memory};
}

void sn_ring_free(sn_ring *ring) {
  sn_release(ring->memory, ring->block);
  sn_ring_init(ring, ring->memory);
}

size_t sn_ring_bytes(const sn_ring *ring) {
  return ring->tail - ring->head;
}

/* Moving costs no more than what was pushed since the last time. */
static void move_down(sn_ring *ring) {
  size_t bytes = sn_ring_bytes(ring);

  if (ring->head == 0 || ring->head < bytes) return;
  if (bytes > 0) memcpy(ring->block, ring->block + ring->head, bytes);
  ring->head = 0;
  ring->tail = bytes;
}

int sn_ring_push(sn_ring *ring, sn_noted piece) {
  const head before = {piece.at, piece.size};
  size_t need = sizeof before + piece.size;

  if (ring->capacity - ring->tail < need) move_down(ring);
  if (SN_RESERVE(ring->memory, &ring->block, &ring->capacity,
                 ring->tail + need))
    return SEEN_ENOMEM;
  memcpy(ring->block + ring->tail, &before, sizeof before);
  memcpy(ring->block + ring->tail + sizeof before, piece.bytes, piece.size);
  ring->tail += need;
  ring->count++;
  return SEEN_OK;
}

bool sn_ring_next(const sn_ring *ring, size_t *place, sn_noted *piece) {
  head before;

  if (*place == sn_ring_bytes(ring)) return false;
  memcpy(&before, ring->block + ring->head + *place, sizeof before);
  *place += sizeof before;
  *piece =
      (sn_noted){before.at, ring->block + ring->head + *place, before.size};
  *place += before.size;
  return true;
}

void sn_ring_pop(sn_ring *ring) {
  size_t place = 0;
  sn_noted piece;

  if (!sn_ring_next(ring, &place, &piece)) return;
  ring->head += place;
  ring->count--;
}
