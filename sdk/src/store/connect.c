/*
 * Opening a database file, by SQLite alone: nobody else in the process may
 * ever open and close it, or the locks that SQLite holds on it would go.
 */
#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/sqlite.h"

#include <string.h>

char *sn_path_with(const seen_allocator *memory, const char *path,
                   const char *tail) {
  size_t length = strlen(path), more = strlen(tail);
  char *out = sn_allocate(memory, length + more + 1);
  if (!out) return NULL;
  memcpy(out, path, length);
  memcpy(out + length, tail, more);
  out[length + more] = '\0';
  return out;
}

char *sn_lock_path(const seen_allocator *memory, const char *path) {
  return sn_path_with(memory, path, "-lock");
}

int sn_connect_check(const sn_source *source, seen_error *error) {
  int status = sn_sqlite_supported(sqlite3_libversion_number(), error);
  if (status) return status;
  if (!source->path || !source->path[0] || !strcmp(source->path, ":memory:"))
    return sn_fail(error, SEEN_EINVAL, "a mirror needs the path of a file");
  if (source->key && !sn_key_supported())
    return sn_fail(error, SEEN_EUNSUPPORTED,
                   "a key is given, and the SQLite linked has no cipher");
  return SEEN_OK;
}

static const char *parameters_of(sn_access access) {
  switch (access) {
  case SN_ACCESS_WRITE: return "?mode=rwc";
  case SN_ACCESS_AT_REST: return "?mode=ro&immutable=1";
  default: return "?mode=ro";
  }
}

/* The path as a URI, so that no sign in it means anything. */
static char *uri_of(const seen_allocator *memory, const char *path,
                    sn_access access) {
  static const char digits[] = "0123456789ABCDEF";
  sn_text text;
  sn_text_growing(&text, memory);
  sn_text_add(&text, path[0] == '/' ? "file://" : "file:");
  for (const char *at = path; *at; at++) {
    const char code[] = {'%', digits[(uint8_t)*at >> 4], digits[*at & 15]};
    bool plain = *at != '%' && *at != '?' && *at != '#';
    sn_text_add_bytes(&text, plain ? at : code, plain ? 1 : sizeof code);
  }
  sn_text_add(&text, parameters_of(access));
  if (!text.status) return text.bytes;
  sn_text_free(&text);
  return NULL;
}

int sn_run(sqlite3 *database, const char *sql, seen_error *error) {
  int code = sqlite3_exec(database, sql, NULL, NULL, NULL);
  return code ? sn_sqlite_fail(database, code, sql, error) : SEEN_OK;
}

/*
 * SQLite reads a log without the memory that its writers share only where it
 * locks nothing; a VFS that does so comes with it.
 */
static const char *vfs_of(const sn_source *source, sn_access access) {
  static const char *const names[] = {"unix-none", "win32-none"};
  for (size_t i = 0; access == SN_ACCESS_LEFT && i < 2; i++)
    if (sqlite3_vfs_find(names[i])) return names[i];
  return source->vfs;
}

/* A file that anything may have happened to: a failing disk is an error and
 * no signal, the shape of pages is checked, a schema runs nothing by itself. */
#define CAUTION                                                                \
  "PRAGMA mmap_size = 0;"                                                      \
  "PRAGMA cell_size_check = ON;"                                               \
  "PRAGMA trusted_schema = OFF"

/* What is set before anything of the file is read. */
static int prepare(sqlite3 *database, const sn_source *source, sn_access access,
                   seen_error *error) {
  int keep = 1, code = SQLITE_OK;
  sqlite3_extended_result_codes(database, 1);
  sqlite3_busy_timeout(database, source->busy_ms);
  if (source->key) code = sn_key_give(database, source->key);
  if (code) return sn_sqlite_fail(database, code, "can't set the key", error);
  code = sn_run(database, CAUTION, error);
  if (code || access == SN_ACCESS_LEFT)
    return code ? code
                : sn_run(database, "PRAGMA locking_mode = EXCLUSIVE", error);
  /* The log stays when the last one closes, for readers that can't make it. */
  sqlite3_file_control(database, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
  return SEEN_OK;
}

int sn_connect(const seen_allocator *memory, const sn_source *source,
               sn_access access, sqlite3 **out, seen_error *error) {
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  char *uri = uri_of(memory, source->path, access);
  int code, status;
  *out = NULL;
  if (!uri) return sn_fail_memory(error);
  flags |= access == SN_ACCESS_WRITE
               ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
               : SQLITE_OPEN_READONLY;
  code = sqlite3_open_v2(uri, out, flags, vfs_of(source, access));
  sn_release(memory, uri);
  status = code ? sn_sqlite_fail(*out, code, "can't open the mirror", error)
                : prepare(*out, source, access, error);
  if (!status) return SEEN_OK;
  sn_disconnect(*out);
  *out = NULL;
  return status;
}

void sn_disconnect(sqlite3 *database) {
  if (!database) return;
  sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  sqlite3_close(database);
}

static int size_of(const seen_allocator *memory, const char *path,
                   const char *tail, bool *there, uint64_t *size,
                   seen_error *error) {
  char *name = sn_path_with(memory, path, tail);
  int status;
  if (!name) return sn_fail_memory(error);
  *size = 0;
  status = sn_platform_size(name, size, NULL);
  *there = status == SEEN_OK;
  if (status == SEEN_ENOTFOUND) status = SEEN_OK;
  if (status) sn_fail(error, status, "no size of %s", name);
  sn_release(memory, name);
  return status;
}

/* A writer has a -shm file as long as it lives. */
int sn_connect_access(const seen_allocator *memory, const char *path,
                      sn_access *access, seen_error *error) {
  bool shared = false, log = false;
  uint64_t size = 0;
  int status = size_of(memory, path, "-shm", &shared, &size, error);
  if (!status) status = size_of(memory, path, "-wal", &log, &size, error);
  if (status) return status;
  *access = shared            ? SN_ACCESS_READ
            : log && size > 0 ? SN_ACCESS_LEFT
                              : SN_ACCESS_AT_REST;
  return SEEN_OK;
}
