#include <seen/sys/mirror.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/mirror.h"

static void test_mirror__killed_it_has_what_was_committed(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 3, 10);
  mirror_write(t);
  mirror_message(t, "a", 11);
  mirror_at(t, t->now + 1000);
  mirror_restart(t);
  assert_int_equal(mirror_unread(t, "a"), 7);
  mirror_end(t);
}

static void test_mirror__where_nothing_is_noted_nothing_begins(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 3, 10);
  mirror_write(t);
  spy_forget(t);
  mirror_message(t, "a", 11);
  mirror_commit(t);
  assert_int_equal(t->spy.calls[SPY_BEGIN], 0);
  mirror_end(t);
}

static void test_mirror__a_thousand_messages_are_one_row(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 3, 10);
  mirror_write(t);
  spy_forget(t);
  for (uint64_t seq = 11; seq <= 1010; seq++)
    mirror_message(t, "a", seq);
  mirror_write(t);
  assert_int_equal(t->spy.calls[SPY_PUT], 1);
  assert_int_equal(mirror_stored(t).unread, 1007);
  mirror_end(t);
}

static void test_mirror__a_turn_is_one_transaction(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 3, 10);
  mirror_row(t, "b", 3, 10);
  mirror_row(t, "c", 3, 10);
  mirror_write(t);
  assert_int_equal(t->spy.calls[SPY_BEGIN], 1);
  assert_int_equal(t->spy.calls[SPY_PUT], 3);
  assert_int_equal(t->spy.calls[SPY_PUT_TOTALS], 1);
  assert_int_equal(t->spy.calls[SPY_PUT_META], 1);
  assert_int_equal(t->spy.calls[SPY_COMMIT], 1);
  assert_int_equal(t->spy.calls[SPY_ROLLBACK], 0);
  assert_int_equal(t->spy.durable, 0);
  mirror_end(t);
}

static void test_mirror__what_is_forgotten_is_deleted(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 3, 10);
  mirror_row(t, "b", 3, 10);
  mirror_write(t);
  mirror_say(t, SEEN_INPUT_FORGET, "a");
  mirror_write(t);
  assert_int_equal(t->spy.calls[SPY_REMOVE], 1);
  assert_int_equal(mirror_stored(t).unread, 7);
  mirror_restart(t);
  assert_int_equal(seen_engine_count(seen_mirror_engine(t->mirror)), 1);
  mirror_end(t);
}

/* The app goes to the background. */
static void say_background(test_mirror *t) {
  mirror_say(t, SEEN_INPUT_APP, NULL);
}

static void test_mirror__at_a_farewell_it_is_durable(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 3, 10);
  say_background(t);
  mirror_commit(t);
  assert_int_equal(t->spy.durable, 1);
  assert_int_equal(t->spy.calls[SPY_COMMIT], 1);
  mirror_write(t);
  mirror_end(t);
}

static void test_mirror__what_was_written_before_is_made_durable(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 3, 10);
  mirror_write(t);
  spy_forget(t);
  say_background(t);
  mirror_commit(t);
  assert_int_equal(t->spy.durable, 1);
  assert_int_equal(t->spy.calls[SPY_COMMIT], 1);
  mirror_end(t);
}

