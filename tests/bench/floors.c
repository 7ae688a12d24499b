/* FNV-1a and linear probing, at most half full; ids are compared by bytes. */
#include "bench/floors.h"

#include <stdlib.h>
#include <string.h>

#include "engine/conversation.h"

struct floor_record {
  uint64_t last_seq;
  uint64_t unread;
  unsigned char rest[sizeof(sn_conv) - 2 * sizeof(uint64_t)];
};

static size_t slot_of(const floor_table *table, const char *id) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *id; id++)
    hash = (hash ^ (unsigned char)*id) * UINT64_C(0x100000001b3);
  return (size_t)(hash ^ hash >> 32) & table->mask;
}

void floor_table_make(floor_table *table, const char **ids, size_t count) {
  size_t size = 8;
  while (size < 2 * count)
    size *= 2;
  table->mask = size - 1;
  table->ids = ids;
  table->records = calloc(count + 1, sizeof *table->records);
  table->slots = calloc(size, sizeof *table->slots);
  if (!table->records || !table->slots) abort();
  for (size_t i = 0; i < count; i++) {
    size_t slot = slot_of(table, ids[i]);
    while (table->slots[slot])
      slot = (slot + 1) & table->mask;
    table->slots[slot] = (uint32_t)i + 1;
  }
}

void floor_table_free(floor_table *table) {
  free(table->records);
  free(table->slots);
}

void floor_update(floor_table *table, size_t record, uint64_t seq) {
  table->records[record].last_seq = seq;
  table->records[record].unread++;
}

void floor_update_by_id(floor_table *table, const char *id, uint64_t seq) {
  size_t slot = slot_of(table, id);
  while (strcmp(table->ids[table->slots[slot] - 1], id) != 0)
    slot = (slot + 1) & table->mask; /* it is there */
  floor_update(table, table->slots[slot] - 1, seq);
}
