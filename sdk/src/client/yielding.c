/* Each call: let go, work, hold again, and tell how the store is now. */
#include "client/yielding.h"

static seen_store *let_go(seen_store *store) {
  sn_yielding *yielding = (sn_yielding *)(void *)store;
  sn_platform_mutex_unlock(yielding->lock);
  return yielding->inner;
}

static int hold(seen_store *store, int status) {
  sn_yielding *yielding = (sn_yielding *)(void *)store;
  sn_platform_mutex_lock(yielding->lock);
  store->origin = yielding->inner->origin;
  store->origin_code = yielding->inner->origin_code;
  store->trouble = yielding->inner->trouble;
  return status;
}

static int meta(seen_store *store, seen_meta *what, seen_error *error) {
  seen_store *inner = let_go(store);
  return hold(store, inner->meta(inner, what, error));
}

static int totals(seen_store *store, seen_totals *what, uint64_t *records,
                  seen_error *error) {
  seen_store *inner = let_go(store);
  return hold(store, inner->totals(inner, what, records, error));
}

/* What is loaded goes into the engine, record by record. */
typedef struct loading {
  sn_mutex *lock;
  seen_store_take take;
  void *user_data;
} loading;

static int take_locked(const seen_record *record, const seen_row *row,
                       void *user_data) {
  const loading *to = user_data;
  int status;
  sn_platform_mutex_lock(to->lock);
  status = to->take(record, row, to->user_data);
  sn_platform_mutex_unlock(to->lock);
  return status;
}

static int load(seen_store *store, seen_store_take take, void *user_data,
                seen_error *error) {
  seen_store *inner = let_go(store);
  loading to = {((sn_yielding *)(void *)store)->lock, take, user_data};
  return hold(store, inner->load(inner, take_locked, &to, error));
}

static int begin(seen_store *store, bool durable, seen_error *error) {
  seen_store *inner = let_go(store);
  return hold(store, inner->begin(inner, durable, error));
}

static int put(seen_store *store, const seen_record *record,
               const seen_row *row, seen_error *error) {
  seen_store *inner = let_go(store);
  return hold(store, inner->put(inner, record, row, error));
}

static int remove_record(seen_store *store, const char *id, seen_error *error) {
  seen_store *inner = let_go(store);
  return hold(store, inner->remove(inner, id, error));
}

static int put_totals(seen_store *store, const seen_totals *what,
                      uint64_t records, seen_error *error) {
  seen_store *inner = let_go(store);
  return hold(store, inner->put_totals(inner, what, records, error));
}

static int put_meta(seen_store *store, const seen_meta *what,
                    seen_error *error) {
  seen_store *inner = let_go(store);
  return hold(store, inner->put_meta(inner, what, error));
}

static int commit(seen_store *store, seen_error *error) {
  seen_store *inner = let_go(store);
  return hold(store, inner->commit(inner, error));
}

static void rollback(seen_store *store) {
  seen_store *inner = let_go(store);
  inner->rollback(inner);
  (void)hold(store, SEEN_OK);
}

static void close_nothing(seen_store *store) {
  (void)store;
}

void sn_yielding_init(sn_yielding *yielding, seen_store *inner,
                      sn_mutex *lock) {
  *yielding = (sn_yielding){.store = {.size = sizeof yielding->store,
                                      .origin = inner->origin,
                                      .origin_code = inner->origin_code,
                                      .trouble = inner->trouble,
                                      .meta = meta,
                                      .totals = totals,
                                      .load = load,
                                      .begin = begin,
                                      .put = put,
                                      .remove = remove_record,
                                      .put_totals = put_totals,
                                      .put_meta = put_meta,
                                      .commit = commit,
                                      .rollback = rollback,
                                      .close = close_nothing},
                            .inner = inner,
                            .lock = lock};
}
