#include "bench/bare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(sqlite3 *database, int code) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  fprintf(stderr, "store_bench: %s\n", sqlite3_errmsg(database));
  exit(1);
}

static void run(sqlite3 *database, const char *sql) {
  check(database, sqlite3_exec(database, sql, NULL, NULL, NULL));
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
  sqlite3_stmt *made;
  check(database, sqlite3_prepare_v3(database, sql, -1,
                                     SQLITE_PREPARE_PERSISTENT, &made, NULL));
  return made;
}

static sqlite3 *connect(const char *path) {
  sqlite3 *database;
  check(NULL, sqlite3_open_v2(path, &database,
                              SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                                  SQLITE_OPEN_NOMUTEX,
                              NULL));
  run(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                "PRAGMA mmap_size = 0; PRAGMA journal_size_limit = 4194304");
  return database;
}

void bare_open(bare *self, const char *path, size_t record_size) {
  self->database = connect(path);
  run(self->database, "CREATE TABLE conversation (id TEXT PRIMARY KEY NOT NULL,"
                      " record BLOB NOT NULL, unread INTEGER, mentions INTEGER,"
                      " shows INTEGER) WITHOUT ROWID");
  self->put =
      prepare(self->database,
              "INSERT INTO conversation VALUES (?1, ?2, ?3, ?4, ?5)"
              " ON CONFLICT (id) DO UPDATE SET record = excluded.record,"
              " unread = excluded.unread, mentions = excluded.mentions,"
              " shows = excluded.shows");
  self->record_size = record_size;
  self->record = calloc(1, record_size + sizeof(uint64_t));
  if (!self->record) exit(1);
}

void bare_close(bare *self) {
  sqlite3_finalize(self->put);
  sqlite3_close(self->database);
  free(self->record);
}

void bare_begin(bare *self) {
  run(self->database, "BEGIN IMMEDIATE");
}

void bare_commit(bare *self) {
  run(self->database, "COMMIT");
}

void bare_put(bare *self, const char *id, uint64_t seq) {
  memcpy(self->record, &seq, sizeof seq);
  sqlite3_bind_text(self->put, 1, id, -1, SQLITE_STATIC);
  sqlite3_bind_blob(self->put, 2, self->record, (int)self->record_size,
                    SQLITE_STATIC);
  sqlite3_bind_int64(self->put, 3, (sqlite3_int64)seq);
  sqlite3_bind_int64(self->put, 4, 0);
  sqlite3_bind_int64(self->put, 5, (sqlite3_int64)seq << 20);
  check(self->database, sqlite3_step(self->put));
  sqlite3_reset(self->put);
}

void bare_make_table(const char *path, size_t count) {
  sqlite3 *database = connect(path);
  char sql[2048] = "CREATE TABLE conversation (id TEXT PRIMARY KEY NOT NULL";
  sqlite3_stmt *put;
  for (int i = 0; i < BARE_NUMBERS; i++)
    sprintf(sql + strlen(sql), ", n%d INTEGER", i);
  run(database, strcat(sql, ") WITHOUT ROWID"));
  strcpy(sql, "INSERT INTO conversation VALUES (?1");
  for (int i = 0; i < BARE_NUMBERS; i++)
    sprintf(sql + strlen(sql), ", ?%d", i + 2);
  put = prepare(database, strcat(sql, ")"));
  run(database, "BEGIN");
  for (size_t n = 0; n < count; n++) {
    char id[BARE_ID];
    snprintf(id, sizeof id, "conversation-%06zu", n);
    sqlite3_bind_text(put, 1, id, -1, SQLITE_STATIC);
    for (int i = 0; i < BARE_NUMBERS; i++)
      sqlite3_bind_int64(put, i + 2,
                         i % 3 ? 0 : (sqlite3_int64)(100 + n % 200));
    check(database, sqlite3_step(put));
    sqlite3_reset(put);
  }
  run(database, "COMMIT");
  sqlite3_finalize(put);
  sqlite3_close(database);
}

static void copy_id(bare_row *row, sqlite3_stmt *from) {
  snprintf(row->id, sizeof row->id, "%s",
           (const char *)sqlite3_column_text(from, 0));
}

size_t bare_read_table(const char *path, bare_row *rows, size_t most) {
  sqlite3 *database = connect(path);
  sqlite3_stmt *all = prepare(database, "SELECT * FROM conversation");
  size_t count = 0;
  for (; count < most && sqlite3_step(all) == SQLITE_ROW; count++) {
    copy_id(&rows[count], all);
    for (int i = 0; i < BARE_NUMBERS; i++)
      rows[count].numbers[i] = sqlite3_column_int64(all, i + 1);
  }
  sqlite3_finalize(all);
  sqlite3_close(database);
  return count;
}

size_t bare_read_mirror(const char *path, bare_row *rows, size_t most) {
  sqlite3 *database = connect(path);
  sqlite3_stmt *all = prepare(
      database, "SELECT id, record, unread, mentions, shows FROM conversation");
  size_t count = 0;
  for (; count < most && sqlite3_step(all) == SQLITE_ROW; count++) {
    bare_row *row = &rows[count];
    size_t size = (size_t)sqlite3_column_bytes(all, 1);
    copy_id(row, all);
    for (int i = 0; i < 3; i++)
      row->numbers[i] = sqlite3_column_int64(all, i + 2);
    if (size > sizeof row->numbers - 24) size = sizeof row->numbers - 24;
    memcpy(row->numbers + 3, sqlite3_column_blob(all, 1), size);
  }
  sqlite3_finalize(all);
  sqlite3_close(database);
  return count;
}

size_t bare_record_size(const char *path) {
  sqlite3 *database = connect(path);
  sqlite3_stmt *mean =
      prepare(database, "SELECT avg(length(record)) FROM conversation");
  size_t size;
  check(database, sqlite3_step(mean));
  size = (size_t)sqlite3_column_int64(mean, 0);
  sqlite3_finalize(mean);
  sqlite3_close(database);
  return size;
}
