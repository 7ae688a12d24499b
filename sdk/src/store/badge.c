/*
 * Reading numbers out of a mirror that another process may be writing. It
 * opens the file for reading only, makes none beside it, and is done in one
 * read transaction.
 */
#include <seen/sys/store.h>

#include <string.h>

#include "base/fail.h"
#include "store/sqlite.h"

/* How long a lock is waited for: the writer takes one that keeps readers out
 * only while it opens, recovers or closes. */
enum { BUSY_MS = 500, TRIES = 4 };

/* What is asked of a mirror. */
typedef struct question {
  const char *id; /* NULL: the totals */
  seen_totals *totals;
  seen_row *row;
} question;

static int row_of(sqlite3_stmt *row, const question *what, seen_error *error) {
  int code = sqlite3_step(row);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    return sn_sqlite_fail(sqlite3_db_handle(row), code, "can't read a row",
                          error);
  if (code == SQLITE_DONE || sqlite3_column_type(row, 2) == SQLITE_NULL)
    return sn_fail(error, SEEN_ENOTFOUND, "no numbers of %s", what->id);
  if (sn_row_read(what->id, sqlite3_column_int64(row, 0),
                  sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2),
                  what->row))
    return SEEN_OK;
  return sn_fail(error, SEEN_ECORRUPT, "the row makes no sense");
}

static int read_row(sqlite3 *database, const question *what,
                    seen_error *error) {
  sqlite3_stmt *row = NULL;
  int status = sn_prepare(
      database,
      "SELECT unread, mentions, shows FROM conversation WHERE id = ?1", &row,
      error);
  if (!status) {
    sqlite3_bind_text(row, 1, what->id, -1, SQLITE_STATIC);
    status = row_of(row, what, error);
  }
  sqlite3_finalize(row);
  return status;
}

static int answer(sqlite3 *database, bool has_key, const question *what,
                  seen_error *error) {
  uint64_t records;
  int version, status = sn_run(database, "BEGIN", error);
  if (!status) status = sn_schema_version(database, has_key, &version, error);
  if (status) return status;
  if (!version) return sn_fail(error, SEEN_ENOTFOUND, "no mirror is there yet");
  if (!what->id) return sn_totals_read(database, what->totals, &records, error);
  if (version >= 2) return read_row(database, what, error);
  return sn_fail(error, SEEN_ENOTFOUND, "no numbers of %s", what->id);
}

/* Once; `*again` where a writer came or went meanwhile. */
static int ask_once(const sn_source *source, const question *what, bool *again,
                    seen_error *error) {
  const seen_allocator *memory = seen_allocator_default();
  sqlite3 *database;
  sn_access access, after;
  uint64_t size;
  int status = sn_platform_size(source->path, &size, error);
  if (!status) status = sn_connect_access(memory, source->path, &access, error);
  if (status) return status;
  status = sn_connect(memory, source, access, &database, error);
  if (!status) status = answer(database, source->key != NULL, what, error);
  sn_disconnect(database);
  *again = access != SN_ACCESS_READ &&
           (sn_connect_access(memory, source->path, &after, NULL) ||
            after != access);
  return status;
}

static int ask(const char *path, const uint8_t *key, const question *what,
               seen_error *error) {
  sn_source source = {path, NULL, key, BUSY_MS};
  bool again = true;
  int status = sn_connect_check(&source, error);
  for (int i = 0; !status && again && i < TRIES; i++) {
    again = false;
    status = ask_once(&source, what, &again, error);
    if (again) status = SEEN_OK;
  }
  if (!status && again)
    status = sn_fail(error, SEEN_EBUSY, "writers come and go");
  return status;
}

int seen_badge_read(const char *path, const uint8_t *key, seen_totals *totals,
                    seen_error *error) {
  question what = {.totals = totals};
  int status;
  *totals = (seen_totals){0};
  status = ask(path, key, &what, error);
  if (status) *totals = (seen_totals){0};
  return status;
}

int seen_badge_read_conversation(const char *path, const uint8_t *key,
                                 const char *id, seen_row *row,
                                 seen_error *error) {
  question what = {.id = id, .row = row};
  int status;
  *row = (seen_row){.size = sizeof *row};
  status = ask(path, key, &what, error);
  if (status) *row = (seen_row){.size = sizeof *row};
  return status;
}
