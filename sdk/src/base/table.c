/*
 * Open addressing with linear probing. Ids are chosen by others, so bytes are
 * hashed by SipHash-1-3, for which nobody can find collisions who does not
 * know the seed.
 */
#include "base/table.h"

#include <string.h>

#include "base/memory.h"

/* Entries of the largest table: 2 GB, which a size_t of 32 bits holds. */
#define SIZE_LIMIT (UINT32_C(1) << 28)

typedef struct sip {
  uint64_t a, b, c, d;
} sip;

static uint64_t rotate(uint64_t x, int by) {
  return x << by | x >> (64 - by);
}

static void sip_round(sip *s) {
  s->a += s->b;
  s->c += s->d;
  s->b = rotate(s->b, 13) ^ s->a;
  s->d = rotate(s->d, 16) ^ s->c;
  s->a = rotate(s->a, 32);
  s->c += s->b;
  s->a += s->d;
  s->b = rotate(s->b, 17) ^ s->c;
  s->d = rotate(s->d, 21) ^ s->a;
  s->c = rotate(s->c, 32);
}

static void sip_word(sip *s, uint64_t word) {
  s->d ^= word;
  sip_round(s);
  s->a ^= word;
}

uint32_t sn_hash_bytes(uint64_t seed, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  sip s = {
      seed ^ UINT64_C(0x736f6d6570736575), seed ^ UINT64_C(0x646f72616e646f6d),
      seed ^ UINT64_C(0x6c7967656e657261), seed ^ UINT64_C(0x7465646279746573)};
  uint64_t word, last = (uint64_t)size << 56;
  size_t left;
  for (left = size; left >= 8; at += 8, left -= 8) {
    memcpy(&word, at, 8);
    sip_word(&s, word);
  }
  while (left-- > 0)
    last |= (uint64_t)at[left] << 8 * left;
  sip_word(&s, last);
  s.c ^= 0xff;
  sip_round(&s);
  sip_round(&s);
  sip_round(&s);
  word = s.a ^ s.b ^ s.c ^ s.d;
  return (uint32_t)(word ^ word >> 32);
}

uint32_t sn_hash_number(uint64_t seed, uint64_t number) {
  uint64_t x = number ^ (seed + UINT64_C(0x9e3779b97f4a7c15));
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)(x >> 32 ^ x >> 63);
}

static uint32_t find(const sn_table *table, sn_probe *probe) {
  const sn_table_entry *entry;
  for (;; probe->at = (probe->at + 1) & table->mask) {
    entry = &table->entries[probe->at];
    if (!entry->value || entry->hash == probe->hash) return entry->value;
  }
}

uint32_t sn_table_first(const sn_table *table, uint32_t hash, sn_probe *probe) {
  if (!table->entries) return 0;
  probe->hash = hash;
  probe->at = hash & table->mask;
  return find(table, probe);
}

uint32_t sn_table_next(const sn_table *table, sn_probe *probe) {
  probe->at = (probe->at + 1) & table->mask;
  return find(table, probe);
}

/* How many entries a table of a size may hold. */
static uint32_t limit(uint32_t size) {
  return size / 4 * 3;
}

static bool fits(const sn_table *table, size_t more) {
  uint32_t most = table->entries ? limit(table->mask + 1) : 0;
  return more <= most - table->count;
}

int sn_table_reserve(const seen_allocator *memory, sn_table *table,
                     size_t more) {
  sn_table grown = {NULL, 0, 0};
  uint32_t size = 8;
  uint32_t i;
  if (fits(table, more)) return SEEN_OK;
  if (more > limit(SIZE_LIMIT) - table->count) return SEEN_ENOMEM;
  while (limit(size) < table->count + more)
    size *= 2;
  grown.entries = sn_allocate_zero(memory, size * sizeof *grown.entries);
  if (!grown.entries) return SEEN_ENOMEM;
  grown.mask = size - 1;
  for (i = 0; table->entries && i <= table->mask; i++)
    if (table->entries[i].value)
      sn_table_add(&grown, table->entries[i].hash, table->entries[i].value);
  sn_table_free(memory, table);
  *table = grown;
  return SEEN_OK;
}

void sn_table_add(sn_table *table, uint32_t hash, uint32_t value) {
  uint32_t at = hash & table->mask;
  while (table->entries[at].value)
    at = (at + 1) & table->mask;
  table->entries[at].hash = hash;
  table->entries[at].value = value;
  table->count++;
}

void sn_table_clear(sn_table *table) {
  if (!table->entries) return;
  memset(table->entries, 0, (table->mask + (size_t)1) * sizeof *table->entries);
  table->count = 0;
}

void sn_table_free(const seen_allocator *memory, sn_table *table) {
  sn_release(memory, table->entries);
  memset(table, 0, sizeof *table);
}
