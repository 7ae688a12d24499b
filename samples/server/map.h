/*
 * A hash map from text to pointers. Keys are borrowed: they live in what they
 * lead to. The hash is seeded, so that nobody picks names that collide.
 */
#ifndef SERVER_MAP_H
#define SERVER_MAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct map_slot {
  const char *key; /* NULL: empty */
  void *value;
  uint64_t hash;
} map_slot;

/* All zero is an empty map. */
typedef struct map {
  map_slot *slots;
  size_t count;
  size_t capacity; /* a power of two, or 0 */
} map;

void map_seed(uint64_t value); /* once, before any map is used */
void *map_get(const map *self, const char *key); /* NULL: none */
void map_put(map *self, const char *key, void *value);
void map_remove(map *self, const char *key);
void map_free(map *self); /* not what it leads to */

/* All values, in no order; `*at` begins with 0. NULL at the end. */
void *map_next(const map *self, size_t *at);

#endif
