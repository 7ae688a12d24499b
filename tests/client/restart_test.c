#include <seen/sys/mirror.h>
#include <seen/sys/working.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/mirror.h"
#include "support/record.h"
#include "support/store.h"

static bool link_of(test_mirror *t) {
  seen_session session = {.size = sizeof session};
  seen_engine_session(seen_mirror_engine(t->mirror), &session);
  return session.link;
}

static void test_mirror__begins_with_the_link_down(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  assert_false(link_of(t));
  mirror_row(t, "a", 3, 10);
  mirror_write(t);
  mirror_restart(t);
  assert_false(link_of(t));
  mirror_end(t);
}

static void
test_mirror__what_was_written_is_there_after_a_restart(void **state) {
  test_mirror *t = mirror_start();
  char *before, *after;
  (void)state;
  mirror_row(t, "a", 3, 10);
  mirror_row(t, "b", 0, 2);
  mirror_message(t, "a", 12);
  mirror_write(t);
  before = mirror_text(t);
  mirror_restart(t);
  after = mirror_text(t);
  assert_string_equal(after, before);
  assert_int_equal(t->left_out, 0);
  assert_int_equal(seen_mirror_unwritten(t->mirror), 0);
  assert_int_equal(seen_mirror_deadline(t->mirror), SEEN_NEVER);
  free(before);
  free(after);
  mirror_end(t);
}

static void fail_from_now_on(test_mirror *t, spy_call call, int code) {
  t->spy.failing = call;
  t->spy.code = code;
}

static void set_version(test_mirror *t, uint64_t version) {
  assert_int_equal(seen_mirror_set_server(t->mirror, NULL, version, NULL), 0);
}

static void test_mirror__another_users_is_refused(void **state) {
  test_mirror *t = mirror_start();
  seen_error error = SEEN_ERROR_INIT;
  (void)state;
  mirror_commit(t);
  seen_mirror_free(t->mirror);
  t->options.user = "you";
  assert_int_equal(mirror_try(t, &error), SEEN_EINVAL);
  assert_null(t->mirror);
  assert_non_null(strstr(error.message, "user"));
  mirror_end(t);
}

static void test_mirror__another_device_is_noted(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_commit(t);
  t->options.device = "tablet";
  mirror_restart(t);
  mirror_commit(t);
  assert_string_equal(mirror_stored_meta(t).device, "tablet");
  mirror_end(t);
}

/* Puts a record into the store that is not the mirror's. */
static void smuggle(test_mirror *t, const seen_record *record, uint64_t unread,
                    uint64_t totals) {
  test_store direct = {.store = t->spy.inner, .totals = {.unread = totals}};
  store_put(&direct, record, unread, 1);
}

static void
test_mirror__a_record_that_no_engine_writes_is_left_out(void **state) {
  test_mirror *t = mirror_start();
  seen_record record = test_record_plain("odd", 1);
  seen_meta meta;
  (void)state;
  set_version(t, 9);
  mirror_row(t, "a", 3, 10);
  mirror_write(t);
  record.flags = SEEN_RECORD_WISH;
  record.wish_read = 1;
  record.wish_shown = 2;
  smuggle(t, &record, 0, 7);
  mirror_restart(t);
  assert_int_equal(t->left_out, 1);
  assert_int_equal(mirror_unread(t, "a"), 7);
  assert_int_equal(seen_mirror_deadline(t->mirror), t->now);
  seen_mirror_server(t->mirror, &meta);
  assert_int_equal(meta.version, 0);
  mirror_commit(t);
  assert_int_equal(mirror_stored_meta(t).version, 0);
  mirror_restart(t);
  assert_int_equal(t->left_out, 0);
  mirror_end(t);
}

/* C180: a count is derived when it is opened, never taken over. */
static void
test_mirror__numbers_that_are_wrong_are_written_again(void **state) {
  test_mirror *t = mirror_start();
  seen_record record = test_record_plain("a", 1);
  (void)state;
  record.tally_base = record.tally_from = 1;
  smuggle(t, &record, 99, 99);
  mirror_restart(t);
  assert_int_equal(mirror_unread(t, "a"), 5);
  assert_int_equal(t->left_out, 0);
  assert_int_equal(seen_mirror_unwritten(t->mirror), 1);
  mirror_commit(t);
  assert_int_equal(mirror_stored(t).unread, 5);
  mirror_agrees(t);
  mirror_end(t);
}

static void test_mirror__totals_that_are_wrong_are_written_again(void **state) {
  test_mirror *t = mirror_start();
  const seen_totals wrong = {77, 7, 7, 7};
  seen_store *inner = t->spy.inner;
  (void)state;
  mirror_row(t, "a", 3, 10);
  mirror_write(t);
  inner->begin(inner, false, NULL);
  inner->put_totals(inner, &wrong, 1, NULL);
  inner->commit(inner, NULL);
  mirror_restart(t);
  assert_int_equal(seen_mirror_deadline(t->mirror), t->now);
  mirror_commit(t);
  assert_int_equal(mirror_stored(t).unread, 7);
  mirror_end(t);
}

