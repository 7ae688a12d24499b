/*
 * Bytes as a record again. They come from a file that anything may have
 * happened to: each value is bounded before it is used, and what makes no
 * sense is refused whole.
 */
#ifndef SN_STORE_UNPACK_H
#define SN_STORE_UNPACK_H

#include "store/pack.h"

typedef struct sn_unpacked_list {
  char *items;
  size_t capacity; /* in bytes */
  size_t count;
} sn_unpacked_list;

/* The lists of the record that was unpacked last. */
typedef struct sn_unpack {
  const seen_allocator *memory;
  sn_unpacked_list lists[SN_LISTS];
} sn_unpack;

void sn_unpack_init(sn_unpack *unpack, const seen_allocator *memory);
void sn_unpack_free(sn_unpack *unpack);

/*
 * The record points at `id`, at the pieces and at lists of `unpack`.
 * SEEN_ECORRUPT where the pieces are not that id's record, SEEN_ENOMEM.
 */
int sn_unpack_record(sn_unpack *unpack, const char *id, const sn_piece *pieces,
                     size_t count, seen_record *record);

#endif
