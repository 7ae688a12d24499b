#include <seen/sys/store.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"
#include "support/record.h"
#include "support/store.h"

static seen_store *opened(test_alloc *memory) {
  seen_store *store;
  test_alloc_init(memory);
  assert_int_equal(seen_store_open_memory(&memory->allocator, &store, NULL),
                   SEEN_OK);
  assert_int_equal(store->origin, SEEN_ORIGIN_NEW);
  return store;
}

static void closed(seen_store *store, const test_alloc *memory) {
  store->close(store);
  test_alloc_check(memory);
}

static int put(seen_store *store, const char *id, uint64_t seq) {
  seen_record record = test_record_plain(id, seq);
  seen_row row = test_row(seq);
  return store->put(store, &record, &row, NULL);
}

static void text_is(seen_store *store, const char *wanted) {
  test_loaded loaded = store_load(store);
  assert_int_equal(loaded.status, SEEN_OK);
  assert_string_equal(loaded.text.text, wanted);
  store_loaded_free(&loaded);
}

/* What the store says it holds. */
static char *text_of(seen_store *store) {
  return store_load(store).text.text;
}

static void test_memory__an_empty_one_has_nothing(void **state) {
  test_alloc memory;
  seen_store *store = opened(&memory);
  seen_meta meta;
  seen_totals totals;
  uint64_t records;
  (void)state;
  text_is(store, "");
  assert_int_equal(store->meta(store, &meta, NULL), SEEN_OK);
  assert_string_equal(meta.user, "");
  assert_string_equal(meta.incarnation, "");
  assert_int_equal(meta.version, 0);
  assert_int_equal(store->totals(store, &totals, &records, NULL), SEEN_OK);
  assert_int_equal(records, 0);
  closed(store, &memory);
}

static void test_memory__what_is_committed_is_there(void **state) {
  test_alloc memory;
  seen_store *store = opened(&memory);
  const seen_totals written = {1, 2, 3, 4};
  seen_meta meta = {sizeof meta, "me", "phone", "first", 9};
  seen_totals totals;
  uint64_t records;
  (void)state;
  assert_int_equal(store->begin(store, true, NULL), SEEN_OK);
  assert_int_equal(put(store, "a", 1), SEEN_OK);
  assert_int_equal(store->put_totals(store, &written, 1, NULL), SEEN_OK);
  assert_int_equal(store->put_meta(store, &meta, NULL), SEEN_OK);
  assert_int_equal(store->commit(store, NULL), SEEN_OK);
  assert_int_equal(store->meta(store, &meta, NULL), SEEN_OK);
  assert_string_equal(meta.user, "me");
  assert_string_equal(meta.device, "phone");
  assert_string_equal(meta.incarnation, "first");
  assert_int_equal(meta.version, 9);
  assert_int_equal(store->totals(store, &totals, &records, NULL), SEEN_OK);
  assert_int_equal(totals.mentions, 4);
  assert_int_equal(records, 1);
  closed(store, &memory);
}

static void test_memory__a_record_replaces_the_one_before(void **state) {
  test_alloc memory;
  seen_store *store = opened(&memory);
  char *once, *twice;
  (void)state;
  store->begin(store, false, NULL);
  put(store, "a", 2);
  store->commit(store, NULL);
  once = text_of(store);
  store->begin(store, false, NULL);
  put(store, "a", 1);
  put(store, "a", 2);
  store->commit(store, NULL);
  twice = text_of(store);
  assert_string_equal(twice, once);
  free(once);
  free(twice);
  closed(store, &memory);
}

static void
test_memory__a_removed_record_is_gone_and_can_come_back(void **state) {
  test_alloc memory;
  seen_store *store = opened(&memory);
  (void)state;
  store->begin(store, false, NULL);
  put(store, "a", 1);
  assert_int_equal(store->remove(store, "a", NULL), SEEN_OK);
  assert_int_equal(store->remove(store, "never", NULL), SEEN_OK);
  store->commit(store, NULL);
  text_is(store, "");
  store->begin(store, false, NULL);
  put(store, "a", 1);
  store->commit(store, NULL);
  assert_int_equal(store_count_of(store), 1);
  closed(store, &memory);
}

