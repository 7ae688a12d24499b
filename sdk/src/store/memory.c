/*
 * The store in memory. Records are kept packed, as they are in a file. What a
 * transaction writes is only listed until its commit, which finds its memory
 * before it changes anything.
 */
#include <seen/sys/store.h>

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/table.h"
#include "store/pack.h"
#include "store/unpack.h"

/* One conversation's; `bytes` is NULL where it was deleted. */
typedef struct kept {
  char *id;
  uint8_t *bytes;
  size_t size;
  seen_row row;
} kept;

/* Texts of a seen_meta, one behind the other. */
typedef struct kept_meta {
  seen_meta meta;
  char *texts;
} kept_meta;

typedef struct memory_store {
  seen_store store; /* first: a seen_store is all that others see */
  const seen_allocator *memory;
  kept *all;
  size_t count;
  size_t capacity;
  sn_table by_id; /* to a place in `all`, from 1 */
  kept *changes;
  size_t change_count;
  size_t change_capacity;
  sn_pack pack;
  sn_unpack unpack;
  kept_meta meta;
  kept_meta new_meta;
  seen_totals totals;
  seen_totals new_totals;
  uint64_t records;
  uint64_t new_records;
} memory_store;

static memory_store *of(seen_store *store) {
  return (memory_store *)(void *)store;
}

static uint32_t hash_of(const char *id) {
  return sn_hash_bytes(0, id, strlen(id));
}

static kept *find(const memory_store *self, const char *id) {
  uint32_t hash = hash_of(id);
  sn_probe probe;
  for (uint32_t i = sn_table_first(&self->by_id, hash, &probe); i;
       i = sn_table_next(&self->by_id, &probe))
    if (!strcmp(self->all[i - 1].id, id)) return &self->all[i - 1];
  return NULL;
}

static void free_kept(const memory_store *self, kept *one) {
  sn_release(self->memory, one->id);
  sn_release(self->memory, one->bytes);
}

static int read_meta(seen_store *store, seen_meta *meta, seen_error *error) {
  (void)error;
  *meta = of(store)->meta.meta;
  return SEEN_OK;
}

static int read_totals(seen_store *store, seen_totals *totals,
                       uint64_t *records, seen_error *error) {
  (void)error;
  *totals = of(store)->totals;
  *records = of(store)->records;
  return SEEN_OK;
}

static int load(seen_store *store, seen_store_take take, void *user_data,
                seen_error *error) {
  memory_store *self = of(store);
  int status = SEEN_OK;
  for (size_t i = 0; !status && i < self->count; i++) {
    const kept *one = &self->all[i];
    sn_piece piece = {one->bytes, one->size};
    seen_record record;
    if (!one->bytes) continue;
    status = sn_unpack_record(&self->unpack, one->id, &piece, 1, &record);
    if (status) return sn_fail(error, status, "%s", seen_error_text(status));
    status = take(&record, &one->row, user_data);
  }
  return status;
}

static int begin(seen_store *store, bool durable, seen_error *error) {
  memory_store *self = of(store);
  (void)durable;
  (void)error;
  self->new_totals = self->totals;
  self->new_records = self->records;
  return SEEN_OK;
}

/* Lists a change; `piece` of no size deletes. */
static int change(memory_store *self, const char *id, sn_piece piece,
                  const seen_row *row, seen_error *error) {
  kept one = {.size = piece.size};
  if (SN_RESERVE(self->memory, &self->changes, &self->change_capacity,
                 self->change_count + 1))
    return sn_fail_memory(error);
  one.id = sn_copy_text(self->memory, id, strlen(id));
  if (piece.size) one.bytes = sn_allocate(self->memory, piece.size);
  if (!one.id || (piece.size && !one.bytes)) {
    free_kept(self, &one);
    return sn_fail_memory(error);
  }
  if (one.bytes) memcpy(one.bytes, piece.at, piece.size);
  if (row) one.row = *row;
  self->changes[self->change_count++] = one;
  return SEEN_OK;
}

static int put(seen_store *store, const seen_record *record,
               const seen_row *row, seen_error *error) {
  memory_store *self = of(store);
  int status = sn_pack_record(&self->pack, record, SIZE_MAX);
  if (status) return sn_fail(error, status, "%s", seen_error_text(status));
  return change(self, record->id, sn_pack_piece(&self->pack, 0), row, error);
}

