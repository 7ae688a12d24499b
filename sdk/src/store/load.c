/*
 * Reading all of a mirror back, in one pass. A row whose bytes are not what
 * was written is left out, and the file is not trusted any longer.
 */
#include "base/fail.h"
#include "base/memory.h"
#include "store/sqlite.h"

#include <string.h>

/* A load under way. */
typedef struct pass {
  sn_sqlite *self;
  sqlite3_stmt *rows;
  sqlite3_stmt *more; /* the pieces of one record */
  uint64_t seen;
  uint64_t bad;
  seen_store_take take;
  void *user_data;
} pass;

static int spoilt(sn_sqlite *self, int status) {
  if (status == SEEN_ECORRUPT) self->corrupt = true;
  return status;
}

static int copy_meta(sn_sqlite *self, sqlite3_stmt *row, seen_meta *meta,
                     seen_error *error) {
  const char *places[3];
  sn_bytes_empty(&self->texts);
  for (int i = 0; i < 3; i++) {
    const char *text = (const char *)sqlite3_column_text(row, i);
    sn_bytes_add(&self->texts, text ? text : "", text ? strlen(text) + 1 : 1);
  }
  if (self->texts.status) return sn_fail_memory(error);
  places[0] = (const char *)self->texts.at;
  for (size_t i = 1; i < 3; i++)
    places[i] = places[i - 1] + strlen(places[i - 1]) + 1;
  *meta = (seen_meta){sizeof *meta, places[0], places[1], places[2],
                      (uint64_t)sqlite3_column_int64(row, 3)};
  if (sn_meta_sum(meta) == sqlite3_column_int64(row, 4)) return SEEN_OK;
  return sn_fail(error, SEEN_ECORRUPT, "the row of meta makes no sense");
}

static int read_meta(sn_sqlite *self, sqlite3_stmt *row, seen_meta *meta,
                     seen_error *error) {
  int code = sqlite3_step(row);
  if (code == SQLITE_ROW) return copy_meta(self, row, meta, error);
  if (code == SQLITE_DONE) return SEEN_OK;
  return sn_sqlite_fail(self->database, code, "can't read meta", error);
}

int sn_sqlite_meta(seen_store *store, seen_meta *meta, seen_error *error) {
  static const seen_meta none = {sizeof none, "", "", "", 0};
  sn_sqlite *self = sn_sqlite_of(store);
  sqlite3_stmt *row = NULL;
  int status;
  *meta = none;
  if (!self->database) return SEEN_OK;
  status = sn_prepare(
      self->database,
      "SELECT user, device, incarnation, version, sum FROM meta", &row, error);
  if (!status) status = read_meta(self, row, meta, error);
  sqlite3_finalize(row);
  if (status) *meta = none;
  return spoilt(self, status);
}

int sn_sqlite_totals(seen_store *store, seen_totals *totals, uint64_t *records,
                     seen_error *error) {
  sn_sqlite *self = sn_sqlite_of(store);
  *totals = (seen_totals){0};
  *records = 0;
  if (!self->database) return SEEN_OK;
  return spoilt(self, sn_totals_read(self->database, totals, records, error));
}

static sn_piece column_piece(sqlite3_stmt *row, int number) {
  const uint8_t *at = sqlite3_column_blob(row, number);
  return (sn_piece){at, at ? (size_t)sqlite3_column_bytes(row, number) : 0};
}

/* Copies one more piece; where it lies is said by where it ends. */
static int copy_piece(sn_sqlite *self, size_t number, sn_piece piece) {
  sn_bytes_add(&self->copies, piece.at, piece.size);
  if (self->copies.status || SN_RESERVE(self->memory, &self->pieces,
                                        &self->piece_capacity, number + 1))
    return SEEN_ENOMEM;
  self->pieces[number] = (sn_piece){NULL, piece.size};
  return SEEN_OK;
}

/* The pieces of a record side by side, the first one included. */
static int collect(pass *load, const char *id, sn_piece first, size_t *count,
                   seen_error *error) {
  sn_sqlite *self = load->self;
  int code, status;
  sn_bytes_empty(&self->copies);
  *count = 0;
  status = copy_piece(self, (*count)++, first);
  sqlite3_bind_text(load->more, 1, id, -1, SQLITE_STATIC);
  while (!status && (code = sqlite3_step(load->more)) != SQLITE_DONE) {
    if (code != SQLITE_ROW)
      status =
          sn_sqlite_fail(self->database, code, "can't read a piece", error);
    else
      status = copy_piece(self, (*count)++, column_piece(load->more, 0));
  }
  sqlite3_reset(load->more);
  if (status == SEEN_ENOMEM) return sn_fail_memory(error);
  for (size_t i = 0, at = 0; !status && i < *count; i++) {
    self->pieces[i].at = self->copies.at + at;
    at += self->pieces[i].size;
  }
  return status;
}

