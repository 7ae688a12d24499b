/*
 * A mirror's file for the one who writes it: the lock first, then the file,
 * which is made, upgraded or set aside.
 */
#include "base/fail.h"
#include "base/memory.h"
#include "store/sqlite.h"

#include <string.h>

/* Pages of the log after which it is copied into the database, and bytes that
 * the log keeps when it is used again. */
#define SETTINGS                                                               \
  "PRAGMA synchronous = NORMAL;"                                               \
  "PRAGMA fullfsync = ON;"                                                     \
  "PRAGMA checkpoint_fullfsync = ON;"                                          \
  "PRAGMA foreign_keys = ON;"                                                  \
  "PRAGMA wal_autocheckpoint = 1000;"                                          \
  "PRAGMA journal_size_limit = 4194304"

/* Where the file system can't share memory there is no log, and readers and
 * the writer would wait for each other. */
static int use_log(sqlite3 *database, seen_error *error) {
  sqlite3_stmt *log = NULL;
  int code,
      status = sn_prepare(database, "PRAGMA journal_mode = WAL", &log, error);
  if (status) return status;
  code = sqlite3_step(log);
  if (code != SQLITE_ROW)
    status = sn_sqlite_fail(database, code, "can't begin a log", error);
  else if (strcmp((const char *)sqlite3_column_text(log, 0), "wal") != 0)
    status = sn_fail(error, SEEN_EUNSUPPORTED,
                     "the file system allows no write-ahead log");
  sqlite3_finalize(log);
  return status;
}

/*
 * A new file becomes one with a log under a rollback journal, which must not
 * come back when the power fails: EXTRA syncs its deletion.
 */
static int make_new(sn_sqlite *self, seen_error *error) {
  self->made = !self->version;
  return self->made
             ? sn_run(self->database, "PRAGMA synchronous = EXTRA", error)
             : SEEN_OK;
}

/* Reads the schema, and makes or upgrades it. */
static int make_ready(sn_sqlite *self, seen_error *error) {
  sqlite3 *database = self->database;
  int status = sn_schema_version(database, self->source.key != NULL,
                                 &self->version, error);
  if (status) return status;
  /* It could be opened to be written: only its header forbids it now. */
  if (sqlite3_db_readonly(database, "main") == 1)
    return sn_fail(error, SEEN_ECORRUPT, "a format that no SQLite writes");
  status = make_new(self, error);
  if (!status) status = use_log(database, error);
  if (!status && self->version < SN_SCHEMA_LATEST)
    status =
        sn_schema_upgrade(database, self->version, SN_SCHEMA_LATEST, error);
  self->version = SN_SCHEMA_LATEST;
  if (!status) status = sn_run(database, SETTINGS, error);
  self->synchronous_full = false;
  return status ? status : sn_statements_prepare(self, error);
}

static int open_file(sn_sqlite *self, seen_error *error) {
  int status = sn_connect(self->memory, &self->source, SN_ACCESS_WRITE,
                          &self->database, error);
  self->access = SN_ACCESS_WRITE;
  /* SQLite reads what it may not write. */
  if (!status && sqlite3_db_readonly(self->database, "main") == 1)
    status = sn_fail(error, SEEN_EREADONLY, "%s can't be written",
                     self->source.path);
  if (!status) status = make_ready(self, error);
  if (status) sn_sqlite_detach(self);
  return status;
}

static int lock(sn_sqlite *self, seen_error *error) {
  char *path;
  int status;
  if (self->lock.handle != SN_UNLOCKED) return SEEN_OK;
  path = sn_lock_path(self->memory, self->source.path);
  status =
      path ? sn_platform_lock(path, &self->lock, error) : sn_fail_memory(error);
  sn_release(self->memory, path);
  return status;
}

int sn_sqlite_replace(sn_sqlite *self, int code, seen_error *error) {
  int status;
  sn_sqlite_detach(self);
  status = sn_set_aside(self->memory, self->source.path, error);
  if (status && status != SEEN_ENOTFOUND) return status;
  self->corrupt = false;
  self->store.origin = SEEN_ORIGIN_REPLACED;
  self->store.origin_code = code;
  sn_log_write(&self->log, SEEN_LOG_ERROR, "%s is set aside: %s",
               self->source.path, seen_error_text(code));
  return SEEN_OK;
}

int sn_sqlite_attach(sn_sqlite *self, seen_error *error) {
  int status = lock(self, error);
  if (!status) status = open_file(self, error);
  if (status != SEEN_ECORRUPT && status != SEEN_ESCHEMA) return status;
  status = sn_sqlite_replace(self, status, error);
  return status ? status : open_file(self, error);
}

void sn_sqlite_detach(sn_sqlite *self) {
  sn_statements_finalize(self);
  sn_disconnect(self->database);
  self->database = NULL;
}
