#include <seen/sys/store.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/store.h"

/* Three records and their meta, closed. */
static test_store *with_three(void) {
  test_store *t = store_start();
  seen_record a = test_record_plain("a", 1), b = test_record_plain("b", 2);
  store_open(t);
  store_put(t, &a, 1, 1);
  store_put(t, &b, 2, 2);
  store_put(t, test_record_full("c", 300), 3, 3);
  store_put_meta(t, "me", 5);
  store_close(t);
  return t;
}

/* After this SQL, so many records come, and it is told. */
static void corrupt_with(const char *sql, size_t count) {
  test_store *t = with_three();
  test_loaded loaded;
  store_sql(t, sql);
  store_open(t);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_KEPT);
  loaded = store_load(t->store);
  assert_int_equal(loaded.status, SEEN_ECORRUPT);
  assert_int_equal(loaded.count, count);
  store_loaded_free(&loaded);
  store_end(t);
}

static void test_load__a_record_that_was_changed_is_left_out(void **state) {
  (void)state;
  corrupt_with("UPDATE conversation SET record = x'01' WHERE id = 'a'", 2);
  corrupt_with("UPDATE conversation SET record = x'' WHERE id = 'a'", 2);
  corrupt_with("UPDATE conversation SET record = zeroblob(500)", 0);
}

static void test_load__a_record_under_another_id_is_left_out(void **state) {
  (void)state;
  corrupt_with("UPDATE conversation SET id = 'x' WHERE id = 'a'", 2);
  corrupt_with("UPDATE conversation SET id = 'a' || char(0) WHERE id = 'a'", 2);
  corrupt_with("UPDATE conversation SET id = '' WHERE id = 'a'", 2);
}

static void test_load__numbers_that_were_changed_leave_it_out(void **state) {
  (void)state;
  corrupt_with("UPDATE conversation SET unread = 7 WHERE id = 'b'", 2);
  corrupt_with("UPDATE conversation SET shows = 1 WHERE id = 'b'", 2);
}

static void test_load__a_lost_or_changed_piece_leaves_it_out(void **state) {
  (void)state;
  corrupt_with("DELETE FROM piece WHERE number = 2", 2);
  corrupt_with("UPDATE piece SET bytes = x'00' WHERE number = 1", 2);
  corrupt_with("INSERT INTO piece VALUES ('c', 99, x'00')", 2);
  corrupt_with("UPDATE conversation SET pieces = 1 WHERE id = 'c'", 2);
}

/* Nothing is wrong with what is there, but it is not all. */
static void test_load__a_lost_record_is_missed(void **state) {
  (void)state;
  corrupt_with("DELETE FROM conversation WHERE id = 'a'", 2);
}

static void test_load__without_its_totals_nothing_is_sure(void **state) {
  (void)state;
  corrupt_with("UPDATE totals SET unread = 77", 3);
  corrupt_with("DELETE FROM totals", 3);
}

static void test_load__corrupt_it_is_set_aside_and_begun_anew(void **state) {
  test_store *t = with_three();
  seen_record record = test_record_plain("a", 9);
  test_loaded loaded;
  (void)state;
  store_sql(t, "DELETE FROM conversation WHERE id = 'a'");
  store_open(t);
  loaded = store_load(t->store);
  store_loaded_free(&loaded);
  store_put(t, &record, 9, 1);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_REPLACED);
  assert_int_equal(t->store->origin_code, SEEN_ECORRUPT);
  assert_int_equal(store_count(t), 1);
  assert_in_range(test_folder_count(&t->folder, "mirror.db.aside-"), 1, 3);
  store_end(t);
}

static void test_load__meta_that_was_changed_is_refused(void **state) {
  test_store *t = with_three();
  seen_meta meta;
  (void)state;
  store_sql(t, "UPDATE meta SET version = 4");
  store_open(t);
  assert_int_equal(t->store->meta(t->store, &meta, NULL), SEEN_ECORRUPT);
  assert_string_equal(meta.user, "");
  assert_int_equal(meta.version, 0);
  store_end(t);
}

static int stop(const seen_record *record, const seen_row *row,
                void *user_data) {
  (void)record;
  (void)row;
  return ++*(int *)user_data == 2 ? SEEN_ECORRUPT : SEEN_OK;
}

static void test_load__it_ends_where_it_is_told_to(void **state) {
  test_store *t = with_three();
  int calls = 0;
  (void)state;
  store_open(t);
  assert_int_equal(t->store->load(t->store, stop, &calls, NULL), SEEN_ECORRUPT);
  assert_int_equal(calls, 2);
  store_end(t);
}

static void test_load__twice_it_is_the_same(void **state) {
  test_store *t = with_three();
  test_loaded first, second;
  (void)state;
  store_open(t);
  first = store_load(t->store);
  second = store_load(t->store);
  assert_int_equal(first.count, 3);
  assert_string_equal(first.text.text, second.text.text);
  store_loaded_free(&first);
  store_loaded_free(&second);
  store_end(t);
}

static void test_load__without_memory_it_can_be_tried_again(void **state) {
  test_store *t = with_three();
  test_loaded loaded = {.status = SEEN_ENOMEM};
  (void)state;
  for (uint64_t n = 1; loaded.status; n++) {
    store_reopen(t); /* what it needed once it keeps */
    test_alloc_fail(&t->memory, n);
    loaded = store_load(t->store);
    test_alloc_fail(&t->memory, 0);
    assert_true(loaded.status == SEEN_OK || loaded.status == SEEN_ENOMEM);
    assert_int_equal(loaded.count == 3, loaded.status == SEEN_OK);
    store_loaded_free(&loaded);
  }
  assert_in_range(t->memory.failures, 10, 1000);
  store_end(t);
}

static void test_load__reading_beside_a_writer(void **state) {
  test_store *t = with_three();
  seen_store *reader;
  seen_sqlite_options options = t->options;
  seen_record record = test_record_plain("d", 1);
  (void)state;
  store_open(t);
  options.read_only = true;
  assert_int_equal(seen_store_open_sqlite(&options, &reader, NULL), SEEN_OK);
  assert_int_equal(store_count_of(reader), 3);
  store_put(t, &record, 1, 4);
  assert_int_equal(store_count_of(reader), 4);
  reader->close(reader);
  store_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_load__a_record_that_was_changed_is_left_out),
      cmocka_unit_test(test_load__a_record_under_another_id_is_left_out),
      cmocka_unit_test(test_load__numbers_that_were_changed_leave_it_out),
      cmocka_unit_test(test_load__a_lost_or_changed_piece_leaves_it_out),
      cmocka_unit_test(test_load__a_lost_record_is_missed),
      cmocka_unit_test(test_load__without_its_totals_nothing_is_sure),
      cmocka_unit_test(test_load__corrupt_it_is_set_aside_and_begun_anew),
      cmocka_unit_test(test_load__meta_that_was_changed_is_refused),
      cmocka_unit_test(test_load__it_ends_where_it_is_told_to),
      cmocka_unit_test(test_load__twice_it_is_the_same),
      cmocka_unit_test(test_load__without_memory_it_can_be_tried_again),
      cmocka_unit_test(test_load__reading_beside_a_writer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
