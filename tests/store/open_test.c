#define _POSIX_C_SOURCE 200809L

#include <seen/sys/store.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include <unistd.h>

#include "support/child.h"
#include "support/store.h"

static void test_open__a_new_one_is_empty(void **state) {
  test_store *t = store_start();
  seen_meta meta;
  (void)state;
  store_open(t);
  assert_int_equal(t->store->size, sizeof(seen_store));
  assert_int_equal(t->store->origin, SEEN_ORIGIN_NEW);
  assert_int_equal(t->store->trouble, SEEN_OK);
  assert_int_equal(store_count(t), 0);
  assert_int_equal(t->store->meta(t->store, &meta, NULL), SEEN_OK);
  assert_string_equal(meta.user, "");
  store_end(t);
}

static void test_open__what_was_written_is_kept(void **state) {
  test_store *t = store_start();
  const seen_record *record = test_record_full("c", 700);
  (void)state;
  store_open(t);
  store_put(t, record, 3, 1);
  store_reopen(t);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_KEPT);
  store_has(t, record, 3);
  store_end(t);
}

static void test_open__options_that_make_no_sense_are_refused(void **state) {
  test_store *t = store_start();
  (void)state;
  t->options.size--;
  assert_int_equal(store_try(t, NULL), SEEN_EINVAL);
  assert_null(t->store);
  store_end(t);
}

static void test_open__a_closed_mirror_is_its_database_alone(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  size_t size;
  (void)state;
  store_open(t);
  store_put(t, &record, 1, 1);
  store_close(t);
  free(test_file_read(test_folder_file(&t->folder, "mirror.db-wal"), &size));
  assert_int_equal(size, 0);
  unlink(test_folder_file(&t->folder, "mirror.db-wal"));
  unlink(test_folder_file(&t->folder, "mirror.db-shm"));
  store_open(t);
  store_has(t, &record, 1);
  store_end(t);
}

static void test_open__a_reader_in_the_log_holds_up_no_close(void **state) {
  test_store *t = store_start();
  seen_record first = test_record_plain("c", 1);
  seen_record second = test_record_plain("d", 1);
  sqlite3 *reader;
  (void)state;
  store_open(t);
  store_put(t, &first, 1, 1);
  assert_int_equal(sqlite3_open(t->options.path, &reader), SQLITE_OK);
  assert_int_equal(sqlite3_exec(reader,
                                "BEGIN; SELECT count(*) FROM conversation",
                                NULL, NULL, NULL),
                   SQLITE_OK);
  store_put(t, &second, 1, 2);
  store_close(t);
  assert_int_equal(sqlite3_close(reader), SQLITE_OK);
  store_open(t);
  store_has(t, &second, 1);
  store_end(t);
}

static void test_open__a_missing_folder_is_waited_for(void **state) {
  test_store *t = store_start();
  seen_error error = SEEN_ERROR_INIT;
  const char *path = t->options.path;
  (void)state;
  t->options.path = test_folder_file(&t->folder, "later/mirror.db");
  assert_int_equal(store_try(t, &error), SEEN_OK);
  assert_string_equal(error.message, ""); /* it did not fail */
  assert_int_equal(t->store->trouble, SEEN_EREADONLY);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_NEW);
  assert_int_equal(store_count(t), 0);
  assert_int_equal(t->store->begin(t->store, false, NULL), SEEN_EREADONLY);
  t->store->rollback(t->store);
  t->options.path = path;
  store_end(t);
}

static void test_open__a_protected_folder_is_read_and_waited_for(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  (void)state;
  store_open(t);
  store_put(t, &record, 1, 1);
  store_put_meta(t, "me", 5);
  store_close(t);
  test_folder_protect(&t->folder, true);
  store_open(t);
  assert_int_equal(t->store->trouble, SEEN_EREADONLY);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_KEPT);
  store_has(t, &record, 1);
  assert_int_equal(t->store->begin(t->store, false, NULL), SEEN_EREADONLY);
  t->store->rollback(t->store);
  test_folder_protect(&t->folder, false);
  record = test_record_plain("c", 2);
  store_put(t, &record, 2, 1);
  assert_int_equal(t->store->trouble, SEEN_OK);
  store_reopen(t);
  store_has(t, &record, 2);
  store_end(t);
}

