/* The door: time, turns, unknown conversations, effects that are pulled. */
#include <seen/sys/engine.h>

#include <stdio.h>

#include "support/engine.h"

static void test_engine__a_new_one_holds_nothing(void **state) {
  test_engine *t = engine_start();
  (void)state;
  assert_int_equal(seen_engine_count(t->engine), 0);
  assert_int_equal(seen_engine_deadline(t->engine), SEEN_NEVER);
  expect_sent(t, "");
  expect_told(t, "");
  engine_end(t);
}

static void test_engine__without_memory_none_is_made(void **state) {
  seen_options options = engine_options();
  test_alloc memory;
  seen_engine *engine;
  (void)state;
  test_alloc_init(&memory);
  options.allocator = &memory.allocator;
  for (uint64_t n = 1; n < 20; n++) {
    test_alloc_fail(&memory, n);
    if (seen_engine_new(&options, 0, &engine, NULL) == SEEN_OK) break;
    assert_null(engine);
    test_alloc_check(&memory);
  }
  seen_engine_free(engine);
  assert_true(memory.failures > 3);
  test_alloc_check(&memory);
}

static void test_engine__none_begins_after_the_end_of_time(void **state) {
  seen_options options = engine_options();
  seen_engine *engine;
  (void)state;
  assert_int_equal(seen_engine_new(&options, SEEN_SEQ_MAX + 1, &engine, NULL),
                   SEEN_ERANGE);
  assert_null(engine);
  assert_int_equal(seen_engine_new(&options, SEEN_SEQ_MAX, &engine, NULL),
                   SEEN_OK);
  seen_engine_free(engine);
}

static void test_engine__its_options_are_its_own(void **state) {
  char user[] = "u1";
  seen_options options = engine_options();
  (void)state;
  options.user = user;
  test_engine *t = engine_start_with(&options);
  memset(user, 'x', 1);
  say_row(t, "g", word_at(0, 0, 0, 0));
  say_message(t, "g", 1, "u1");
  assert_int_equal(state_of(t, "g").unread, 0);
  engine_end(t);
}

static void test_engine__the_clock_does_not_go_back(void **state) {
  test_engine *t = engine_start();
  seen_input tick = {.size = sizeof tick, .type = SEEN_INPUT_TICK};
  (void)state;
  at(t, 100);
  t->now = 99;
  assert_int_equal(feed(t, &tick), SEEN_ECLOCK);
  t->now = SEEN_SEQ_MAX + 1;
  assert_int_equal(feed(t, &tick), SEEN_ERANGE);
  t->now = 100;
  assert_int_equal(feed(t, &tick), SEEN_OK);
  engine_end(t);
}

static void
test_engine__an_input_that_is_refused_lets_no_time_pass(void **state) {
  test_engine *t = engine_start();
  seen_input bad = {.size = 1, .type = SEEN_INPUT_TICK};
  (void)state;
  t->now = 500;
  assert_int_equal(feed(t, &bad), SEEN_EINVAL);
  at(t, 100);
  engine_end(t);
}

static void test_engine__timers_fire_in_time_before_the_input(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 1, 3);
  t->now = 5000; /* dwell at 150, report at 650, and a message only now */
  say_message(t, "g", 10, "u2");
  expect_sent(t, "report g 0:3");
  engine_end(t);
}

static void test_engine__what_is_due_now_follows_the_input(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 1, 3);
  t->now = 150;
  say(t, SEEN_INPUT_CLOSE, "g"); /* its dwell ended first */
  expect_sent(t, "report g 0:3");
  engine_end(t);
}

static void
test_engine__one_without_a_row_is_asked_for_once_a_link(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_message(t, "x", 5, "u2");
  say_message(t, "x", 6, "u2");
  say_word(t, "x", word_at(0, 1, 0, 6));
  expect_sent(t, "fetch x");
  assert_false(has_row(t, "x"));
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say_message(t, "x", 7, "u2");
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "");
  say_message(t, "x", 8, "u2");
  expect_sent(t, "fetch x");
  engine_end(t);
}

static void test_engine__other_inputs_for_no_row_are_ignored(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_mark_read(t, "x", 5);
  say(t, SEEN_INPUT_OPEN, "x");
  say(t, SEEN_INPUT_FORGET, "x");
  say_ack(t, "x", SEEN_REQUEST_REPORT, word_at(0, 1, 0, 1));
  expect_sent(t, "");
  assert_int_equal(seen_engine_find(t->engine, "x"), 0);
  engine_end(t);
}

static void test_engine__a_handle_that_was_not_given_is_refused(void **state) {
  test_engine *t = engine_start();
  seen_input open = {.size = sizeof open, .type = SEEN_INPUT_OPEN, .conv = 7};
  seen_conv conv;
  (void)state;
  assert_int_equal(feed(t, &open), SEEN_EINVAL);
  assert_int_equal(seen_engine_intern(t->engine, "g", &conv, NULL), SEEN_OK);
  assert_int_equal(conv, 1);
  open.conv = conv;
  assert_int_equal(feed(t, &open), SEEN_OK);
  engine_end(t);
}

