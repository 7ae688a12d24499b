/*
 * The bytes of a journal's file: a head with the file's number and a checksum,
 * which no library that packs lines in another way agrees with; then entries.
 * An entry is its size, the line's time and one (0: it has none), the packed
 * line, and a checksum. An entry of no size ends the file's beginning.
 */
#ifndef SN_CLIENT_ENTRIES_H
#define SN_CLIENT_ENTRIES_H

#include "base/text.h"

#define SN_HEAD_SIZE 20

void sn_head_add(sn_text *text, uint64_t number);

/* false: it is no head. */
bool sn_head_read(const uint8_t *bytes, size_t size, uint64_t *number);

typedef struct sn_entry {
  bool has_at;
  uint64_t at;
  const uint8_t *bytes; /* of the packed line */
  size_t size;          /* 0: the beginning ends */
} sn_entry;

/* Adds an entry to a file of that number; `text` is growing. */
void sn_entry_add(sn_text *text, uint64_t number, sn_entry entry);

/* Takes the entry at `*at`, which moves behind it; false where none is whole. */
bool sn_entry_next(const uint8_t **at, const uint8_t *end, uint64_t number,
                   sn_entry *entry);

#endif
