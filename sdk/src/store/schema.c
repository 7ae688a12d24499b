/*
 * The schema, as the list of steps that led to it: step n makes version n of
 * version n - 1, and a new database takes them all. A step never changes once
 * it was released.
 */
#include "base/fail.h"
#include "store/sqlite.h"

/* "seen" in ASCII: what tells a mirror from another program's database. */
#define APPLICATION 1936024942
#define AS_TEXT(number) #number
#define TEXT_OF(number) AS_TEXT(number)

/* How tables end: STRICT is understood from SQLite 3.37 on. */
#define STEP_1(table, keyed_table)                                             \
  "CREATE TABLE conversation ("                                                \
  "  id TEXT PRIMARY KEY NOT NULL,"                                            \
  "  record BLOB NOT NULL)" keyed_table ";"                                    \
  "CREATE TABLE totals ("                                                      \
  "  one INTEGER PRIMARY KEY CHECK (one = 1),"                                 \
  "  unread INTEGER NOT NULL,"                                                 \
  "  conversations INTEGER NOT NULL,"                                          \
  "  muted INTEGER NOT NULL,"                                                  \
  "  mentions INTEGER NOT NULL,"                                               \
  "  records INTEGER NOT NULL,"                                                \
  "  syncs INTEGER NOT NULL,"                                                  \
  "  sum INTEGER)" table ";"                                                   \
  "INSERT INTO totals VALUES (1, 0, 0, 0, 0, 0, 0, NULL);"                     \
  "CREATE TABLE meta ("                                                        \
  "  one INTEGER PRIMARY KEY CHECK (one = 1),"                                 \
  "  user TEXT NOT NULL,"                                                      \
  "  device TEXT NOT NULL,"                                                    \
  "  incarnation TEXT NOT NULL,"                                               \
  "  version INTEGER NOT NULL,"                                                \
  "  sum INTEGER NOT NULL)" table ";"                                          \
  "PRAGMA application_id = " TEXT_OF(APPLICATION) ";"                          \
                                                  "PRAGMA user_version = 1"

/* What a row shows, for readers without an engine: NULL until it is written
 * again. Long lists in pieces of their own. */
#define STEP_2(table, keyed_table)                                             \
  "ALTER TABLE conversation ADD COLUMN unread INTEGER;"                        \
  "ALTER TABLE conversation ADD COLUMN mentions INTEGER;"                      \
  "ALTER TABLE conversation ADD COLUMN shows INTEGER;"                         \
  "ALTER TABLE conversation ADD COLUMN pieces INTEGER NOT NULL DEFAULT 0;"     \
  "CREATE TABLE piece ("                                                       \
  "  conversation TEXT NOT NULL"                                               \
  "    REFERENCES conversation (id) ON DELETE CASCADE,"                        \
  "  number INTEGER NOT NULL,"                                                 \
  "  bytes BLOB NOT NULL,"                                                     \
  "  PRIMARY KEY (conversation, number))" table ";"                            \
  "PRAGMA user_version = 2"

#define STEPS(table, keyed_table)                                              \
  { STEP_1(table, keyed_table), STEP_2(table, keyed_table) }

static const char *const PLAIN[SN_SCHEMA_LATEST] = STEPS("", " WITHOUT ROWID");
static const char *const STRICT[SN_SCHEMA_LATEST] =
    STEPS(" STRICT", " WITHOUT ROWID, STRICT");

/* One number that a statement gives. */
static int number_of(sqlite3 *database, const char *sql, sqlite3_int64 *number,
                     seen_error *error) {
  sqlite3_stmt *statement = NULL;
  int code, status = sn_prepare(database, sql, &statement, error);
  *number = 0;
  if (status) return status;
  code = sqlite3_step(statement);
  if (code == SQLITE_ROW)
    *number = sqlite3_column_int64(statement, 0);
  else
    status = sn_sqlite_fail(database, code, sql, error);
  sqlite3_finalize(statement);
  return status;
}

static int read_version(sqlite3 *database, sqlite3_int64 *application,
                        sqlite3_int64 *version, sqlite3_int64 *tables,
                        seen_error *error) {
  int status = number_of(database, "PRAGMA application_id", application, error);
  if (!status)
    status = number_of(database, "PRAGMA user_version", version, error);
  if (!status)
    status = number_of(database, "SELECT count(*) FROM sqlite_master", tables,
                       error);
  return status;
}

int sn_schema_version(sqlite3 *database, bool has_key, int *version,
                      seen_error *error) {
  sqlite3_int64 application, number, tables;
  int status = read_version(database, &application, &number, &tables, error);
  *version = 0;
  if (status == SEEN_ECORRUPT && has_key)
    return sn_fail(error, SEEN_EKEY, "%s", seen_error_text(SEEN_EKEY));
  if (status) return status;
  if (!application && !number && !tables) return SEEN_OK;
  if (application != APPLICATION || number < 1)
    return sn_fail(error, SEEN_ECORRUPT, "the database is no mirror");
  if (number > SN_SCHEMA_LATEST)
    return sn_fail(error, SEEN_ESCHEMA, "schema %u is newer than %u",
                   (uint64_t)number, (uint64_t)SN_SCHEMA_LATEST);
  *version = (int)number;
  return SEEN_OK;
}

/* A step that does not fit meets what is not the version it says. */
static int run_step(sqlite3 *database, const char *sql, seen_error *error) {
  int code = sqlite3_exec(database, sql, NULL, NULL, NULL);
  if (!code) return SEEN_OK;
  if ((code & 0xff) != SQLITE_ERROR)
    return sn_sqlite_fail(database, code, "can't upgrade the schema", error);
  return sn_fail(error, SEEN_ECORRUPT, "can't upgrade the schema: %s",
                 sqlite3_errmsg(database));
}

int sn_schema_upgrade(sqlite3 *database, int from, int to, seen_error *error) {
  bool strict = sqlite3_libversion_number() >= 3037000;
  int status = sn_run(database, "BEGIN IMMEDIATE", error);
  if (status) return status;
  for (int step = from; !status && step < to; step++)
    status = run_step(database, strict ? STRICT[step] : PLAIN[step], error);
  if (!status) status = sn_run(database, "COMMIT", error);
  if (status && !sqlite3_get_autocommit(database))
    sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
  return status;
}
