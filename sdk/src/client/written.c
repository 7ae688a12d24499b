/* A row's share in the sums follows B4. */
#include "client/written.h"

#include <string.h>

#include "base/memory.h"

void sn_written_init(sn_written *written, const seen_allocator *memory) {
  *written = (sn_written){.memory = memory};
}

void sn_written_free(sn_written *written) {
  sn_release(written->memory, written->rows);
  sn_written_init(written, written->memory);
}

int sn_written_reserve(sn_written *written, seen_conv conv) {
  if (conv <= written->count) return SEEN_OK;
  if (SN_RESERVE(written->memory, &written->rows, &written->capacity, conv))
    return SEEN_ENOMEM;
  memset(written->rows + written->count, 0,
         (conv - written->count) * sizeof *written->rows);
  written->count = conv;
  return SEEN_OK;
}

sn_written_row *sn_written_at(const sn_written *written, seen_conv conv) {
  return &written->rows[conv - 1];
}

/* What a row adds to the totals. */
static seen_totals share_of(const sn_written_row *row) {
  seen_totals share = {0};
  if (!(row->flags & SN_WRITTEN_LISTED)) return share;
  share.mentions = row->mentions;
  if (row->flags & SN_WRITTEN_MUTED) {
    share.muted = row->unread;
  } else {
    share.unread = row->unread;
    share.conversations = row->unread || row->flags & SN_WRITTEN_MARKED;
  }
  return share;
}

static sn_written_row as_written(const seen_row *row) {
  return (sn_written_row){row->unread, row->mentions,
                          SN_WRITTEN_HELD |
                              (row->listed ? SN_WRITTEN_LISTED : 0u) |
                              (row->muted ? SN_WRITTEN_MUTED : 0u) |
                              (row->marked_unread ? SN_WRITTEN_MARKED : 0u)};
}

static void exchange(const sn_written_row *old, const sn_written_row *fresh,
                     sn_sums *sums) {
  seen_totals less = share_of(old), more = share_of(fresh);
  seen_totals *totals = &sums->totals;
  totals->unread += more.unread - less.unread;
  totals->conversations += more.conversations - less.conversations;
  totals->muted += more.muted - less.muted;
  totals->mentions += more.mentions - less.mentions;
  sums->records += (fresh->flags & SN_WRITTEN_HELD) != 0;
  sums->records -= (old->flags & SN_WRITTEN_HELD) != 0;
}

void sn_written_set(sn_written *written, seen_conv conv, const seen_row *row) {
  sn_written_row *place = sn_written_at(written, conv);
  uint32_t noted = place->flags & SN_WRITTEN_NOTED;
  sn_written_row fresh = {0};
  if (row) fresh = as_written(row);
  exchange(place, &fresh, &written->sums);
  *place = fresh;
  place->flags |= noted;
}

void sn_written_clear(sn_written *written) {
  for (size_t i = 0; i < written->count; i++)
    written->rows[i] =
        (sn_written_row){0, 0, written->rows[i].flags & SN_WRITTEN_NOTED};
  written->sums = (sn_sums){{0}, 0};
}
