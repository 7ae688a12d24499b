/* Interned ids of conversations and people. */
#include "engine/registry.h"

#include <string.h>

#include "base/memory.h"

static uint32_t hash_of(const sn_registry *registry, const char *id,
                        size_t size) {
  return sn_hash_bytes(registry->seed, id, size);
}

seen_conv sn_registry_find(const sn_registry *registry, const char *id) {
  sn_probe probe;
  uint32_t hash = hash_of(registry, id, strlen(id));
  seen_conv conv = sn_table_first(&registry->ids, hash, &probe);
  while (conv && strcmp(sn_registry_at(registry, conv)->id, id) != 0)
    conv = sn_table_next(&registry->ids, &probe);
  return conv;
}

static int need_chunk(const seen_allocator *memory, sn_registry *registry,
                      size_t chunk) {
  size_t had = registry->chunk_capacity;
  if (SN_RESERVE(memory, &registry->chunks, &registry->chunk_capacity,
                 chunk + 1))
    return SEEN_ENOMEM;
  for (size_t i = had; i < registry->chunk_capacity; i++)
    registry->chunks[i] = NULL;
  if (!registry->chunks[chunk])
    registry->chunks[chunk] =
        sn_allocate_zero(memory, SN_CHUNK * sizeof(sn_conv));
  return registry->chunks[chunk] ? SEEN_OK : SEEN_ENOMEM;
}

seen_conv sn_registry_add(const seen_allocator *memory, sn_registry *registry,
                          const char *id, size_t size) {
  seen_conv handle = registry->count + 1;
  if (need_chunk(memory, registry, handle >> SN_CHUNK_BITS) ||
      sn_table_reserve(memory, &registry->ids, 1))
    return 0;
  char *copy = sn_copy_text(memory, id, size);
  if (!copy) return 0;
  registry->count = handle;
  sn_conv *conv = sn_registry_at(registry, handle);
  *conv = (sn_conv){.id = copy, .handle = handle, .join_seq = 1};
  sn_table_add(&registry->ids, hash_of(registry, id, size), handle);
  return handle;
}

uint32_t sn_registry_user(const sn_registry *registry, const char *name) {
  sn_probe probe;
  uint32_t hash = hash_of(registry, name, strlen(name));
  uint32_t user = sn_table_first(&registry->user_ids, hash, &probe);
  while (user && strcmp(registry->users[user], name) != 0)
    user = sn_table_next(&registry->user_ids, &probe);
  return user;
}

uint32_t sn_registry_need_user(const seen_allocator *memory,
                               sn_registry *registry, const char *name) {
  uint32_t user = sn_registry_user(registry, name);
  size_t size = strlen(name);
  if (user) return user;
  if (SN_RESERVE(memory, &registry->users, &registry->user_capacity,
                 (size_t)registry->user_count + 2) ||
      sn_table_reserve(memory, &registry->user_ids, 1))
    return 0;
  char *copy = sn_copy_text(memory, name, size);
  if (!copy) return 0;
  user = ++registry->user_count;
  registry->users[user] = copy;
  sn_table_add(&registry->user_ids, hash_of(registry, name, size), user);
  return user;
}

void sn_registry_free(const seen_allocator *memory, sn_registry *registry) {
  for (seen_conv conv = 1; conv <= registry->count; conv++) {
    sn_conv *gone = sn_registry_at(registry, conv);
    sn_conv_free_parts(memory, gone);
    sn_release(memory, gone->id);
  }
  for (size_t i = 0; i < registry->chunk_capacity; i++)
    sn_release(memory, registry->chunks[i]);
  for (uint32_t user = 1; user <= registry->user_count; user++)
    sn_release(memory, registry->users[user]);
  sn_release(memory, registry->chunks);
  sn_release(memory, registry->users);
  sn_table_free(memory, &registry->ids);
  sn_table_free(memory, &registry->user_ids);
}
