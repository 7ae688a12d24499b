/*
 * One transaction: a conversation is one row, and one more for each piece of
 * a long list that changed.
 */
#include "base/fail.h"
#include "store/sqlite.h"

#include <string.h>

/* Notes what has to follow from a failure. */
static int fail(sn_sqlite *self, int code, const char *what,
                seen_error *error) {
  int status = sn_sqlite_fail(self->database, code, what, error);
  if (status == SEEN_ECORRUPT) self->corrupt = true;
  return status;
}

/* Runs a kept statement, to which everything is bound. */
static int run(sn_sqlite *self, sn_statement name, seen_error *error) {
  sqlite3_stmt *statement = self->statements[name];
  int code = sqlite3_step(statement);
  int status = code == SQLITE_DONE
                   ? SEEN_OK
                   : fail(self, code, sqlite3_sql(statement), error);
  sqlite3_reset(statement);
  return status;
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text) {
  sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

static void bind_number(sqlite3_stmt *statement, int at, uint64_t number) {
  sqlite3_bind_int64(statement, at, (sqlite3_int64)number);
}

static void bind_piece(sqlite3_stmt *statement, int at, sn_piece piece) {
  sqlite3_bind_blob64(statement, at, piece.at, piece.size, SQLITE_STATIC);
}

/*
 * Opens what is not open for writing: it was set aside, or could only be
 * read. What is found corrupt only now is told before it is written to.
 */
static int reopen(sn_sqlite *self, seen_error *error) {
  seen_origin before = self->store.origin;
  bool corrupt = self->corrupt;
  int status =
      corrupt ? sn_sqlite_replace(self, SEEN_ECORRUPT, error) : SEEN_OK;
  if (!status && self->database && self->access != SN_ACCESS_WRITE)
    sn_sqlite_detach(self);
  if (!status && !self->database) status = sn_sqlite_attach(self, error);
  self->store.trouble = status;
  if (!status && !corrupt && before != self->store.origin)
    return sn_fail(error, SEEN_ECORRUPT, "the mirror was set aside");
  return status;
}

/* The level can't change within a transaction. */
static int set_level(sn_sqlite *self, bool full, seen_error *error) {
  int status;
  if (self->synchronous_full == full) return SEEN_OK;
  status =
      sn_run(self->database,
             full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL",
             error);
  if (!status) self->synchronous_full = full;
  return status;
}

int sn_sqlite_begin(seen_store *store, bool durable, seen_error *error) {
  sn_sqlite *self = sn_sqlite_of(store);
  int status;
  if (self->read_only)
    return sn_fail(error, SEEN_EREADONLY, "the mirror was opened to be read");
  status = reopen(self, error);
  if (!status) status = set_level(self, durable, error);
  self->durable = durable;
  return status ? status : run(self, SN_BEGIN, error);
}

int sn_sqlite_remove(seen_store *store, const char *id, seen_error *error) {
  sn_sqlite *self = sn_sqlite_of(store);
  bind_text(self->statements[SN_REMOVE], 1, id);
  return run(self, SN_REMOVE, error);
}

static int put_by(sn_sqlite *self, sn_statement name, const seen_record *record,
                  const seen_row *row, seen_error *error) {
  sqlite3_stmt *put = self->statements[name];
  bind_text(put, 1, record->id);
  bind_piece(put, 2, sn_pack_piece(&self->pack, 0));
  bind_number(put, 3, row->unread);
  bind_number(put, 4, row->mentions);
  bind_number(put, 5, sn_row_shows(record->id, row));
  bind_number(put, 6, self->pack.count - 1);
  return run(self, name, error);
}

/* A row that is not there, or has pieces that are to go, is made anew. */
static int put_row(sn_sqlite *self, const seen_record *record,
                   const seen_row *row, seen_error *error) {
  int status = put_by(self, SN_PUT, record, row, error);
  if (status || sqlite3_changes(self->database)) return status;
  status = sn_sqlite_remove(&self->store, record->id, error);
  return status ? status : put_by(self, SN_INSERT, record, row, error);
}

int sn_sqlite_put(seen_store *store, const seen_record *record,
                  const seen_row *row, seen_error *error) {
  sn_sqlite *self = sn_sqlite_of(store);
  sqlite3_stmt *put = self->statements[SN_PUT_PIECE];
  int status = sn_pack_record(&self->pack, record, SN_PACK_SHORT);
  if (status) return sn_fail(error, status, "%s", seen_error_text(status));
  status = put_row(self, record, row, error);
  for (size_t i = 1; !status && i < self->pack.count; i++) {
    bind_text(put, 1, record->id);
    bind_number(put, 2, i);
    bind_piece(put, 3, sn_pack_piece(&self->pack, i));
    status = run(self, SN_PUT_PIECE, error);
  }
  return status;
}

int sn_sqlite_put_totals(seen_store *store, const seen_totals *totals,
                         uint64_t records, seen_error *error) {
  sn_sqlite *self = sn_sqlite_of(store);
  sqlite3_stmt *put = self->statements[SN_PUT_TOTALS];
  bind_number(put, 1, totals->unread);
  bind_number(put, 2, totals->conversations);
  bind_number(put, 3, totals->muted);
  bind_number(put, 4, totals->mentions);
  bind_number(put, 5, records);
  sqlite3_bind_int64(put, 6, sn_totals_sum(totals, records));
  return run(self, SN_PUT_TOTALS, error);
}

int sn_sqlite_put_meta(seen_store *store, const seen_meta *meta,
                       seen_error *error) {
  sn_sqlite *self = sn_sqlite_of(store);
  sqlite3_stmt *put = self->statements[SN_PUT_META];
  bind_text(put, 1, meta->user);
  bind_text(put, 2, meta->device);
  bind_text(put, 3, meta->incarnation);
  bind_number(put, 4, meta->version);
  sqlite3_bind_int64(put, 5, sn_meta_sum(meta));
  return run(self, SN_PUT_META, error);
}

/* A commit that wrote nothing would not sync what was written before it. */
int sn_sqlite_commit(seen_store *store, seen_error *error) {
  sn_sqlite *self = sn_sqlite_of(store);
  int status = self->durable ? run(self, SN_SYNC, error) : SEEN_OK;
  return status ? status : run(self, SN_COMMIT, error);
}

/* After some failures SQLite has rolled back by itself. */
void sn_sqlite_rollback(seen_store *store) {
  sn_sqlite *self = sn_sqlite_of(store);
  if (!self->database || sqlite3_get_autocommit(self->database)) return;
  sqlite3_step(self->statements[SN_ROLLBACK]);
  sqlite3_reset(self->statements[SN_ROLLBACK]);
}
