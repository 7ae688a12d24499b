/*
 * What is stored although it can be derived: each row's numbers and the
 * totals. Others show them as they are, so each carries a sum of itself.
 */
#include "base/fail.h"
#include "store/sqlite.h"

#include <string.h>

enum {
  SHOWS_BADGE = 3, /* a seen_badge_kind */
  SHOWS_EXACT = 1 << 2,
  SHOWS_MUTED = 1 << 3,
  SHOWS_MARKED = 1 << 4,
  SHOWS_LISTED = 1 << 5,
  SHOWS_BITS = 8 /* above them: the sum */
};

enum { SUMMED_MOST = 5 };

static uint64_t add_numbers(uint64_t sum, const uint64_t *numbers,
                            size_t count) {
  uint8_t bytes[8 * SUMMED_MOST];
  for (size_t i = 0; i < 8 * count; i++)
    bytes[i] = (uint8_t)(numbers[i / 8] >> (8 * (i % 8)));
  return sn_sum(sum, bytes, 8 * count);
}

static uint64_t add_text(uint64_t sum, const char *text) {
  return sn_sum(sum, text, strlen(text));
}

/* As SQLite keeps integers. */
static sqlite3_int64 kept(uint64_t sum) {
  return (sqlite3_int64)(sum >> 1);
}

uint64_t sn_row_shows(const char *id, const seen_row *row) {
  uint64_t flags = (uint64_t)row->badge | (row->exact ? SHOWS_EXACT : 0u) |
                   (row->muted ? SHOWS_MUTED : 0u) |
                   (row->marked_unread ? SHOWS_MARKED : 0u) |
                   (row->listed ? SHOWS_LISTED : 0u);
  const uint64_t numbers[] = {flags, row->unread, row->mentions};
  uint64_t sum = add_numbers(add_text(0, id), numbers, 3);
  return flags | (uint64_t)(uint32_t)sum << SHOWS_BITS;
}

bool sn_row_read(const char *id, sqlite3_int64 unread, sqlite3_int64 mentions,
                 sqlite3_int64 shows, seen_row *row) {
  *row = (seen_row){.size = sizeof *row,
                    .unread = (uint64_t)unread,
                    .mentions = (uint64_t)mentions,
                    .badge = (seen_badge_kind)(shows & SHOWS_BADGE),
                    .exact = (shows & SHOWS_EXACT) != 0,
                    .muted = (shows & SHOWS_MUTED) != 0,
                    .marked_unread = (shows & SHOWS_MARKED) != 0,
                    .listed = (shows & SHOWS_LISTED) != 0};
  return row->badge <= SEEN_BADGE_DOT_KIND &&
         sn_row_shows(id, row) == (uint64_t)shows;
}

sqlite3_int64 sn_totals_sum(const seen_totals *totals, uint64_t records) {
  const uint64_t numbers[] = {totals->unread, totals->conversations,
                              totals->muted, totals->mentions, records};
  return kept(add_numbers(0, numbers, 5));
}

sqlite3_int64 sn_meta_sum(const seen_meta *meta) {
  uint64_t sum = add_text(0, meta->user);
  sum = add_text(sum, meta->device);
  sum = add_text(sum, meta->incarnation);
  return kept(add_numbers(sum, &meta->version, 1));
}

static uint64_t column(sqlite3_stmt *statement, int number) {
  return (uint64_t)sqlite3_column_int64(statement, number);
}

/* A row that was never written has no sum and is all zero. */
static bool totals_hold(sqlite3_stmt *statement, seen_totals *totals,
                        uint64_t *records) {
  *totals = (seen_totals){column(statement, 0), column(statement, 1),
                          column(statement, 2), column(statement, 3)};
  *records = column(statement, 4);
  if (sqlite3_column_type(statement, 5) == SQLITE_NULL)
    return !totals->unread && !totals->conversations && !totals->muted &&
           !totals->mentions && !*records;
  return sqlite3_column_int64(statement, 5) == sn_totals_sum(totals, *records);
}

static int read_totals(sqlite3_stmt *statement, seen_totals *totals,
                       uint64_t *records, seen_error *error) {
  sqlite3 *database = sqlite3_db_handle(statement);
  int code = sqlite3_step(statement);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    return sn_sqlite_fail(database, code, "can't read the totals", error);
  if (code == SQLITE_ROW && totals_hold(statement, totals, records))
    return SEEN_OK;
  return sn_fail(error, SEEN_ECORRUPT, "the totals make no sense");
}

int sn_totals_read(sqlite3 *database, seen_totals *totals, uint64_t *records,
                   seen_error *error) {
  sqlite3_stmt *statement = NULL;
  int status = sn_prepare(
      database,
      "SELECT unread, conversations, muted, mentions, records, sum FROM totals",
      &statement, error);
  if (!status) status = read_totals(statement, totals, records, error);
  sqlite3_finalize(statement);
  if (!status) return SEEN_OK;
  *totals = (seen_totals){0};
  *records = 0;
  return status;
}
