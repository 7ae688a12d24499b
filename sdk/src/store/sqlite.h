/*
 * The store in a SQLite file: what its parts share. They are opening
 * (open.c over connect.c, schema.c, aside.c), writing and loading; badge.c
 * reads beside them. Only this folder knows SQLite.
 */
#ifndef SN_STORE_SQLITE_H
#define SN_STORE_SQLITE_H

#include "base/log.h"
#include "base/platform.h"
#include "store/pack.h"
#include "store/unpack.h"

#include <seen/sys/store.h>

#include <sqlite3.h>

enum { SN_KEY_SIZE = 32 };

/* Statements that are kept, as long as the database is open. */
typedef enum sn_statement {
  SN_BEGIN,
  SN_COMMIT,
  SN_ROLLBACK,
  SN_PUT,
  SN_INSERT,
  SN_PUT_PIECE,
  SN_REMOVE,
  SN_PUT_TOTALS,
  SN_PUT_META,
  SN_SYNC,
  SN_STATEMENTS
} sn_statement;

/* What a database is opened with. */
typedef struct sn_source {
  const char *path;
  const char *vfs;    /* NULL: the default */
  const uint8_t *key; /* NULL: none */
  int busy_ms;
} sn_source;

/* How a database is opened. */
typedef enum sn_access {
  SN_ACCESS_WRITE,
  SN_ACCESS_READ,    /* beside a writer */
  SN_ACCESS_AT_REST, /* nobody has it open: not even a lock is taken */
  SN_ACCESS_LEFT     /* the same, and its log was left behind */
} sn_access;

typedef struct sn_sqlite {
  seen_store store; /* first: a seen_store is all that others see */
  const seen_allocator *memory;
  sn_log log;
  sn_source source;
  uint8_t key[SN_KEY_SIZE];
  bool read_only;
  sn_lock lock;
  sqlite3 *database; /* NULL: to be opened by the next begin */
  sn_access access;
  int version; /* of its schema */
  bool made;   /* it had none */
  sqlite3_stmt *statements[SN_STATEMENTS];
  bool durable; /* how this transaction ends */
  bool synchronous_full;
  bool corrupt; /* to be set aside by the next begin */
  sn_pack pack;
  sn_unpack unpack;
  sn_bytes texts;  /* of meta */
  sn_bytes copies; /* of pieces being loaded */
  sn_piece *pieces;
  size_t piece_capacity;
} sn_sqlite;

static inline sn_sqlite *sn_sqlite_of(seen_store *store) {
  return (sn_sqlite *)(void *)store;
}

/* SQLite's code as one of ours; `database` may be NULL. */
int sn_sqlite_code(sqlite3 *database, int code);

/* Tells what SQLite said of `what`, and returns our code. */
int sn_sqlite_fail(sqlite3 *database, int code, const char *what,
                   seen_error *error);

/* SEEN_EUNSUPPORTED for the number of a SQLite before 3.24. */
int sn_sqlite_supported(int version, seen_error *error);

/* Whether the SQLite that is linked has a cipher; giving it the key. */
bool sn_key_supported(void);
int sn_key_give(sqlite3 *database, const uint8_t *key);

/* SEEN_EUNSUPPORTED where what is linked can't open this source. */
int sn_connect_check(const sn_source *source, seen_error *error);

/* Opens a database file. Nothing of it is read yet. */
int sn_connect(const seen_allocator *memory, const sn_source *source,
               sn_access access, sqlite3 **out, seen_error *error);

/* Closes it as it is: its log is left alone. NULL is fine. */
void sn_disconnect(sqlite3 *database);

/* Which kind of reading the files beside a database ask for. */
int sn_connect_access(const seen_allocator *memory, const char *path,
                      sn_access *access, seen_error *error);

/* A path with something behind it; NULL: no memory. */
char *sn_path_with(const seen_allocator *memory, const char *path,
                   const char *tail);

/* Runs statements that give nothing back. */
int sn_run(sqlite3 *database, const char *sql, seen_error *error);

/* Prepares a statement of ours: what it does not fit is no mirror. */
int sn_prepare(sqlite3 *database, const char *sql, sqlite3_stmt **out,
               seen_error *error);

/*
 * Reads which version of the schema a database has, 0: none yet. SEEN_ECORRUPT
 * for one that is no mirror, SEEN_ESCHEMA for a newer one; with a key
 * SEEN_EKEY where it can't be read.
 */
int sn_schema_version(sqlite3 *database, bool has_key, int *version,
                      seen_error *error);

#define SN_SCHEMA_LATEST 2

/* Brings a database from one version to another, all or nothing. */
int sn_schema_upgrade(sqlite3 *database, int from, int to, seen_error *error);

/* The file of the lock that a writer holds; NULL: no memory. */
char *sn_lock_path(const seen_allocator *memory, const char *path);

/* Renames a database and what belongs to it, by the date. It is closed. */
int sn_set_aside(const seen_allocator *memory, const char *path,
                 seen_error *error);

/* Opens what `source` says, for writing, upgrading and setting aside. */
int sn_sqlite_attach(sn_sqlite *self, seen_error *error);
void sn_sqlite_detach(sn_sqlite *self);

/* Closes what is open and sets it aside, for the reason of this code. */
int sn_sqlite_replace(sn_sqlite *self, int code, seen_error *error);

/* The flags of a row as one number, which ends with a sum of the row. */
uint64_t sn_row_shows(const char *id, const seen_row *row);
bool sn_row_read(const char *id, sqlite3_int64 unread, sqlite3_int64 mentions,
                 sqlite3_int64 shows, seen_row *row);

/* A sum that is kept beside the totals, and beside meta. */
sqlite3_int64 sn_totals_sum(const seen_totals *totals, uint64_t records);
sqlite3_int64 sn_meta_sum(const seen_meta *meta);

/* Reads the row of totals: SEEN_ECORRUPT where it makes no sense. */
int sn_totals_read(sqlite3 *database, seen_totals *totals, uint64_t *records,
                   seen_error *error);

/* The functions of the store. */
int sn_sqlite_meta(seen_store *store, seen_meta *meta, seen_error *error);
int sn_sqlite_totals(seen_store *store, seen_totals *totals, uint64_t *records,
                     seen_error *error);
int sn_sqlite_load(seen_store *store, seen_store_take take, void *user_data,
                   seen_error *error);
int sn_sqlite_begin(seen_store *store, bool durable, seen_error *error);
int sn_sqlite_put(seen_store *store, const seen_record *record,
                  const seen_row *row, seen_error *error);
int sn_sqlite_remove(seen_store *store, const char *id, seen_error *error);
int sn_sqlite_put_totals(seen_store *store, const seen_totals *totals,
                         uint64_t records, seen_error *error);
int sn_sqlite_put_meta(seen_store *store, const seen_meta *meta,
                       seen_error *error);
int sn_sqlite_commit(seen_store *store, seen_error *error);
void sn_sqlite_rollback(seen_store *store);

/* Prepares the statements of writing, and ends those that there are. */
int sn_statements_prepare(sn_sqlite *self, seen_error *error);
void sn_statements_finalize(sn_sqlite *self);

#endif