/* Each call of a transaction fails once, with each code. */
static void test_mirror__a_failure_loses_nothing(void **state) {
  static const spy_call calls[] = {SPY_BEGIN,      SPY_PUT,      SPY_REMOVE,
                                   SPY_PUT_TOTALS, SPY_PUT_META, SPY_COMMIT};
  static const int codes[] = {SEEN_EFULL, SEEN_EREADONLY, SEEN_EBUSY,
                              SEEN_EIO,   SEEN_ENOMEM,    SEEN_ECORRUPT};
  (void)state;
  for (size_t i = 0; i < 36; i++) {
    test_mirror *t = mirror_start();
    mirror_row(t, "a", 3, 10);
    mirror_row(t, "gone", 3, 10);
    mirror_write(t);
    mirror_message(t, "a", 11);
    mirror_say(t, SEEN_INPUT_FORGET, "gone");
    seen_mirror_set_server(t->mirror, "first", 4, NULL);
    t->spy.failing = calls[i % 6];
    t->spy.code = codes[i / 6];
    mirror_at(t, t->now + 200);
    assert_int_equal(mirror_commit_code(t), codes[i / 6]);
    t->spy.code = SEEN_OK;
    assert_in_range(seen_mirror_unwritten(t->mirror), 2, 3);
    assert_int_equal(mirror_stored(t).unread, 14);
    mirror_message(t, "a", 12);
    t->now = seen_mirror_deadline(t->mirror);
    mirror_commit(t);
    assert_int_equal(seen_mirror_unwritten(t->mirror), 0);
    assert_int_equal(mirror_stored(t).unread, 9);
    assert_int_equal(mirror_stored_meta(t).version, 4);
    mirror_restart(t);
    assert_int_equal(mirror_unread(t, "a"), 9);
    assert_int_equal(seen_engine_count(seen_mirror_engine(t->mirror)), 1);
    mirror_end(t);
  }
}

static void fail_from_now_on(test_mirror *t, spy_call call, int code) {
  t->spy.failing = call;
  t->spy.code = code;
}

static void test_mirror__tries_again_ever_more_slowly(void **state) {
  static const uint64_t waits[] = {250,  500,   1000,  2000,  4000,
                                   8000, 16000, 30000, 30000, 30000};
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 3, 10);
  fail_from_now_on(t, SPY_COMMIT, SEEN_EFULL);
  mirror_at(t, 200);
  for (size_t i = 0; i < 10; i++) {
    assert_int_equal(mirror_commit_code(t), SEEN_EFULL);
    assert_int_equal(seen_mirror_deadline(t->mirror), t->now + waits[i]);
    t->now += waits[i] - 1;
    spy_forget(t);
    mirror_commit(t);
    assert_int_equal(t->spy.calls[SPY_BEGIN], 0);
    t->now++;
  }
  t->spy.code = SEEN_OK;
  mirror_commit(t);
  assert_int_equal(seen_mirror_deadline(t->mirror), SEEN_NEVER);
  mirror_message(t, "a", 11);
  fail_from_now_on(t, SPY_COMMIT, SEEN_EFULL);
  mirror_at(t, t->now + 200);
  assert_int_equal(mirror_commit_code(t), SEEN_EFULL);
  assert_int_equal(seen_mirror_deadline(t->mirror), t->now + 250);
  mirror_end(t);
}

static void test_mirror__a_farewell_waits_for_no_time(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 3, 10);
  fail_from_now_on(t, SPY_BEGIN, SEEN_EIO);
  mirror_at(t, 200);
  assert_int_equal(mirror_commit_code(t), SEEN_EIO);
  t->spy.code = SEEN_OK;
  say_background(t);
  mirror_commit(t);
  assert_int_equal(seen_mirror_unwritten(t->mirror), 0);
  assert_int_equal(t->spy.durable, 1);
  mirror_end(t);
}

/* A durable commit that failed is to be durable when it is tried again. */
static void test_mirror__a_failed_farewell_stays_one(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 3, 10);
  fail_from_now_on(t, SPY_COMMIT, SEEN_EIO);
  say_background(t);
  assert_int_equal(mirror_commit_code(t), SEEN_EIO);
  t->spy.code = SEEN_OK;
  spy_forget(t);
  t->now = seen_mirror_deadline(t->mirror);
  mirror_commit(t);
  assert_int_equal(t->spy.durable, 1);
  mirror_end(t);
}

/* The rows of 0 are due at 200, before the message of 300 is taken in. */
static void test_mirror__totals_are_of_what_is_written(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 3, 10);
  mirror_row(t, "b", 0, 5);
  mirror_write(t);
  mirror_message(t, "a", 11);
  t->now += 300;
  mirror_message(t, "b", 6);
  mirror_commit(t);
  assert_int_equal(mirror_stored(t).unread, 8 + 5);
  mirror_agrees(t);
  mirror_write(t);
  assert_int_equal(mirror_stored(t).unread, 8 + 6);
  mirror_end(t);
}

static void set_version(test_mirror *t, uint64_t version) {
  assert_int_equal(seen_mirror_set_server(t->mirror, NULL, version, NULL), 0);
}

