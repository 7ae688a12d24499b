/*
 * The store in a file: to be written or, where its disk is in trouble, to be
 * read for now; or to be read only.
 */
#include "base/fail.h"
#include "base/memory.h"
#include "store/sqlite.h"

#include <string.h>

void seen_sqlite_options_init(seen_sqlite_options *options) {
  *options = (seen_sqlite_options){
      .size = sizeof *options, .path = "", .busy_ms = 1000};
}

/* What can be read without writing anything; nothing is an empty mirror. */
static int attach_to_read(sn_sqlite *self, seen_error *error) {
  uint64_t size;
  int status = sn_platform_size(self->source.path, &size, error);
  if (!status)
    status = sn_connect_access(self->memory, self->source.path, &self->access,
                               error);
  if (!status)
    status = sn_connect(self->memory, &self->source, self->access,
                        &self->database, error);
  if (!status)
    status = sn_schema_version(self->database, self->source.key != NULL,
                               &self->version, error);
  if (status || !self->version) sn_sqlite_detach(self);
  if (!status && self->version) self->store.origin = SEEN_ORIGIN_KEPT;
  return status;
}

/*
 * A disk that is full or can't be written is no reason not to read: what is
 * there is used, and each begin tries to write it again.
 */
static int attach_in_trouble(sn_sqlite *self, const seen_error *trouble,
                             seen_error *error) {
  seen_error detail = SEEN_ERROR_INIT;
  int status = attach_to_read(self, &detail);
  if (status == SEEN_ECORRUPT || status == SEEN_ESCHEMA) {
    self->store.origin = SEEN_ORIGIN_REPLACED;
    self->store.origin_code = status;
  } else if (status == SEEN_EKEY) {
    return sn_fail(error, status, "%s", detail.message);
  } else if (status && status != SEEN_ENOTFOUND) {
    return sn_fail(error, trouble->code, "%s", trouble->message);
  }
  self->store.trouble = trouble->code;
  sn_log_write(&self->log, SEEN_LOG_WARN, "%s can't be written: %s",
               self->source.path, trouble->message);
  return SEEN_OK;
}

static bool is_trouble(int status) {
  return status == SEEN_EFULL || status == SEEN_EREADONLY ||
         status == SEEN_EBUSY || status == SEEN_EIO;
}

static int open_any(sn_sqlite *self, seen_error *error) {
  seen_error detail = SEEN_ERROR_INIT;
  int status;
  if (self->read_only) return attach_to_read(self, error);
  status = sn_sqlite_attach(self, &detail);
  detail.code = status;
  if (is_trouble(status)) return attach_in_trouble(self, &detail, error);
  if (status) return sn_fail(error, status, "%s", detail.message);
  if (self->store.origin != SEEN_ORIGIN_REPLACED)
    self->store.origin = self->made ? SEEN_ORIGIN_NEW : SEEN_ORIGIN_KEPT;
  return SEEN_OK;
}

/*
 * The database alone is then all there is, to whoever copies it. Where a reader
 * is still in the log, or the disk fails, the log keeps what it has.
 */
static void empty_log(const sn_sqlite *self) {
  if (!self->database || self->access != SN_ACCESS_WRITE || self->corrupt)
    return;
  sqlite3_busy_timeout(self->database, 0);
  (void)sqlite3_wal_checkpoint_v2(self->database, "main",
                                  SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

static void close_store(seen_store *store) {
  sn_sqlite *self = sn_sqlite_of(store);
  sn_sqlite_rollback(store);
  empty_log(self);
  sn_sqlite_detach(self);
  sn_platform_unlock(&self->lock);
  sn_pack_free(&self->pack);
  sn_unpack_free(&self->unpack);
  sn_bytes_free(&self->texts);
  sn_bytes_free(&self->copies);
  sn_release(self->memory, self->pieces);
  sn_release(self->memory, (void *)self->source.path);
  sn_release(self->memory, (void *)self->source.vfs);
  memset(self->key, 0, sizeof self->key);
  sn_release(self->memory, self);
}

static const seen_store METHODS = {.size = sizeof(seen_store),
                                   .origin = SEEN_ORIGIN_NEW,
                                   .meta = sn_sqlite_meta,
                                   .totals = sn_sqlite_totals,
                                   .load = sn_sqlite_load,
                                   .begin = sn_sqlite_begin,
                                   .put = sn_sqlite_put,
                                   .remove = sn_sqlite_remove,
                                   .put_totals = sn_sqlite_put_totals,
                                   .put_meta = sn_sqlite_put_meta,
                                   .commit = sn_sqlite_commit,
                                   .rollback = sn_sqlite_rollback,
                                   .close = close_store};

static int copy_options(sn_sqlite *self, const seen_sqlite_options *options) {
  sn_source *source = &self->source;
  source->busy_ms =
      options->busy_ms > INT32_MAX ? INT32_MAX : (int)options->busy_ms;
  source->path =
      sn_copy_text(self->memory, options->path, strlen(options->path));
  if (options->vfs)
    source->vfs =
        sn_copy_text(self->memory, options->vfs, strlen(options->vfs));
  if (options->key) {
    memcpy(self->key, options->key, sizeof self->key);
    source->key = self->key;
  }
  return source->path && (source->vfs || !options->vfs) ? SEEN_OK : SEEN_ENOMEM;
}

static sn_sqlite *make(const seen_allocator *memory,
                       const seen_sqlite_options *options) {
  sn_sqlite *self = sn_allocate_zero(memory, sizeof *self);
  if (!self) return NULL;
  self->store = METHODS;
  self->memory = memory;
  self->log = (sn_log){options->log, options->log_user_data, SEEN_LOG_DEBUG};
  self->read_only = options->read_only;
  self->lock.handle = SN_UNLOCKED;
  sn_pack_init(&self->pack, memory);
  sn_unpack_init(&self->unpack, memory);
  sn_bytes_init(&self->texts, memory);
  sn_bytes_init(&self->copies, memory);
  if (!copy_options(self, options)) return self;
  close_store(&self->store);
  return NULL;
}

static int check(const seen_sqlite_options *options, seen_error *error) {
  sn_source source = {options->path, options->vfs, options->key, 0};
  if (options->size != sizeof *options)
    return sn_fail(error, SEEN_EINVAL, "options.size is not this library's");
  return sn_connect_check(&source, error);
}

int seen_store_open_sqlite(const seen_sqlite_options *options, seen_store **out,
                           seen_error *error) {
  sn_sqlite *self;
  int status = check(options, error);
  *out = NULL;
  if (status) return status;
  self =
      make(options->allocator ? options->allocator : seen_allocator_default(),
           options);
  if (!self) return sn_fail_memory(error);
  status = open_any(self, error);
  if (status)
    close_store(&self->store);
  else
    *out = &self->store;
  return status;
}
