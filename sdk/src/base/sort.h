/*
 * Sorting in place without memory of its own, O(n log n) whatever the input.
 * Not stable: make the order total.
 */
#ifndef SN_BASE_SORT_H
#define SN_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>

typedef bool (*sn_less)(const void *a, const void *b, const void *user_data);

/* `item_size` is at most 64 bytes. */
void sn_sort(void *items, size_t count, size_t item_size, sn_less less,
             const void *user_data);

#endif
