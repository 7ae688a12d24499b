/*
 * Ids once, then handles: conversations in chunks that never move, found by a
 * hash of the id; people likewise, who are only their names.
 */
#ifndef SN_ENGINE_REGISTRY_H
#define SN_ENGINE_REGISTRY_H

#include "base/table.h"
#include "engine/conversation.h"

enum { SN_CHUNK_BITS = 5, SN_CHUNK = 1 << SN_CHUNK_BITS };

/* The longest id, in bytes. */
enum { SN_ID_MAX = 255 };

typedef struct sn_registry {
  sn_conv **chunks;
  size_t chunk_capacity;
  uint32_t count; /* handles are 1 … count */
  sn_table ids;
  char **users;
  size_t user_capacity;
  uint32_t user_count; /* likewise */
  sn_table user_ids;
  uint64_t seed;
} sn_registry;

static inline sn_conv *sn_registry_at(const sn_registry *registry,
                                      seen_conv conv) {
  return &registry->chunks[conv >> SN_CHUNK_BITS][conv & (SN_CHUNK - 1)];
}

/* The handle of an id, 0 where it has none. */
seen_conv sn_registry_find(const sn_registry *registry, const char *id);

/* Gives an id, of `size` bytes, that has none a handle; 0: no memory. */
seen_conv sn_registry_add(const seen_allocator *memory, sn_registry *registry,
                          const char *id, size_t size);

/* A person's handle, 0 where there is none; or a new one, 0: no memory. */
uint32_t sn_registry_user(const sn_registry *registry, const char *name);
uint32_t sn_registry_need_user(const seen_allocator *memory,
                               sn_registry *registry, const char *name);

static inline const char *sn_registry_user_name(const sn_registry *registry,
                                                uint32_t user) {
  return registry->users[user];
}

void sn_registry_free(const seen_allocator *memory, sn_registry *registry);

#endif
