/*
 * The program brings a sqlite3_key() of its own, as a library with a cipher
 * does. It deciphers nothing, but remembers what it was given.
 */
#include "store/sqlite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/store.h"

static struct {
  char text[128];
  int size;
  int calls;
  int answer;
} given;

int sqlite3_key(sqlite3 *database, const void *key, int size);

int sqlite3_key(sqlite3 *database, const void *key, int size) {
  assert_non_null(database);
  assert_in_range(size, 1, sizeof given.text - 1);
  memcpy(given.text, key, (size_t)size);
  given.text[size] = '\0';
  given.size = size;
  given.calls++;
  return given.answer;
}

static const uint8_t KEY[SN_KEY_SIZE] = {
    0x00, 0x01, 0x7f, 0x80, 0xff, 0xab, 0xcd, 0xef, 16, 17, 18,
    19,   20,   21,   22,   23,   24,   25,   26,   27, 28, 29,
    30,   31,   32,   33,   34,   35,   36,   37,   38, 39};

static test_store *start(void) {
  test_store *t = store_start();
  memset(&given, 0, sizeof given);
  t->options.key = KEY;
  return t;
}

static void test_key__is_given_as_raw_bytes_before_anything(void **state) {
  test_store *t = start();
  (void)state;
  assert_true(sn_key_supported());
  store_open(t);
  assert_int_equal(given.calls, 1);
  assert_string_equal(given.text,
                      "x'00017f80ffabcdef"
                      "101112131415161718191a1b1c1d1e1f2021222324252627'");
  assert_int_equal(given.size, 67);
  store_end(t);
}

static void test_key__is_given_by_readers_too(void **state) {
  test_store *t = start();
  seen_totals totals;
  (void)state;
  store_open(t);
  assert_int_equal(seen_badge_read(t->options.path, KEY, &totals, NULL),
                   SEEN_OK);
  assert_int_equal(given.calls, 2);
  store_end(t);
}

static void test_key__none_is_given_where_there_is_none(void **state) {
  test_store *t = start();
  (void)state;
  t->options.key = NULL;
  store_open(t);
  assert_int_equal(given.calls, 0);
  store_end(t);
}

static void test_key__one_that_is_not_taken_is_told(void **state) {
  test_store *t = start();
  (void)state;
  given.answer = SQLITE_NOMEM;
  assert_int_equal(store_try(t, NULL), SEEN_ENOMEM);
  store_end(t);
}

/* To SQLite a file under another key is no database. */
static void write_unreadable(const test_store *t) {
  char bytes[8192];
  memset(bytes, 0xe7, sizeof bytes);
  test_file_write(t->options.path, bytes, sizeof bytes);
}

static void test_key__a_file_that_it_does_not_open_stays(void **state) {
  test_store *t = start();
  seen_error error = SEEN_ERROR_INIT;
  size_t size;
  char *bytes;
  (void)state;
  write_unreadable(t);
  assert_int_equal(store_try(t, &error), SEEN_EKEY);
  assert_int_equal(error.code, SEEN_EKEY);
  assert_int_equal(test_folder_count(&t->folder, "mirror.db.aside"), 0);
  bytes = test_file_read(t->options.path, &size);
  assert_int_equal(size, 8192);
  for (size_t i = 0; i < size; i++)
    assert_int_equal((unsigned char)bytes[i], 0xe7);
  free(bytes);
  store_end(t);
}

static void test_key__a_reader_says_so_and_changes_nothing(void **state) {
  test_store *t = start();
  seen_totals totals = {1, 2, 3, 4};
  (void)state;
  write_unreadable(t);
  assert_int_equal(seen_badge_read(t->options.path, KEY, &totals, NULL),
                   SEEN_EKEY);
  assert_int_equal(totals.unread + totals.mentions, 0);
  assert_int_equal(test_folder_count(&t->folder, ""), 1);
  store_end(t);
}

static void test_key__until_the_host_says_reset(void **state) {
  test_store *t = start();
  (void)state;
  write_unreadable(t);
  assert_int_equal(store_try(t, NULL), SEEN_EKEY);
  assert_int_equal(seen_store_reset(t->options.path, NULL), SEEN_OK);
  store_open(t);
  assert_int_equal(t->store->origin, SEEN_ORIGIN_NEW);
  assert_int_equal(test_folder_count(&t->folder, "mirror.db.aside-"), 1);
  store_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_key__is_given_as_raw_bytes_before_anything),
      cmocka_unit_test(test_key__is_given_by_readers_too),
      cmocka_unit_test(test_key__none_is_given_where_there_is_none),
      cmocka_unit_test(test_key__one_that_is_not_taken_is_told),
      cmocka_unit_test(test_key__a_file_that_it_does_not_open_stays),
      cmocka_unit_test(test_key__a_reader_says_so_and_changes_nothing),
      cmocka_unit_test(test_key__until_the_host_says_reset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
