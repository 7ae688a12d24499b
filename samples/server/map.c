#include "map.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

static uint64_t seed = 0x9e3779b97f4a7c15;

void map_seed(uint64_t value) {
  seed = value;
}

static uint64_t mix(uint64_t value) {
  value ^= value >> 32;
  value *= 0xd6e8feb86659fd93;
  value ^= value >> 29;
  value *= 0xa0761d6478bd642f;
  return value ^ value >> 32;
}

static uint64_t hash_of(const char *key) {
  size_t length = strlen(key);
  uint64_t hash = mix(seed ^ length), word;
  for (; length >= sizeof word; key += sizeof word, length -= sizeof word) {
    memcpy(&word, key, sizeof word);
    hash = mix(hash ^ word ^ seed);
  }
  word = 0;
  memcpy(&word, key, length);
  return mix(hash ^ word ^ seed);
}

/* The slot that holds the key, or the empty one where it would go. */
static map_slot *slot_of(const map *self, const char *key, uint64_t hash) {
  size_t mask = self->capacity - 1, at = (size_t)hash & mask;
  while (self->slots[at].key && (self->slots[at].hash != hash ||
                                 strcmp(self->slots[at].key, key) != 0))
    at = (at + 1) & mask;
  return &self->slots[at];
}

void *map_get(const map *self, const char *key) {
  if (!self->count) return NULL;
  return slot_of(self, key, hash_of(key))->value;
}

static void grow(map *self) {
  map old = *self;
  self->capacity = old.capacity ? old.capacity * 2 : 8;
  self->slots = must_allocate(self->capacity, sizeof *self->slots);
  for (size_t i = 0; i < old.capacity; i++)
    if (old.slots[i].key)
      *slot_of(self, old.slots[i].key, old.slots[i].hash) = old.slots[i];
  free(old.slots);
}

void map_put(map *self, const char *key, void *value) {
  if ((self->count + 1) * 4 > self->capacity * 3) grow(self);
  uint64_t hash = hash_of(key);
  map_slot *slot = slot_of(self, key, hash);
  if (!slot->key) self->count++;
  *slot = (map_slot){key, value, hash};
}

/* What was pushed on by a collision moves back, so that no mark is needed. */
void map_remove(map *self, const char *key) {
  if (!self->count) return;
  map_slot *slot = slot_of(self, key, hash_of(key));
  if (!slot->key) return;
  size_t mask = self->capacity - 1, hole = (size_t)(slot - self->slots);
  for (size_t at = (hole + 1) & mask; self->slots[at].key;
       at = (at + 1) & mask) {
    size_t home = (size_t)self->slots[at].hash & mask;
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    self->slots[hole] = self->slots[at];
    hole = at;
  }
  self->slots[hole] = (map_slot){NULL, NULL, 0};
  self->count--;
}

void map_free(map *self) {
  free(self->slots);
  *self = (map){NULL, 0, 0};
}

void *map_next(const map *self, size_t *at) {
  while (*at < self->capacity) {
    const map_slot *slot = &self->slots[(*at)++];
    if (slot->key) return slot->value;
  }
  return NULL;
}
