/*
 * What a store holds of each conversation's numbers, and their sum: the
 * totals of what is written, which may lag behind the engine's (B4, S6).
 */
#ifndef SN_CLIENT_WRITTEN_H
#define SN_CLIENT_WRITTEN_H

#include <seen/sys/alloc.h>
#include <seen/sys/store.h>

enum {
  SN_WRITTEN_HELD = 1u << 0, /* the store has a record */
  SN_WRITTEN_LISTED = 1u << 1,
  SN_WRITTEN_MUTED = 1u << 2,
  SN_WRITTEN_MARKED = 1u << 3,
  SN_WRITTEN_NOTED = 1u << 4 /* to be written again */
};

typedef struct sn_written_row {
  uint64_t unread;
  uint64_t mentions;
  uint32_t flags; /* SN_WRITTEN_… */
} sn_written_row;

typedef struct sn_sums {
  seen_totals totals;
  uint64_t records;
} sn_sums;

typedef struct sn_written {
  const seen_allocator *memory;
  sn_written_row *rows; /* by handle, from 1 */
  size_t count;
  size_t capacity;
  sn_sums sums;
} sn_written;

void sn_written_init(sn_written *written, const seen_allocator *memory);
void sn_written_free(sn_written *written);

/* Room for handles up to this one: 0 or SEEN_ENOMEM. */
int sn_written_reserve(sn_written *written, seen_conv conv);

/* The row of a handle for which there is room. */
sn_written_row *sn_written_at(const sn_written *written, seen_conv conv);

/* Another row is in the store now; NULL: no record is. */
void sn_written_set(sn_written *written, seen_conv conv, const seen_row *row);

/* The store holds nothing any longer. */
void sn_written_clear(sn_written *written);

#endif