static void test_engine__ids_have_1_to_255_bytes(void **state) {
  test_engine *t = engine_start();
  char id[257];
  seen_conv conv;
  (void)state;
  memset(id, 'a', sizeof id);
  id[255] = '\0';
  assert_int_equal(seen_engine_intern(t->engine, id, &conv, NULL), SEEN_OK);
  id[255] = 'a';
  id[256] = '\0';
  assert_int_equal(seen_engine_intern(t->engine, id, &conv, NULL), SEEN_EINVAL);
  assert_int_equal(seen_engine_intern(t->engine, "", &conv, NULL), SEEN_EINVAL);
  engine_end(t);
}

static void
test_engine__changes_are_written_together_after_a_while(void **state) {
  test_engine *t = engine_start();
  (void)state;
  t->now = 100;
  say_row(t, "g", word_at(0, 0, 0, 9));
  t->now = 250;
  say_row(t, "h", word_at(0, 0, 0, 9));
  at(t, 299);
  expect_stored(t, "");
  at(t, 300);
  expect_stored(t, "store g, store h");
  at(t, 9000);
  expect_stored(t, "");
  engine_end(t);
}

static void
test_engine__what_a_person_says_by_name_is_written_at_once(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_mark_read(t, "g", 3);
  expect_stored(t, "store g");
  say_mark_unread(t, "g", 1);
  expect_stored(t, "store g");
  say_on(t, SEEN_INPUT_MUTE, "g", true);
  expect_stored(t, "store g");
  say(t, SEEN_INPUT_FORGET, "g");
  expect_stored(t, "delete g");
  engine_end(t);
}

static void test_engine__what_closes_outlives_a_power_failure(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say(t, SEEN_INPUT_OPEN, "g");
  say(t, SEEN_INPUT_CLOSE, "g");
  expect_stored(t, "store g, sync");
  say_on(t, SEEN_INPUT_APP, NULL, false);
  expect_stored(t, "sync");
  engine_end(t);
}

/* Pulls one effect and leaves the others. */
static void pull_one(test_engine *t) {
  seen_effect effect;
  seen_engine_next(t->engine, &effect);
}

/* Each of five rows changes and is written. */
static void change_rows(test_engine *t, uint64_t last, int pulls) {
  char id[4];
  for (int i = 0; i < 5; i++) {
    snprintf(id, sizeof id, "g%d", i);
    say_row(t, id, word_at(0, 0, 0, last));
    say_mark_read(t, id, last);
    for (int pull = 0; pull < pulls; pull++)
      pull_one(t);
  }
}

static void test_engine__effects_wait_until_they_are_pulled(void **state) {
  test_engine *t = engine_start();
  (void)state;
  for (uint64_t last = 1; last < 20; last++)
    change_rows(t, last, 2);
  change_rows(t, 20, 0);
  seen_effect effect;
  size_t stored = 0, changed = 0;
  while (seen_engine_next(t->engine, &effect)) {
    stored += effect.type == SEEN_EFFECT_STORE;
    changed += effect.type == SEEN_EFFECT_CONVERSATION_CHANGED;
  }
  assert_int_equal(stored, 5);
  assert_int_equal(changed, 5);
  engine_end(t);
}

static void
test_engine__a_row_is_told_once_however_often_it_changed(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_message(t, "g", 10, "u2");
  say_message(t, "g", 11, "u2");
  expect_told(t, "changed g, list, totals");
  say(t, SEEN_INPUT_TICK, NULL);
  expect_told(t, "");
  engine_end(t);
}

static void test_engine__the_same_inputs_give_the_same_marks(void **state) {
  uint64_t ops[2];
  (void)state;
  for (int i = 0; i < 2; i++) {
    test_engine *t = engine_start();
    seen_effect effect;
    say_row(t, "g", word_at(0, 5, 0, 9));
    say_mark_unread(t, "g", 2);
    assert_true(seen_engine_next(t->engine, &effect));
    assert_int_equal(effect.type, SEEN_EFFECT_MARK_UNREAD);
    ops[i] = effect.u.mark.op;
    engine_end(t);
  }
  assert_true(ops[0] == ops[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_engine__a_new_one_holds_nothing),
      cmocka_unit_test(test_engine__without_memory_none_is_made),
      cmocka_unit_test(test_engine__none_begins_after_the_end_of_time),
      cmocka_unit_test(test_engine__its_options_are_its_own),
      cmocka_unit_test(test_engine__the_clock_does_not_go_back),
      cmocka_unit_test(test_engine__an_input_that_is_refused_lets_no_time_pass),
      cmocka_unit_test(test_engine__timers_fire_in_time_before_the_input),
      cmocka_unit_test(test_engine__what_is_due_now_follows_the_input),
      cmocka_unit_test(test_engine__one_without_a_row_is_asked_for_once_a_link),
      cmocka_unit_test(test_engine__other_inputs_for_no_row_are_ignored),
      cmocka_unit_test(test_engine__a_handle_that_was_not_given_is_refused),
      cmocka_unit_test(test_engine__ids_have_1_to_255_bytes),
      cmocka_unit_test(test_engine__changes_are_written_together_after_a_while),
      cmocka_unit_test(
          test_engine__what_a_person_says_by_name_is_written_at_once),
      cmocka_unit_test(test_engine__what_closes_outlives_a_power_failure),
      cmocka_unit_test(test_engine__effects_wait_until_they_are_pulled),
      cmocka_unit_test(
          test_engine__a_row_is_told_once_however_often_it_changed),
      cmocka_unit_test(test_engine__the_same_inputs_give_the_same_marks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