static int remove_record(seen_store *store, const char *id, seen_error *error) {
  return change(of(store), id, (sn_piece){NULL, 0}, NULL, error);
}

static int put_totals(seen_store *store, const seen_totals *totals,
                      uint64_t records, seen_error *error) {
  (void)error;
  of(store)->new_totals = *totals;
  of(store)->new_records = records;
  return SEEN_OK;
}

static char *add_text(char *at, const char *text, const char **place) {
  size_t size = strlen(text) + 1;
  *place = memcpy(at, text, size);
  return at + size;
}

static int put_meta(seen_store *store, const seen_meta *meta,
                    seen_error *error) {
  memory_store *self = of(store);
  kept_meta one = {.meta = *meta};
  char *at;
  one.texts =
      sn_allocate(self->memory, strlen(meta->user) + strlen(meta->device) +
                                    strlen(meta->incarnation) + 3);
  if (!one.texts) return sn_fail_memory(error);
  at = add_text(one.texts, meta->user, &one.meta.user);
  at = add_text(at, meta->device, &one.meta.device);
  add_text(at, meta->incarnation, &one.meta.incarnation);
  sn_release(self->memory, self->new_meta.texts);
  self->new_meta = one;
  return SEEN_OK;
}

static void take_change(memory_store *self, kept *one) {
  kept *place = find(self, one->id);
  if (place) {
    sn_release(self->memory, place->bytes);
    sn_release(self->memory, one->id);
    one->id = place->id;
  } else {
    place = &self->all[self->count++];
    sn_table_add(&self->by_id, hash_of(one->id), (uint32_t)self->count);
  }
  *place = *one;
}

static int commit(seen_store *store, seen_error *error) {
  memory_store *self = of(store);
  if (SN_RESERVE(self->memory, &self->all, &self->capacity,
                 self->count + self->change_count) ||
      sn_table_reserve(self->memory, &self->by_id, self->change_count))
    return sn_fail_memory(error);
  for (size_t i = 0; i < self->change_count; i++)
    take_change(self, &self->changes[i]);
  self->change_count = 0;
  self->totals = self->new_totals;
  self->records = self->new_records;
  if (self->new_meta.texts) {
    sn_release(self->memory, self->meta.texts);
    self->meta = self->new_meta;
    self->new_meta.texts = NULL;
  }
  return SEEN_OK;
}

static void rollback(seen_store *store) {
  memory_store *self = of(store);
  for (size_t i = 0; i < self->change_count; i++)
    free_kept(self, &self->changes[i]);
  self->change_count = 0;
  sn_release(self->memory, self->new_meta.texts);
  self->new_meta.texts = NULL;
}

static void close_store(seen_store *store) {
  memory_store *self = of(store);
  rollback(store);
  for (size_t i = 0; i < self->count; i++)
    free_kept(self, &self->all[i]);
  sn_release(self->memory, self->all);
  sn_release(self->memory, self->changes);
  sn_release(self->memory, self->meta.texts);
  sn_table_free(self->memory, &self->by_id);
  sn_pack_free(&self->pack);
  sn_unpack_free(&self->unpack);
  sn_release(self->memory, self);
}

static const seen_store METHODS = {.size = sizeof(seen_store),
                                   .origin = SEEN_ORIGIN_NEW,
                                   .meta = read_meta,
                                   .totals = read_totals,
                                   .load = load,
                                   .begin = begin,
                                   .put = put,
                                   .remove = remove_record,
                                   .put_totals = put_totals,
                                   .put_meta = put_meta,
                                   .commit = commit,
                                   .rollback = rollback,
                                   .close = close_store};

int seen_store_open_memory(const seen_allocator *allocator, seen_store **out,
                           seen_error *error) {
  const seen_allocator *memory =
      allocator ? allocator : seen_allocator_default();
  memory_store *self = sn_allocate_zero(memory, sizeof *self);
  *out = NULL;
  if (!self) return sn_fail_memory(error);
  self->store = METHODS;
  self->memory = memory;
  self->meta.meta = (seen_meta){sizeof(seen_meta), "", "", "", 0};
  sn_pack_init(&self->pack, memory);
  sn_unpack_init(&self->unpack, memory);
  *out = &self->store;
  return SEEN_OK;
}
