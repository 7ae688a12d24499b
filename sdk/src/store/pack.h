/*
 * A record as bytes (docs/store.md has the layout). Short lists lie in the
 * first piece, with the numbers; a long one is cut into pieces of its own,
 * so that what did not change of it need not be written again.
 */
#ifndef SN_STORE_PACK_H
#define SN_STORE_PACK_H

#include "store/bytes.h"

#include <seen/sys/record.h>

/* The first byte of a first piece. */
#define SN_PACK_FORMAT 1

/* Lists up to this long lie in the first piece; longer ones in pieces of … */
#define SN_PACK_SHORT 32
#define SN_PACK_ITEMS 256

/* The lists of a record, in the order of their bytes: those that grow at
 * their end with each message come last, so that they move no other. */
typedef enum sn_list_name {
  SN_LIST_MEMBERS,
  SN_LIST_PEERS,
  SN_LIST_RECEIPTS,
  SN_LIST_UNCOUNTABLE,
  SN_LIST_LIVE,
  SN_LIST_FOUND,
  SN_LIST_CLEARED,
  SN_LIST_MENTIONS,
  SN_LIST_FOUND_MENTIONS,
  SN_LIST_NOTES,
  SN_LIST_SENDERS,
  SN_LISTS
} sn_list_name;

/* The numbers of a record, in the order of their bytes. */
#define SN_RECORD_NUMBERS(X)                                                   \
  X(read.epoch)                                                                \
  X(read.seq)                                                                  \
  X(read.high)                                                                 \
  X(last_seq)                                                                  \
  X(floor)                                                                     \
  X(join_seq)                                                                  \
  X(updated_at)                                                                \
  X(tally_version)                                                             \
  X(tally_last)                                                                \
  X(tally_from)                                                                \
  X(tally_base)                                                                \
  X(tally_counted)                                                             \
  X(delivered_here)                                                            \
  X(delivered_server)                                                          \
  X(wish_epoch)                                                                \
  X(wish_read)                                                                 \
  X(wish_shown)                                                                \
  X(mark.expected_epoch)                                                       \
  X(mark.expected_seq)                                                         \
  X(mark.target)                                                               \
  X(mark.op)                                                                   \
  X(acked_epoch)                                                               \
  X(acked_seq)                                                                 \
  X(own)

typedef struct sn_piece {
  const uint8_t *at;
  size_t size;
} sn_piece;

typedef struct sn_pack {
  sn_bytes bytes;
  size_t *ends; /* where each piece ends */
  size_t count; /* of pieces */
  size_t capacity;
} sn_pack;

void sn_pack_init(sn_pack *pack, const seen_allocator *memory);
void sn_pack_free(sn_pack *pack);

/* What a piece's sum is seeded with, so that none is taken for another. */
uint64_t sn_piece_seed(const char *id, size_t number);

/*
 * Replaces what was packed; lists longer than `most` become pieces of their
 * own. SEEN_ENOMEM, or SEEN_EINVAL for an id that is too long.
 */
int sn_pack_record(sn_pack *pack, const seen_record *record, size_t most);

sn_piece sn_pack_piece(const sn_pack *pack, size_t number);

#endif
