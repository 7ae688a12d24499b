#include "engine/settings.h"

#include "support/engine.h"

static test_engine *start(void) {
  test_engine *t = engine_start();
  say_row(t, "g", word_at(0, 0, 0, 9));
  return t;
}

/* The server's word on mute. */
static void set_muted(test_engine *t, bool muted) {
  seen_input input = {.size = sizeof input, .type = SEEN_INPUT_SET, .id = "g"};
  input.u.settings = (seen_settings){.has_muted = true, .muted = muted};
  assert_int_equal(feed(t, &input), SEEN_OK);
}

static void new_link(test_engine *t) {
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say_on(t, SEEN_INPUT_LINK, NULL, true);
}

static void test_settings__are_shown_and_sent_at_once(void **state) {
  test_engine *t = start();
  (void)state;
  say_on(t, SEEN_INPUT_MUTE, "g", true);
  say_on(t, SEEN_INPUT_PIN, "g", true);
  assert_true(state_of(t, "g").muted && state_of(t, "g").pinned);
  assert_false(state_of(t, "g").pending); /* V5 */
  expect_sent(t, "mute g on, pin g on");
  engine_end(t);
}

static void test_settings__what_is_so_already_is_not_said(void **state) {
  test_engine *t = start();
  (void)state;
  say_on(t, SEEN_INPUT_MUTE, "g", false);
  say_on(t, SEEN_INPUT_PIN, "g", true);
  say_on(t, SEEN_INPUT_PIN, "g", true);
  expect_sent(t, "pin g on");
  engine_end(t);
}

static void test_settings__go_again_until_the_server_agrees(void **state) {
  test_engine *t = start();
  (void)state;
  say_on(t, SEEN_INPUT_MUTE, "g", true);
  set_muted(t, false); /* said before it heard */
  assert_true(state_of(t, "g").muted);
  new_link(t);
  expect_sent(t, "mute g on, mute g on");
  set_muted(t, true);
  new_link(t);
  expect_sent(t, "");
  set_muted(t, false); /* another device */
  assert_false(state_of(t, "g").muted);
  engine_end(t);
}

static void
test_settings__changed_back_before_it_heard_is_said_too(void **state) {
  test_engine *t = start();
  (void)state;
  say_on(t, SEEN_INPUT_MUTE, "g", true);
  say_on(t, SEEN_INPUT_MUTE, "g", false);
  expect_sent(t, "mute g on, mute g off");
  set_muted(t, true); /* the first of the two arrived */
  assert_false(state_of(t, "g").muted);
  new_link(t);
  expect_sent(t, "mute g off");
  engine_end(t);
}

static void test_settings__muted_rows_count_as_a_dot(void **state) {
  test_engine *t = start();
  (void)state;
  set_muted(t, true);
  assert_int_equal(state_of(t, "g").badge, SEEN_BADGE_DOT_KIND);
  assert_int_equal(state_of(t, "g").unread, 9);
  assert_int_equal(totals_of(t).muted, 9);
  engine_end(t);
}

static void test_settings__a_pinned_row_moves_to_the_top(void **state) {
  test_engine *t = start();
  seen_state rows[2];
  (void)state;
  say_row(t, "a", word_at(0, 0, 0, 9));
  assert_int_equal(seen_engine_page(t->engine, 0, 2, rows), 2);
  assert_string_equal(rows[0].id, "a");
  say_on(t, SEEN_INPUT_PIN, "g", true);
  seen_engine_page(t->engine, 0, 2, rows);
  assert_string_equal(rows[0].id, "g");
  engine_end(t);
}

static void
test_settings__wait_for_a_snapshot_of_this_incarnation(void **state) {
  test_engine *t = start();
  (void)state;
  say(t, SEEN_INPUT_SERVER_RESET, NULL);
  say_on(t, SEEN_INPUT_MUTE, "g", true);
  expect_sent(t, "resync");
  assert_true(state_of(t, "g").muted);
  say_row(t, "g", word_at(0, 0, 0, 9));
  expect_sent(t, "mute g on");
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_settings__are_shown_and_sent_at_once),
      cmocka_unit_test(test_settings__what_is_so_already_is_not_said),
      cmocka_unit_test(test_settings__go_again_until_the_server_agrees),
      cmocka_unit_test(test_settings__changed_back_before_it_heard_is_said_too),
      cmocka_unit_test(test_settings__muted_rows_count_as_a_dot),
      cmocka_unit_test(test_settings__a_pinned_row_moves_to_the_top),
      cmocka_unit_test(test_settings__wait_for_a_snapshot_of_this_incarnation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