/* What can't be set aside yet is not read either. */
static void
test_open__a_corrupt_file_in_a_protected_folder_waits(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 2);
  (void)state;
  test_file_write(t->options.path, "nonsense", 8);
  test_folder_protect(&t->folder, true);
  store_open(t);
  assert_int_equal(t->store->trouble, SEEN_EREADONLY);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_REPLACED);
  assert_int_equal(t->store->origin_code, SEEN_ECORRUPT);
  assert_int_equal(store_count(t), 0);
  test_folder_protect(&t->folder, false);
  store_put(t, &record, 2, 1);
  assert_int_equal(test_folder_count(&t->folder, "mirror.db.aside-"), 1);
  store_end(t);
}

static void test_open__to_be_read_it_takes_no_lock(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  seen_store *reader;
  (void)state;
  store_open(t);
  store_put(t, &record, 1, 1);
  t->options.read_only = true;
  assert_int_equal(seen_store_open_sqlite(&t->options, &reader, NULL), 0);
  assert_int_equal(reader->origin, SEEN_ORIGIN_KEPT);
  assert_int_equal(reader->begin(reader, false, NULL), SEEN_EREADONLY);
  reader->close(reader);
  store_end(t);
}

static void test_open__to_be_read_it_has_to_be_there(void **state) {
  test_store *t = store_start();
  (void)state;
  t->options.read_only = true;
  assert_int_equal(store_try(t, NULL), SEEN_ENOTFOUND);
  assert_int_equal(test_folder_count(&t->folder, ""), 0);
  store_end(t);
}

static void test_open__to_be_read_nothing_is_set_aside(void **state) {
  test_store *t = store_start();
  (void)state;
  test_file_write(t->options.path, "nonsense", 8);
  t->options.read_only = true;
  assert_int_equal(store_try(t, NULL), SEEN_ECORRUPT);
  assert_int_equal(test_folder_count(&t->folder, ""), 1);
  store_end(t);
}

static void test_open__without_memory_nothing_is_lost(void **state) {
  test_store *t = store_start();
  seen_record record = test_record_plain("c", 1);
  int status = SEEN_ENOMEM;
  (void)state;
  store_open(t);
  store_put(t, &record, 1, 1);
  store_close(t);
  for (uint64_t n = 1; status; n++) {
    size_t blocks = t->memory.blocks;
    test_alloc_fail(&t->memory, n);
    status = store_try(t, NULL);
    test_alloc_fail(&t->memory, 0);
    if (!status) break;
    assert_int_equal(status, SEEN_ENOMEM);
    assert_null(t->store);
    assert_int_equal(t->memory.blocks, blocks);
  }
  assert_in_range(t->memory.failures, 3, 100);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_KEPT);
  store_has(t, &record, 1);
  store_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_open__a_new_one_is_empty),
      cmocka_unit_test(test_open__what_was_written_is_kept),
      cmocka_unit_test(test_open__options_that_make_no_sense_are_refused),
      cmocka_unit_test(test_open__a_closed_mirror_is_its_database_alone),
      cmocka_unit_test(test_open__a_reader_in_the_log_holds_up_no_close),
      cmocka_unit_test(test_open__a_missing_folder_is_waited_for),
      cmocka_unit_test(test_open__a_protected_folder_is_read_and_waited_for),
      cmocka_unit_test(test_open__a_corrupt_file_in_a_protected_folder_waits),
      cmocka_unit_test(test_open__to_be_read_it_takes_no_lock),
      cmocka_unit_test(test_open__to_be_read_it_has_to_be_there),
      cmocka_unit_test(test_open__to_be_read_nothing_is_set_aside),
      cmocka_unit_test(test_open__without_memory_nothing_is_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
