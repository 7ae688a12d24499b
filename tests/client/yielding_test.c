#include "client/yielding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/alloc.h"
#include "support/record.h"

/* A store whose calls find the lock free, and note which they were. */
typedef struct looking {
  seen_store store; /* first */
  seen_store *inner;
  sn_mutex *lock;
  size_t calls;
} looking;

static seen_store *look(seen_store *store) {
  looking *self = (looking *)(void *)store;
  sn_platform_mutex_lock(self->lock); /* or it hangs */
  sn_platform_mutex_unlock(self->lock);
  self->calls++;
  return self->inner;
}

static int read_meta(seen_store *store, seen_meta *meta, seen_error *error) {
  seen_store *inner = look(store);
  return inner->meta(inner, meta, error);
}

static int read_totals(seen_store *store, seen_totals *totals,
                       uint64_t *records, seen_error *error) {
  seen_store *inner = look(store);
  return inner->totals(inner, totals, records, error);
}

static int load(seen_store *store, seen_store_take take, void *user_data,
                seen_error *error) {
  seen_store *inner = look(store);
  return inner->load(inner, take, user_data, error);
}

static int begin(seen_store *store, bool durable, seen_error *error) {
  seen_store *inner = look(store);
  return inner->begin(inner, durable, error);
}

static int put(seen_store *store, const seen_record *record,
               const seen_row *row, seen_error *error) {
  seen_store *inner = look(store);
  return inner->put(inner, record, row, error);
}

static int remove_record(seen_store *store, const char *id, seen_error *error) {
  seen_store *inner = look(store);
  return inner->remove(inner, id, error);
}

static int put_totals(seen_store *store, const seen_totals *totals,
                      uint64_t records, seen_error *error) {
  seen_store *inner = look(store);
  return inner->put_totals(inner, totals, records, error);
}

static int put_meta(seen_store *store, const seen_meta *meta,
                    seen_error *error) {
  seen_store *inner = look(store);
  return inner->put_meta(inner, meta, error);
}

static int commit(seen_store *store, seen_error *error) {
  seen_store *inner = look(store);
  store->origin = SEEN_ORIGIN_REPLACED;
  store->trouble = SEEN_EFULL;
  return inner->commit(inner, error);
}

static void rollback(seen_store *store) {
  seen_store *inner = look(store);
  inner->rollback(inner);
}

static void looking_begin(looking *self) {
  *self = (looking){.store = {.size = sizeof self->store,
                              .meta = read_meta,
                              .totals = read_totals,
                              .load = load,
                              .begin = begin,
                              .put = put,
                              .remove = remove_record,
                              .put_totals = put_totals,
                              .put_meta = put_meta,
                              .commit = commit,
                              .rollback = rollback}};
  self->lock = sn_platform_mutex_new(seen_allocator_default());
  assert_int_equal(seen_store_open_memory(NULL, &self->inner, NULL), SEEN_OK);
}

static void looking_end(looking *self) {
  self->inner->close(self->inner);
  sn_platform_mutex_free(seen_allocator_default(), self->lock);
}

static void test_yielding__whoever_writes_holds_no_lock(void **state) {
  static const seen_row row = {.size = sizeof row, .listed = true};
  static const seen_totals totals = {0};
  static const seen_meta meta = {sizeof meta, "u1", "d1", "", 7};
  const seen_record record = test_record_plain("g", 5);
  looking it;
  sn_yielding yielding;
  seen_store *store = &yielding.store;
  (void)state;
  looking_begin(&it);
  sn_yielding_init(&yielding, &it.store, it.lock);
  sn_platform_mutex_lock(it.lock);
  assert_int_equal(store->begin(store, false, NULL), SEEN_OK);
  assert_int_equal(store->put(store, &record, &row, NULL), SEEN_OK);
  assert_int_equal(store->remove(store, "h", NULL), SEEN_OK);
  assert_int_equal(store->put_totals(store, &totals, 1, NULL), SEEN_OK);
  assert_int_equal(store->put_meta(store, &meta, NULL), SEEN_OK);
  assert_int_equal(store->commit(store, NULL), SEEN_OK);
  assert_int_equal(store->begin(store, true, NULL), SEEN_OK);
  store->rollback(store);
  store->close(store); /* which is the owner's to do */
  sn_platform_mutex_unlock(it.lock);
  assert_int_equal(it.calls, 8);
  looking_end(&it);
}

static void test_yielding__says_of_the_store_what_it_says(void **state) {
  looking it;
  sn_yielding yielding;
  seen_store *store = &yielding.store;
  (void)state;
  looking_begin(&it);
  sn_yielding_init(&yielding, &it.store, it.lock);
  sn_platform_mutex_lock(it.lock);
  assert_int_equal(store->begin(store, false, NULL), SEEN_OK);
  assert_int_equal(store->commit(store, NULL), SEEN_OK);
  sn_platform_mutex_unlock(it.lock);
  assert_int_equal(store->origin, SEEN_ORIGIN_REPLACED);
  assert_int_equal(store->trouble, SEEN_EFULL);
  looking_end(&it);
}

static int count_locked(const seen_record *record, const seen_row *row,
                        void *user_data) {
  (void)row;
  assert_string_equal(record->id, "g");
  ++*(size_t *)user_data;
  return SEEN_OK;
}

static void test_yielding__whoever_reads_holds_no_lock(void **state) {
  static const seen_row row = {.size = sizeof row, .listed = true};
  const seen_record record = test_record_plain("g", 5);
  looking it;
  sn_yielding yielding;
  seen_store *store = &yielding.store;
  seen_meta meta = {.size = sizeof meta};
  seen_totals totals;
  uint64_t records = 9;
  size_t taken = 0;
  (void)state;
  looking_begin(&it);
  it.inner->begin(it.inner, false, NULL);
  it.inner->put(it.inner, &record, &row, NULL);
  assert_int_equal(it.inner->commit(it.inner, NULL), SEEN_OK);
  sn_yielding_init(&yielding, &it.store, it.lock);
  sn_platform_mutex_lock(it.lock);
  assert_int_equal(store->meta(store, &meta, NULL), SEEN_OK);
  assert_string_equal(meta.user, "");
  assert_int_equal(store->totals(store, &totals, &records, NULL), SEEN_OK);
  assert_int_equal(records, 0);
  assert_int_equal(store->load(store, count_locked, &taken, NULL), SEEN_OK);
  sn_platform_mutex_unlock(it.lock);
  assert_int_equal(taken, 1);
  assert_int_equal(it.calls, 3);
  looking_end(&it);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_yielding__whoever_writes_holds_no_lock),
      cmocka_unit_test(test_yielding__says_of_the_store_what_it_says),
      cmocka_unit_test(test_yielding__whoever_reads_holds_no_lock),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
