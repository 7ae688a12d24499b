/* The sums over all rows, kept as rows change (B4). */
#ifndef SN_ENGINE_TOTALS_H
#define SN_ENGINE_TOTALS_H

#include "engine/conversation.h"

/*
 * Takes the row's old share out and puts its new one in. `unread` and
 * `mentions` become the row's caches.
 */
void sn_totals_update(seen_totals *totals, sn_conv *conv, uint64_t unread,
                      uint32_t mentions);

/* Adds a row's share as its caches say; for recounting. */
void sn_totals_add(seen_totals *totals, const sn_conv *conv);

bool sn_totals_equal(const seen_totals *a, const seen_totals *b);

#endif
