#include "kept.h"

#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_store(kept *self, seen_error *error) {
  seen_sqlite_options options;

  if (self->path == NULL)
    return seen_store_open_memory(NULL, &self->store, error);
  seen_sqlite_options_init(&options);
  options.path = self->path;
  return seen_store_open_sqlite(&options, &self->store, error);
}

bool kept_is_there(const char *path) {
  FILE *file = fopen(path, "rb");

  if (file == NULL) return false;
  fclose(file);
  return true;
}

int kept_open(kept *self, const char *path, seen_error *error) {
  self->path = path;
  return open_store(self, error);
}

int kept_add(kept *self, const seen_options *options, const seen_record *record,
             seen_error *error) {
  int status = SEEN_OK;

  if (self->written == NULL)
    status = seen_engine_new(options, 0, &self->written, error);
  return status == SEEN_OK ? seen_engine_restore(self->written, record, error)
                           : status;
}

/* What an engine shows of a conversation, as another process may read it. */
static seen_row row_of(const seen_engine *engine, seen_conv conv) {
  seen_state state;
  seen_row row;

  memset(&row, 0, sizeof row);
  row.size = (uint32_t)sizeof row;
  memset(&state, 0, sizeof state);
  state.size = (uint32_t)sizeof state;
  if (seen_engine_state(engine, conv, &state) != SEEN_OK) return row;
  row.unread = state.unread;
  row.mentions = state.mentions;
  row.badge = state.badge;
  row.exact = state.exact;
  row.muted = state.muted;
  row.marked_unread = state.marked_unread;
  row.listed = true;
  return row;
}

static int put_all(kept *self, seen_error *error) {
  seen_store *store = self->store;
  seen_totals totals;
  seen_record record;
  int status = SEEN_OK;
  seen_conv conv;

  memset(&record, 0, sizeof record);
  record.size = (uint32_t)sizeof record;
  for (conv = 1; status == SEEN_OK && seen_engine_id(self->written, conv);
       conv++) {
    const seen_row row = row_of(self->written, conv);

    status = seen_engine_record(self->written, conv, &record);
    if (status == SEEN_OK) status = store->put(store, &record, &row, error);
  }
  if (status != SEEN_OK) return status;
  seen_engine_totals(self->written, &totals);
  return store->put_totals(store, &totals, conv - 1, error);
}

int kept_write(kept *self, seen_error *error) {
  int status;

  if (self->written == NULL) return SEEN_OK;
  status = self->store->begin(self->store, false, error);
  if (status == SEEN_OK) status = put_all(self, error);
  if (status == SEEN_OK) status = self->store->commit(self->store, error);
  if (status != SEEN_OK) self->store->rollback(self->store);
  seen_engine_free(self->written);
  self->written = NULL;
  return status;
}

int kept_reopen(kept *self, seen_error *error) {
  if (self->path == NULL) return SEEN_OK;
  self->store->close(self->store);
  self->store = NULL;
  return open_store(self, error);
}

void kept_close(kept *self) {
  if (self->store != NULL) self->store->close(self->store);
  seen_engine_free(self->written);
  memset(self, 0, sizeof *self);
}

void kept_remove(const char *path) {
  static const char *const parts[] = {"", "-wal", "-shm", "-journal", "-lock"};
  size_t size = strlen(path) + 16;
  char *name = must_allocate(size, 1);
  size_t i;

  for (i = 0; i < sizeof parts / sizeof *parts; i++) {
    snprintf(name, size, "%s%s", path, parts[i]);
    remove(name);
  }
  free(name);
}