static void test_mirror__a_version_waits_for_what_came_with_it(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 3, 10);
  mirror_write(t);
  mirror_message(t, "a", 11);
  set_version(t, 7);
  mirror_commit(t);
  assert_int_equal(mirror_stored_meta(t).version, 0);
  spy_forget(t);
  mirror_write(t);
  assert_int_equal(mirror_stored_meta(t).version, 7);
  assert_int_equal(t->spy.calls[SPY_COMMIT], 1);
  mirror_end(t);
}

/* What is written in the version's own turn came before it. */
static void test_mirror__older_rows_do_not_carry_a_version(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 3, 10);
  mirror_row(t, "b", 3, 10);
  mirror_write(t);
  mirror_message(t, "a", 11);
  t->now += 300;
  mirror_message(t, "b", 11);
  set_version(t, 7);
  mirror_commit(t);
  assert_int_equal(t->spy.calls[SPY_COMMIT], 2);
  assert_int_equal(mirror_stored_meta(t).version, 0);
  t->now += 300;
  mirror_message(t, "a", 12);
  mirror_commit(t);
  assert_int_equal(t->spy.calls[SPY_COMMIT], 3);
  assert_int_equal(mirror_stored_meta(t).version, 7);
  mirror_end(t);
}

/* P7: a mark is written as it leaves, and nothing besides. */
static void test_mirror__a_mark_that_leaves_carries_no_version(void **state) {
  const seen_input link = {
      .size = sizeof link, .type = SEEN_INPUT_LINK, .u.on = true};
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 10, 10);
  mirror_row(t, "b", 3, 10);
  mirror_say(t, SEEN_INPUT_MARK_UNREAD, "a");
  mirror_write(t);
  mirror_message(t, "b", 11);
  set_version(t, 7);
  mirror_commit(t);
  t->now++;
  spy_forget(t);
  mirror_feed(t, &link);
  mirror_commit(t);
  assert_int_equal(t->spy.calls[SPY_PUT], 1);
  assert_int_equal(mirror_stored_meta(t).version, 0);
  mirror_write(t);
  assert_int_equal(mirror_stored_meta(t).version, 7);
  mirror_end(t);
}

static void test_mirror__a_version_with_nothing_else_is_written(void **state) {
  test_mirror *t = mirror_start();
  seen_meta meta;
  (void)state;
  assert_int_equal(seen_mirror_set_server(t->mirror, "first", 7, NULL), 0);
  mirror_commit(t);
  set_version(t, 8);
  mirror_commit(t);
  meta = mirror_stored_meta(t);
  assert_string_equal(meta.incarnation, "first");
  assert_int_equal(meta.version, 8);
  mirror_restart(t);
  seen_mirror_server(t->mirror, &meta);
  assert_string_equal(meta.user, "me");
  assert_string_equal(meta.device, "phone");
  assert_string_equal(meta.incarnation, "first");
  assert_int_equal(meta.version, 8);
  mirror_end(t);
}

/* What failed was a version, and the next one waits for what came with it. */
static void test_mirror__what_has_to_wait_is_not_due(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "a", 3, 10);
  mirror_write(t);
  set_version(t, 7);
  fail_from_now_on(t, SPY_COMMIT, SEEN_EFULL);
  assert_int_equal(mirror_commit_code(t), SEEN_EFULL);
  t->now += 200;
  mirror_message(t, "a", 11);
  set_version(t, 8);
  t->now += 50;
  t->spy.code = SEEN_OK;
  mirror_commit(t);
  assert_true(seen_mirror_deadline(t->mirror) > t->now);
  mirror_write(t);
  assert_int_equal(mirror_stored_meta(t).version, 8);
  mirror_end(t);
}

static void feed_all(test_mirror *t) {
  mirror_row(t, "a", 3, 10);
  mirror_row(t, "b", 0, 2);
  mirror_message(t, "a", 13);
  mirror_at(t, 200);
  mirror_say(t, SEEN_INPUT_FORGET, "b");
  mirror_at(t, 400);
}

