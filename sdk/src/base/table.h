/*
 * A hash table from a key that the caller keeps to a 32-bit value, 0 being no
 * value. It stores hash and value only, 8 bytes an entry at most 3/4 full; the
 * caller compares keys:
 *
 *   sn_probe probe;
 *   for (v = sn_table_first(t, hash, &probe); v; v = sn_table_next(t, &probe))
 *     if (key of v is the one) ...
 *
 * Entries are never removed one by one.
 */
#ifndef SN_BASE_TABLE_H
#define SN_BASE_TABLE_H

#include <seen/sys/alloc.h>

typedef struct sn_table_entry {
  uint32_t hash;
  uint32_t value;
} sn_table_entry;

typedef struct sn_table {
  sn_table_entry *entries; /* a power of two of them */
  uint32_t mask;           /* that power less one; 0: empty */
  uint32_t count;
} sn_table;

typedef struct sn_probe {
  uint32_t hash;
  uint32_t at;
} sn_probe;

/* Hashes bytes with a seed; no order of ids reaches a decision by it. */
uint32_t sn_hash_bytes(uint64_t seed, const void *bytes, size_t size);
uint32_t sn_hash_number(uint64_t seed, uint64_t number);

uint32_t sn_table_first(const sn_table *table, uint32_t hash, sn_probe *probe);
uint32_t sn_table_next(const sn_table *table, sn_probe *probe);

/* Room for `more` further entries: 0 or SEEN_ENOMEM with nothing changed. */
int sn_table_reserve(const seen_allocator *memory, sn_table *table,
                     size_t more);

/* Adds; room was reserved. The key must not be there. */
void sn_table_add(sn_table *table, uint32_t hash, uint32_t value);

void sn_table_clear(sn_table *table);
void sn_table_free(const seen_allocator *memory, sn_table *table);

#endif