static void
test_mirror__what_is_corrupt_is_told_and_written_anew(void **state) {
  static const spy_call calls[] = {SPY_META, SPY_TOTALS, SPY_LOAD};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    test_mirror *t = mirror_start();
    seen_meta meta;
    set_version(t, 9);
    mirror_row(t, "a", 3, 10);
    mirror_row(t, "b", 3, 10);
    mirror_write(t);
    fail_from_now_on(t, calls[i], SEEN_ECORRUPT);
    mirror_restart(t);
    t->spy.code = SEEN_OK;
    assert_in_range(t->left_out, 1, 2);
    assert_int_equal(mirror_unread(t, "a"), 7);
    seen_mirror_server(t->mirror, &meta);
    assert_int_equal(meta.version, 0);
    spy_forget(t);
    mirror_commit(t);
    assert_int_equal(t->spy.calls[SPY_PUT], 2);
    assert_int_equal(t->spy.calls[SPY_PUT_META], 1);
    assert_int_equal(mirror_stored(t).unread, 14);
    mirror_agrees(t);
    mirror_end(t);
  }
}

static void test_mirror__what_can_not_be_loaded_is_not_opened(void **state) {
  static const spy_call calls[] = {SPY_META, SPY_TOTALS, SPY_LOAD};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    test_mirror *t = mirror_start();
    fail_from_now_on(t, calls[i], SEEN_EIO);
    seen_mirror_free(t->mirror);
    assert_int_equal(mirror_try(t, NULL), SEEN_EIO);
    assert_null(t->mirror);
    mirror_end(t);
  }
}

/* The file turns out corrupt under the writer's hands. */
static void test_mirror__a_new_file_gets_everything(void **state) {
  test_store *files = store_start();
  test_mirror *t;
  seen_totals totals;
  (void)state;
  store_open(files);
  t = mirror_start_with(files->store);
  files->store = NULL;
  mirror_row(t, "a", 3, 10);
  mirror_row(t, "b", 0, 2);
  mirror_write(t);
  store_sql(files, "UPDATE totals SET unread = 5");
  mirror_restart(t);
  assert_int_equal(t->left_out, 2);
  mirror_commit(t);
  assert_int_equal(t->spy.store.origin, SEEN_ORIGIN_REPLACED);
  assert_int_equal(seen_badge_read(files->options.path, NULL, &totals, NULL),
                   SEEN_OK);
  assert_int_equal(totals.unread, 9);
  mirror_restart(t);
  assert_int_equal(t->left_out, 0);
  assert_int_equal(mirror_unread(t, "a"), 7);
  mirror_end(t);
  store_end(files);
}

/* C167: before the upgrade and after it the same is unread. */
static void test_mirror__an_upgrade_changes_no_count(void **state) {
  test_store *files = store_start();
  char *sql = test_file_read(SEEN_ROOT "/tests/store/schema1.sql", NULL);
  test_mirror *t;
  seen_row row;
  (void)state;
  store_sql(files, sql);
  store_open(files);
  t = mirror_start_with(files->store);
  files->store = NULL;
  assert_int_equal(t->left_out, 0);
  assert_int_equal(mirror_unread(t, "c1"), 3);
  assert_int_equal(mirror_unread(t, "c2"), 0);
  assert_int_equal(mirror_unread(t, "c3"), 7);
  assert_int_equal(seen_mirror_unwritten(t->mirror), 3);
  mirror_commit(t);
  assert_int_equal(
      seen_badge_read_conversation(files->options.path, NULL, "c3", &row, NULL),
      SEEN_OK);
  assert_int_equal(row.unread, 7);
  free(sql);
  mirror_end(t);
  store_end(files);
}

static void feed_all(test_mirror *t) {
  mirror_row(t, "a", 3, 10);
  mirror_row(t, "b", 0, 2);
  mirror_message(t, "a", 13);
  mirror_at(t, 200);
  mirror_say(t, SEEN_INPUT_FORGET, "b");
  mirror_at(t, 400);
}

static void test_mirror__opened_without_memory_it_is_not(void **state) {
  test_mirror *t = mirror_start();
  int status = SEEN_ENOMEM;
  (void)state;
  feed_all(t);
  mirror_commit(t);
  seen_mirror_free(t->mirror);
  for (uint64_t n = 1; status; n++) {
    test_alloc_fail(&t->memory, n);
    status = mirror_try(t, NULL);
    test_alloc_fail(&t->memory, 0);
    if (!status) break;
    assert_int_equal(status, SEEN_ENOMEM);
    assert_null(t->mirror);
    assert_int_equal(t->memory.blocks, 0);
  }
  assert_in_range(t->memory.failures, 10, 1000);
  assert_int_equal(mirror_unread(t, "a"), 10);
  mirror_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mirror__begins_with_the_link_down),
      cmocka_unit_test(test_mirror__what_was_written_is_there_after_a_restart),
      cmocka_unit_test(test_mirror__another_users_is_refused),
      cmocka_unit_test(test_mirror__another_device_is_noted),
      cmocka_unit_test(test_mirror__a_record_that_no_engine_writes_is_left_out),
      cmocka_unit_test(test_mirror__numbers_that_are_wrong_are_written_again),
      cmocka_unit_test(test_mirror__totals_that_are_wrong_are_written_again),
      cmocka_unit_test(test_mirror__what_is_corrupt_is_told_and_written_anew),
      cmocka_unit_test(test_mirror__what_can_not_be_loaded_is_not_opened),
      cmocka_unit_test(test_mirror__a_new_file_gets_everything),
      cmocka_unit_test(test_mirror__an_upgrade_changes_no_count),
      cmocka_unit_test(test_mirror__opened_without_memory_it_is_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
