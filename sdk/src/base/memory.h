/*
 * Memory through the caller's allocator. Whatever may fail returns NULL or
 * SEEN_ENOMEM and leaves what was there.
 */
#ifndef SN_BASE_MEMORY_H
#define SN_BASE_MEMORY_H

#include <seen/error.h>
#include <seen/sys/alloc.h>

void *sn_allocate(const seen_allocator *memory, size_t size);
void *sn_allocate_zero(const seen_allocator *memory, size_t size);
void sn_release(const seen_allocator *memory, void *block);

/* A copy of `size` bytes with a NUL behind them. */
char *sn_copy_text(const seen_allocator *memory, const char *text, size_t size);

/*
 * Makes room for `need` items in a growing array; capacities grow by a quarter
 * or more, so that appending is amortised O(1). 0 or SEEN_ENOMEM; *items and
 * *capacity change only on success. Use SN_RESERVE.
 */
int sn_reserve(const seen_allocator *memory, void **items, size_t item_size,
               size_t *capacity, size_t need);

#define SN_RESERVE(memory, items, capacity, need)                              \
  ((need) <= *(capacity) ? SEEN_OK                                             \
                         : sn_reserve((memory), (void **)(items),              \
                                      sizeof **(items), (capacity), (need)))

#endif