static void test_memory__a_rollback_leaves_what_was(void **state) {
  test_alloc memory;
  seen_store *store = opened(&memory);
  seen_meta meta = {sizeof meta, "me", "phone", "first", 9};
  const seen_totals other = {9, 9, 9, 9};
  seen_totals totals;
  uint64_t records;
  char *before, *after;
  (void)state;
  store->begin(store, false, NULL);
  put(store, "a", 1);
  store->commit(store, NULL);
  before = text_of(store);
  store->begin(store, false, NULL);
  put(store, "a", 2);
  put(store, "b", 2);
  store->put_meta(store, &meta, NULL);
  store->put_totals(store, &other, 9, NULL);
  store->rollback(store);
  store->begin(store, false, NULL);
  store->commit(store, NULL);
  after = text_of(store);
  assert_string_equal(after, before);
  store->meta(store, &meta, NULL);
  assert_string_equal(meta.user, "");
  store->totals(store, &totals, &records, NULL);
  assert_int_equal(records, 0);
  free(before);
  free(after);
  closed(store, &memory);
}

static void test_memory__a_full_record_comes_back(void **state) {
  test_alloc memory;
  test_store t = {.store = opened(&memory)};
  const seen_record *record = test_record_full("c", 700);
  (void)state;
  store_put(&t, record, 3, 1);
  store_has(&t, record, 3);
  closed(t.store, &memory);
}

static int stop(const seen_record *record, const seen_row *row,
                void *user_data) {
  size_t *count = user_data;
  (void)record;
  (void)row;
  ++*count;
  return 77;
}

static void test_memory__a_load_ends_where_it_is_told_to(void **state) {
  test_alloc memory;
  seen_store *store = opened(&memory);
  size_t count = 0;
  (void)state;
  store->begin(store, false, NULL);
  put(store, "a", 1);
  put(store, "b", 1);
  store->commit(store, NULL);
  assert_int_equal(store->load(store, stop, &count, NULL), 77);
  assert_int_equal(count, 1);
  closed(store, &memory);
}

static int change(seen_store *store) {
  seen_meta meta = {sizeof meta, "me", "phone", "first", 9};
  int status = store->begin(store, false, NULL);
  if (!status) status = put(store, "a", 7);
  if (!status) status = put(store, "new", 7);
  if (!status) status = store->remove(store, "b", NULL);
  if (!status) status = store->put_meta(store, &meta, NULL);
  if (!status) status = store->commit(store, NULL);
  if (status) store->rollback(store);
  return status;
}

static void test_memory__without_memory_nothing_changes(void **state) {
  test_alloc memory;
  seen_store *store = opened(&memory);
  char *before, *after;
  int status = SEEN_ENOMEM;
  (void)state;
  store->begin(store, false, NULL);
  put(store, "a", 1);
  put(store, "b", 1);
  store->commit(store, NULL);
  before = text_of(store);
  for (uint64_t n = 1; status; n++) {
    test_alloc_fail(&memory, n);
    status = change(store);
    test_alloc_fail(&memory, 0);
    after = text_of(store);
    assert_int_equal(strcmp(after, before) == 0, status != SEEN_OK);
    free(after);
  }
  assert_in_range(memory.failures, 5, 100);
  free(before);
  closed(store, &memory);
}

static void test_memory__it_opens_with_memory_only(void **state) {
  test_alloc memory;
  seen_store *store;
  (void)state;
  test_alloc_init(&memory);
  test_alloc_fail(&memory, 1);
  assert_int_equal(seen_store_open_memory(&memory.allocator, &store, NULL),
                   SEEN_ENOMEM);
  assert_null(store);
  assert_int_equal(seen_store_open_memory(NULL, &store, NULL), SEEN_OK);
  store->close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory__an_empty_one_has_nothing),
      cmocka_unit_test(test_memory__what_is_committed_is_there),
      cmocka_unit_test(test_memory__a_record_replaces_the_one_before),
      cmocka_unit_test(test_memory__a_removed_record_is_gone_and_can_come_back),
      cmocka_unit_test(test_memory__a_rollback_leaves_what_was),
      cmocka_unit_test(test_memory__a_full_record_comes_back),
      cmocka_unit_test(test_memory__a_load_ends_where_it_is_told_to),
      cmocka_unit_test(test_memory__without_memory_nothing_changes),
      cmocka_unit_test(test_memory__it_opens_with_memory_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
