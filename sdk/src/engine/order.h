/*
 * The list in display order (B3): pinned first, then updated_at falling, then
 * id by bytes. Rows stand in sorted blocks, so that a page is read straight
 * off and a row moves by a short copy. A row that is to move is only noted;
 * it moves when the list is read next, so a thousand messages are one move.
 */
#ifndef SN_ENGINE_ORDER_H
#define SN_ENGINE_ORDER_H

#include "engine/registry.h"

enum { SN_BLOCK = 256 };

typedef struct sn_block {
  seen_conv rows[SN_BLOCK];
} sn_block;

typedef struct sn_block_entry {
  uint32_t block;
  uint32_t count;
} sn_block_entry;

typedef struct sn_order {
  sn_block *blocks; /* in no order */
  size_t block_capacity;
  sn_block_entry *index; /* in order; behind them, the blocks not in use */
  size_t index_capacity;
  size_t used;  /* entries of the index that have rows */
  size_t count; /* rows */
  seen_conv *moved;
  size_t moved_capacity;
  size_t moved_count;
} sn_order;

/* Room for `total` conversations: 0 or SEEN_ENOMEM. */
int sn_order_reserve(const seen_allocator *memory, sn_order *order,
                     size_t total);

/* The row came, went, or what orders it changed; true if it was in place. */
bool sn_order_touch(sn_order *order, sn_conv *conv);

/* Puts in place what was touched. */
void sn_order_settle(sn_order *order, const sn_registry *registry);

/* Up to `limit` rows from `offset`; settled before. Returns how many. */
size_t sn_order_page(const sn_order *order, size_t offset, size_t limit,
                     seen_conv *rows);

/* Whether `a` stands before `b`. */
bool sn_order_before(const sn_conv *a, const sn_conv *b);

void sn_order_free(const seen_allocator *memory, sn_order *order);

#endif