/* The id, or NULL where it is none. */
static const char *id_of(sqlite3_stmt *row) {
  const char *id = (const char *)sqlite3_column_text(row, 0);
  int size = sqlite3_column_bytes(row, 0);
  bool whole =
      id && size > 0 && size <= SN_ID_MAX && strlen(id) == (size_t)size;
  return whole ? id : NULL;
}

/* The numbers of a row; *row is NULL where they were never written. */
static int row_of(sqlite3_stmt *from, const char *id, seen_row *space,
                  const seen_row **row) {
  *row = NULL;
  if (sqlite3_column_type(from, 4) == SQLITE_NULL) return SEEN_OK;
  *row = space;
  return sn_row_read(id, sqlite3_column_int64(from, 2),
                     sqlite3_column_int64(from, 3),
                     sqlite3_column_int64(from, 4), space)
             ? SEEN_OK
             : SEEN_ECORRUPT;
}

static int read_record(pass *load, const char *id, seen_record *record,
                       seen_error *error) {
  sn_sqlite *self = load->self;
  sn_piece first = column_piece(load->rows, 1);
  const sn_piece *pieces = &first;
  size_t count = 1;
  sqlite3_int64 more = sqlite3_column_int64(load->rows, 5);
  int status = SEEN_OK;
  if (more) {
    status = collect(load, id, first, &count, error);
    pieces = self->pieces;
  }
  if (!status && more != (sqlite3_int64)count - 1) status = SEEN_ECORRUPT;
  if (!status)
    status = sn_unpack_record(&self->unpack, id, pieces, count, record);
  return status == SEEN_ENOMEM ? sn_fail_memory(error) : status;
}

/* A row that makes no sense is counted; the next ones may. */
static int load_row(pass *load, seen_error *error) {
  const char *id = id_of(load->rows);
  seen_record record;
  seen_row space;
  const seen_row *row = NULL;
  int status = SEEN_ECORRUPT;
  if (id) status = read_record(load, id, &record, error);
  if (!status) status = row_of(load->rows, id, &space, &row);
  if (!status) return load->take(&record, row, load->user_data);
  if (status != SEEN_ECORRUPT) return status;
  load->bad++;
  return SEEN_OK;
}

static int load_rows(pass *load, seen_error *error) {
  int code, status = SEEN_OK;
  while (!status && (code = sqlite3_step(load->rows)) != SQLITE_DONE) {
    if (code != SQLITE_ROW)
      return sn_sqlite_fail(load->self->database, code, "can't read a row",
                            error);
    load->seen++;
    status = load_row(load, error);
  }
  return status;
}

/* Rows may also be missing without a trace: there is a number of them. */
static int count_rows(const pass *load, seen_error *error) {
  seen_totals totals;
  uint64_t records;
  int status = sn_totals_read(load->self->database, &totals, &records, error);
  if (status) return status;
  if (!load->bad && load->seen == records) return SEEN_OK;
  return sn_fail(error, SEEN_ECORRUPT,
                 "%u rows of %u, %u of them make no sense", load->seen, records,
                 load->bad);
}

/* Before version 2 there are neither numbers nor pieces. */
static int prepare(pass *load, seen_error *error) {
  sqlite3 *database = load->self->database;
  bool whole = load->self->version >= 2;
  int status = sn_prepare(
      database,
      whole ? "SELECT id, record, unread, mentions, shows, pieces"
              " FROM conversation"
            : "SELECT id, record, NULL, NULL, NULL, 0 FROM conversation",
      &load->rows, error);
  if (status || !whole) return status;
  return sn_prepare(
      database,
      "SELECT bytes FROM piece WHERE conversation = ?1 ORDER BY number",
      &load->more, error);
}

/* Where no lock was taken, nobody may have begun to write. */
static int still_at_rest(const sn_sqlite *self, seen_error *error) {
  sn_access access = self->access;
  int status = SEEN_OK;
  if (access == SN_ACCESS_AT_REST || access == SN_ACCESS_LEFT)
    status = sn_connect_access(self->memory, self->source.path, &access, error);
  if (!status && access != self->access)
    return sn_fail(error, SEEN_EBUSY, "somebody began to write the mirror");
  return status;
}

/* One read transaction, so that a writer beside it changes nothing. */
int sn_sqlite_load(seen_store *store, seen_store_take take, void *user_data,
                   seen_error *error) {
  sn_sqlite *self = sn_sqlite_of(store);
  pass load = {.self = self, .take = take, .user_data = user_data};
  int status;
  if (!self->database) return SEEN_OK;
  status = sn_run(self->database, "BEGIN", error);
  if (status) return spoilt(self, status);
  status = prepare(&load, error);
  if (!status) status = load_rows(&load, error);
  if (!status) status = count_rows(&load, error);
  sqlite3_finalize(load.rows);
  sqlite3_finalize(load.more);
  sqlite3_exec(self->database, "ROLLBACK", NULL, NULL, NULL);
  if (!status || status == SEEN_ECORRUPT) {
    int rest = still_at_rest(self, error);
    if (rest) status = rest;
  }
  return spoilt(self, status);
}
