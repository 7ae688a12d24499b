/*
 * Sorted blocks of handles. Two neighbours always hold more than half a block
 * together, so the blocks in use are bounded by the rows.
 */
#include "engine/order.h"

#include <string.h>

#include "base/memory.h"

int sn_order_reserve(const seen_allocator *memory, sn_order *order,
                     size_t total) {
  size_t had = order->block_capacity, need = 4 * total / SN_BLOCK + 3;
  if (SN_RESERVE(memory, &order->moved, &order->moved_capacity, total) ||
      SN_RESERVE(memory, &order->index, &order->index_capacity, need))
    return SEEN_ENOMEM;
  if (need <= had) return SEEN_OK;
  if (order->index_capacity > need) need = order->index_capacity;
  if (SN_RESERVE(memory, &order->blocks, &order->block_capacity, need))
    return SEEN_ENOMEM;
  if (order->block_capacity > order->index_capacity)
    order->block_capacity = order->index_capacity;
  for (size_t i = had; i < order->block_capacity; i++)
    order->index[i] = (sn_block_entry){(uint32_t)i, 0};
  return SEEN_OK;
}

bool sn_order_before(const sn_conv *a, const sn_conv *b) {
  bool a_pinned = sn_conv_pinned(a), b_pinned = sn_conv_pinned(b);
  if (a_pinned != b_pinned) return a_pinned;
  if (a->updated_at != b->updated_at) return a->updated_at > b->updated_at;
  return strcmp(a->id, b->id) < 0;
}

bool sn_order_touch(sn_order *order, sn_conv *conv) {
  if (sn_conv_has(conv, SN_MOVED)) return false;
  sn_conv_flag(conv, SN_MOVED, true);
  order->moved[order->moved_count++] = conv->handle;
  return true;
}

static seen_conv *rows_of(const sn_order *order, size_t at) {
  return order->blocks[order->index[at].block].rows;
}

static size_t place_of_block(const sn_order *order, uint32_t block) {
  size_t at = 0;
  while (order->index[at].block != block)
    at++;
  return at;
}

/* Takes the entry at `at` out; its block joins those not in use. */
static void drop_entry(sn_order *order, size_t at) {
  sn_block_entry entry = order->index[at];
  order->used--;
  memmove(order->index + at, order->index + at + 1,
          (order->used - at) * sizeof *order->index);
  order->index[order->used] = (sn_block_entry){entry.block, 0};
}

/* Puts an empty block in at `at`. */
static void open_entry(sn_order *order, size_t at) {
  sn_block_entry entry = order->index[order->used];
  memmove(order->index + at + 1, order->index + at,
          (order->used - at) * sizeof *order->index);
  order->index[at] = (sn_block_entry){entry.block, 0};
  order->used++;
}

/* Moves the rows from `from` on of one entry's block behind another's. */
static void carry(sn_order *order, const sn_registry *registry, size_t source,
                  size_t from, size_t target) {
  sn_block_entry *a = &order->index[source], *b = &order->index[target];
  size_t count = a->count - from;
  seen_conv *rows = rows_of(order, target) + b->count;
  memcpy(rows, rows_of(order, source) + from, count * sizeof *rows);
  for (size_t i = 0; i < count; i++)
    sn_registry_at(registry, rows[i])->block = b->block;
  a->count -= (uint32_t)count;
  b->count += (uint32_t)count;
}

/* Joins the entry with the one before it where both are small. */
static bool join(sn_order *order, const sn_registry *registry, size_t at) {
  if (at == 0 || at >= order->used ||
      order->index[at - 1].count + order->index[at].count > SN_BLOCK / 2)
    return false;
  carry(order, registry, at, 0, at - 1);
  drop_entry(order, at);
  return true;
}

static void take(sn_order *order, const sn_registry *registry,
                 const sn_conv *conv) {
  size_t at = place_of_block(order, conv->block), row = 0;
  seen_conv *rows = rows_of(order, at);
  while (rows[row] != conv->handle)
    row++;
  uint32_t left = --order->index[at].count;
  memmove(rows + row, rows + row + 1, (left - row) * sizeof *rows);
  order->count--;
  if (left == 0)
    drop_entry(order, at);
  else if (!join(order, registry, at))
    join(order, registry, at + 1);
}

/* The entry whose block the row belongs in. */
static size_t find_entry(const sn_order *order, const sn_registry *registry,
                         const sn_conv *conv) {
  size_t lo = 0, hi = order->used;
  while (hi - lo > 1) {
    size_t mid = lo + (hi - lo) / 2;
    if (sn_order_before(conv, sn_registry_at(registry, *rows_of(order, mid))))
      hi = mid;
    else
      lo = mid;
  }
  return lo;
}

static size_t find_row(const sn_order *order, const sn_registry *registry,
                       size_t at, const sn_conv *conv) {
  const seen_conv *rows = rows_of(order, at);
  size_t lo = 0, hi = order->index[at].count;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (sn_order_before(conv, sn_registry_at(registry, rows[mid])))
      hi = mid;
    else
      lo = mid + 1;
  }
  return lo;
}

static void put(sn_order *order, const sn_registry *registry, sn_conv *conv) {
  if (order->used == 0) open_entry(order, 0);
  size_t at = find_entry(order, registry, conv);
  size_t row = find_row(order, registry, at, conv);
  if (order->index[at].count == SN_BLOCK) {
    open_entry(order, at + 1);
    carry(order, registry, at, SN_BLOCK / 2, at + 1);
    if (row > SN_BLOCK / 2) {
      at++;
      row -= SN_BLOCK / 2;
    }
  }
  sn_block_entry *entry = &order->index[at];
  seen_conv *rows = rows_of(order, at);
  memmove(rows + row + 1, rows + row, (entry->count - row) * sizeof *rows);
  rows[row] = conv->handle;
  entry->count++;
  conv->block = entry->block;
  order->count++;
}

void sn_order_settle(sn_order *order, const sn_registry *registry) {
  for (size_t i = 0; i < order->moved_count; i++) {
    sn_conv *conv = sn_registry_at(registry, order->moved[i]);
    if (sn_conv_has(conv, SN_LISTED)) take(order, registry, conv);
    sn_conv_flag(conv, SN_LISTED | SN_MOVED, false);
  }
  for (size_t i = 0; i < order->moved_count; i++) {
    sn_conv *conv = sn_registry_at(registry, order->moved[i]);
    if (!sn_conv_shown_in_list(conv)) continue;
    put(order, registry, conv);
    sn_conv_flag(conv, SN_LISTED, true);
  }
  order->moved_count = 0;
}

size_t sn_order_page(const sn_order *order, size_t offset, size_t limit,
                     seen_conv *rows) {
  size_t count = 0, at = 0;
  while (at < order->used && offset >= order->index[at].count)
    offset -= order->index[at++].count;
  for (; at < order->used && count < limit; at++, offset = 0) {
    size_t part = order->index[at].count - offset;
    if (part > limit - count) part = limit - count;
    memcpy(rows + count, rows_of(order, at) + offset, part * sizeof *rows);
    count += part;
  }
  return count;
}

void sn_order_free(const seen_allocator *memory, sn_order *order) {
  sn_release(memory, order->blocks);
  sn_release(memory, order->index);
  sn_release(memory, order->moved);
}
