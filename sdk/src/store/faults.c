/*
 * What SQLite says as one of our codes. A disk that is full or fails and a
 * file that is corrupt are never taken for each other: the first is waited
 * out, the second is set aside.
 */
#include "base/fail.h"
#include "store/sqlite.h"

/* Failures of input and output that are really something else. */
static int io_code(sqlite3 *database, int code) {
  int number = database ? sqlite3_system_errno(database) : 0;
  if (code == SQLITE_IOERR_NOMEM) return SEEN_ENOMEM;
  if (number && sn_platform_code(number) == SEEN_EFULL) return SEEN_EFULL;
  return SEEN_EIO;
}

static int open_code(sqlite3 *database) {
  int number = database ? sqlite3_system_errno(database) : 0;
  return number ? sn_platform_code(number) : SEEN_EIO;
}

int sn_sqlite_code(sqlite3 *database, int code) {
  switch (code & 0xff) {
  case SQLITE_OK:
  case SQLITE_ROW:
  case SQLITE_DONE: return SEEN_OK;
  case SQLITE_FULL: return SEEN_EFULL;
  case SQLITE_PERM:
  case SQLITE_READONLY: return SEEN_EREADONLY;
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
  case SQLITE_PROTOCOL: return SEEN_EBUSY;
  case SQLITE_NOMEM: return SEEN_ENOMEM;
  case SQLITE_IOERR: return io_code(database, code);
  case SQLITE_CANTOPEN: return open_code(database);
  case SQLITE_TOOBIG: return SEEN_ERANGE;
  case SQLITE_CONSTRAINT:
  case SQLITE_MISMATCH:
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB: return SEEN_ECORRUPT;
  default: return SEEN_EIO;
  }
}

int sn_sqlite_fail(sqlite3 *database, int code, const char *what,
                   seen_error *error) {
  const char *text = database ? sqlite3_errmsg(database) : sqlite3_errstr(code);
  return sn_fail(error, sn_sqlite_code(database, code), "%s: %s (SQLite %u)",
                 what, text, (uint64_t)(unsigned)code);
}

/* Our statements are right: an error in one is that of a schema. */
int sn_prepare(sqlite3 *database, const char *sql, sqlite3_stmt **out,
               seen_error *error) {
  int code = sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT,
                                out, NULL);
  int status = code ? sn_sqlite_fail(database, code, sql, error) : SEEN_OK;
  if ((code & 0xff) != SQLITE_ERROR) return status;
  return sn_fail(error, SEEN_ECORRUPT, "%s: %s", sql, sqlite3_errmsg(database));
}

int sn_sqlite_supported(int version, seen_error *error) {
  if (version >= 3024000) return SEEN_OK;
  return sn_fail(error, SEEN_EUNSUPPORTED,
                 "SQLite 3.24 or newer is needed, this one is %u.%u.%u",
                 (uint64_t)(version / 1000000),
                 (uint64_t)(version / 1000 % 1000), (uint64_t)(version % 1000));
}