/* Pulling effects has nobody to tell: what could not be noted is found. */
static void test_mirror__noting_without_memory_loses_nothing(void **state) {
  test_mirror *t = mirror_start();
  seen_input tick = {.size = sizeof tick};
  seen_effect effect;
  (void)state;
  mirror_row(t, "a", 3, 10);
  mirror_row(t, "b", 3, 10);
  assert_int_equal(
      seen_engine_feed(seen_mirror_engine(t->mirror), &tick, 200, NULL),
      SEEN_OK);
  test_alloc_fail_on(&t->memory, 1);
  while (seen_mirror_next(t->mirror, &effect)) {
  }
  t->now = 200;
  assert_int_equal(mirror_commit_code(t), SEEN_ENOMEM);
  test_alloc_fail(&t->memory, 0);
  assert_int_equal(seen_mirror_unwritten(t->mirror), 2);
  t->now = seen_mirror_deadline(t->mirror);
  mirror_commit(t);
  assert_int_equal(mirror_stored(t).unread, 14);
  mirror_end(t);
}

static void test_mirror__a_commit_without_memory_is_tried_again(void **state) {
  int status = SEEN_ENOMEM;
  (void)state;
  for (uint64_t n = 1; status; n++) {
    test_mirror *t = mirror_start();
    feed_all(t);
    test_alloc_fail(&t->memory, n);
    status = mirror_commit_code(t);
    test_alloc_fail(&t->memory, 0);
    if (status) {
      assert_int_equal(status, SEEN_ENOMEM);
      t->now = seen_mirror_deadline(t->mirror);
      mirror_commit(t);
    }
    mirror_restart(t);
    assert_int_equal(mirror_unread(t, "a"), 10);
    mirror_end(t);
    assert_in_range(n, 1, 1000);
  }
}

static void test_mirror__what_is_not_taken_in_stays_as_it_was(void **state) {
  test_mirror *t = mirror_start();
  seen_meta meta;
  (void)state;
  assert_int_equal(seen_mirror_set_server(t->mirror, "first", 7, NULL), 0);
  test_alloc_fail(&t->memory, 1);
  assert_int_equal(seen_mirror_set_server(t->mirror, "second", 8, NULL),
                   SEEN_ENOMEM);
  seen_mirror_server(t->mirror, &meta);
  assert_string_equal(meta.incarnation, "first");
  assert_int_equal(meta.version, 7);
  mirror_end(t);
}

static void test_mirror__null_can_be_freed(void **state) {
  (void)state;
  seen_mirror_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mirror__killed_it_has_what_was_committed),
      cmocka_unit_test(test_mirror__where_nothing_is_noted_nothing_begins),
      cmocka_unit_test(test_mirror__a_thousand_messages_are_one_row),
      cmocka_unit_test(test_mirror__a_turn_is_one_transaction),
      cmocka_unit_test(test_mirror__what_is_forgotten_is_deleted),
      cmocka_unit_test(test_mirror__at_a_farewell_it_is_durable),
      cmocka_unit_test(test_mirror__what_was_written_before_is_made_durable),
      cmocka_unit_test(test_mirror__a_failure_loses_nothing),
      cmocka_unit_test(test_mirror__tries_again_ever_more_slowly),
      cmocka_unit_test(test_mirror__a_farewell_waits_for_no_time),
      cmocka_unit_test(test_mirror__a_failed_farewell_stays_one),
      cmocka_unit_test(test_mirror__totals_are_of_what_is_written),
      cmocka_unit_test(test_mirror__a_version_waits_for_what_came_with_it),
      cmocka_unit_test(test_mirror__older_rows_do_not_carry_a_version),
      cmocka_unit_test(test_mirror__a_mark_that_leaves_carries_no_version),
      cmocka_unit_test(test_mirror__a_version_with_nothing_else_is_written),
      cmocka_unit_test(test_mirror__what_has_to_wait_is_not_due),
      cmocka_unit_test(test_mirror__noting_without_memory_loses_nothing),
      cmocka_unit_test(test_mirror__a_commit_without_memory_is_tried_again),
      cmocka_unit_test(test_mirror__what_is_not_taken_in_stays_as_it_was),
      cmocka_unit_test(test_mirror__null_can_be_freed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
