/* What an engine holds in work goes on in another one. */
#include <seen/sys/working.h>

#include "support/engine.h"

/* Another engine with all that this one holds, which ends. */
static test_engine *move_on(test_engine *t) {
  test_engine *next = engine_start_with(&t->options);
  seen_session session;
  seen_working working;
  seen_record record;
  seen_engine_free(next->engine);
  assert_int_equal(seen_engine_new(&next->options, t->now, &next->engine, NULL),
                   SEEN_OK);
  next->now = t->now;
  const char *id;
  for (seen_conv conv = 1; (id = seen_engine_id(t->engine, conv)); conv++) {
    if (seen_engine_record(t->engine, conv, &record) == SEEN_OK)
      assert_int_equal(seen_engine_restore(next->engine, &record, NULL),
                       SEEN_OK);
    assert_int_equal(seen_engine_working(t->engine, conv, &working), SEEN_OK);
    assert_int_equal(seen_engine_resume(next->engine, id, &working, NULL),
                     SEEN_OK);
  }
  seen_engine_session(t->engine, &session);
  assert_int_equal(seen_engine_resume_session(next->engine, &session, NULL),
                   SEEN_OK);
  engine_end(t);
  return next;
}

static test_engine *start_open(void) {
  test_engine *t = engine_start();
  say_row(t, "g", word_at(0, 0, 0, 50));
  say(t, SEEN_INPUT_OPEN, "g");
  return t;
}

static void test_working__a_dwell_goes_on(void **state) {
  test_engine *t = start_open();
  (void)state;
  at(t, 100);
  say_visible(t, "g", 1, 5);
  at(t, 200);
  t = move_on(t);
  at(t, 249);
  assert_int_equal(state_of(t, "g").read_seq, 0);
  at(t, 250);
  assert_int_equal(state_of(t, "g").read_seq, 5);
  engine_end(t);
}

static void test_working__the_divider_and_a_block_stay(void **state) {
  test_engine *t = start_open();
  (void)state;
  say_mark_read(t, "g", 20);
  say_mark_unread(t, "g", 10);
  t = move_on(t);
  assert_int_equal(state_of(t, "g").first_unread, 1);
  say_visible(t, "g", 1, 50);
  at(t, 500);
  assert_int_equal(state_of(t, "g").read_seq, 10);
  engine_end(t);
}

static void test_working__what_is_in_flight_is_not_repeated(void **state) {
  test_engine *t = start_open();
  (void)state;
  say_mark_read(t, "g", 4);
  t = move_on(t);
  say(t, SEEN_INPUT_FLUSH, NULL);
  at(t, 9000);
  expect_sent(t, "");
  engine_end(t);
}

static void test_working__a_debounce_goes_on(void **state) {
  test_engine *t = start_open();
  (void)state;
  say_visible(t, "g", 1, 5);
  at(t, 300);
  t = move_on(t);
  at(t, 649);
  expect_sent(t, "");
  at(t, 650);
  expect_sent(t, "report g 0:5");
  engine_end(t);
}

static void test_working__a_wait_after_rate_limited_goes_on(void **state) {
  test_engine *t = start_open();
  (void)state;
  say_mark_read(t, "g", 4);
  say_refusal(t, "g", SEEN_REQUEST_REPORT, SEEN_REFUSAL_RATE_LIMITED,
              word_at(0, 0, 0, 0));
  t = move_on(t);
  at(t, 999);
  expect_sent(t, "");
  at(t, 1000);
  expect_sent(t, "report g 0:4");
  engine_end(t);
}

static void test_working__the_bucket_is_as_full_as_it_was(void **state) {
  test_engine *t = start_open();
  (void)state;
  for (uint64_t seq = 1; seq <= 4; seq++)
    say_mark_read(t, "g", seq);
  t = move_on(t);
  say_mark_read(t, "g", 5);
  assert_int_equal(metrics_of(t).report_frames, 4);
  at(t, 500);
  assert_int_equal(metrics_of(t).report_frames, 5);
  engine_end(t);
}

static void test_working__frames_are_numbered_on(void **state) {
  test_engine *t = start_open();
  seen_effect effect = {.size = sizeof effect};
  seen_input input = {.size = sizeof input,
                      .type = SEEN_INPUT_MARK_READ,
                      .id = "g",
                      .u.seq = {true, 9}};
  (void)state;
  say_mark_read(t, "g", 5);
  t = move_on(t);
  assert_int_equal(seen_engine_feed(t->engine, &input, t->now, NULL), SEEN_OK);
  assert_true(seen_engine_next(t->engine, &effect));
  assert_int_equal(effect.type, SEEN_EFFECT_REPORT);
  assert_int_equal(effect.u.report.frame, 2);
  engine_end(t);
}

static void test_working__a_bucket_that_nobody_knows_is_full(void **state) {
  test_engine *t = engine_start();
  seen_session session;
  seen_engine *next;
  (void)state;
  seen_engine_session(t->engine, &session);
  session.units = SEEN_NEVER;
  assert_int_equal(seen_engine_new(&t->options, 0, &next, NULL), SEEN_OK);
  assert_int_equal(seen_engine_resume_session(next, &session, NULL), SEEN_OK);
  seen_engine_session(next, &session);
  assert_int_equal(session.units, 4000);
  seen_engine_free(next);
  engine_end(t);
}

static void test_working__of_a_report_that_was_answered_nothing(void **state) {
  test_engine *t = start_open();
  seen_working working;
  (void)state;
  say_mark_read(t, "g", 5);
  assert_int_equal(seen_engine_working(t->engine, 1, &working), SEEN_OK);
  assert_int_equal(working.sent_seq, 5);
  say_refusal(t, "g", SEEN_REQUEST_REPORT, SEEN_REFUSAL_SEQ_OUT_OF_RANGE,
              word_at(0, 0, 0, 50));
  assert_int_equal(seen_engine_working(t->engine, 1, &working), SEEN_OK);
  assert_int_equal(working.flags & SEEN_WORKING_SENT, 0);
  assert_int_equal(working.sent_seq, 0);
  engine_end(t);
}

static void test_working__a_gap_keeps_its_time(void **state) {
  test_engine *t = start_open();
  (void)state;
  t->now = 100;
  say_message(t, "g", 60, "u2");
  at(t, 900);
  t = move_on(t);
  at(t, 1099);
  expect_sent(t, "");
  at(t, 1100);
  expect_sent(t, "fetch g");
  engine_end(t);
}

static void test_working__what_was_asked_for_is_not_again(void **state) {
  test_engine *t = start_open();
  (void)state;
  say_message(t, "g", 60, "u2");
  say_message(t, "x", 60, "u2");
  at(t, 1000);
  t = move_on(t);
  say_message(t, "x", 61, "u2");
  at(t, 9000);
  expect_sent(t, "");
  engine_end(t);
}

static void test_working__what_is_unwritten_is_written_in_time(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 50));
  at(t, 150);
  t = move_on(t);
  at(t, 199);
  expect_stored(t, "");
  at(t, 200);
  expect_stored(t, "store g");
  engine_end(t);
}

static void test_working__is_put_back_only_before_the_first_feed(void **state) {
  test_engine *t = start_open();
  seen_working working;
  seen_session session;
  (void)state;
  assert_int_equal(seen_engine_working(t->engine, 1, &working), SEEN_OK);
  assert_int_equal(seen_engine_resume(t->engine, "g", &working, NULL),
                   SEEN_ESTATE);
  seen_engine_session(t->engine, &session);
  assert_int_equal(seen_engine_resume_session(t->engine, &session, NULL),
                   SEEN_ESTATE);
  assert_int_equal(seen_engine_working(t->engine, 9, &working), SEEN_ENOTFOUND);
  engine_end(t);
}

static void test_working__a_session_of_another_time_is_refused(void **state) {
  test_engine *t = engine_start();
  seen_session good, bad;
  (void)state;
  seen_engine_session(t->engine, &good);
  bad = good;
  bad.now = 5;
  assert_int_equal(seen_engine_resume_session(t->engine, &bad, NULL),
                   SEEN_EINVAL);
  bad = good;
  bad.units = 4001; /* of a bucket of 4 */
  assert_int_equal(seen_engine_resume_session(t->engine, &bad, NULL),
                   SEEN_EINVAL);
  bad = good;
  bad.size = 1;
  assert_int_equal(seen_engine_resume_session(t->engine, &bad, NULL),
                   SEEN_EINVAL);
  assert_int_equal(seen_engine_resume_session(t->engine, &good, NULL), SEEN_OK);
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_working__a_dwell_goes_on),
      cmocka_unit_test(test_working__the_divider_and_a_block_stay),
      cmocka_unit_test(test_working__what_is_in_flight_is_not_repeated),
      cmocka_unit_test(test_working__a_debounce_goes_on),
      cmocka_unit_test(test_working__a_wait_after_rate_limited_goes_on),
      cmocka_unit_test(test_working__the_bucket_is_as_full_as_it_was),
      cmocka_unit_test(test_working__frames_are_numbered_on),
      cmocka_unit_test(test_working__a_bucket_that_nobody_knows_is_full),
      cmocka_unit_test(test_working__of_a_report_that_was_answered_nothing),
      cmocka_unit_test(test_working__a_gap_keeps_its_time),
      cmocka_unit_test(test_working__what_was_asked_for_is_not_again),
      cmocka_unit_test(test_working__what_is_unwritten_is_written_in_time),
      cmocka_unit_test(test_working__is_put_back_only_before_the_first_feed),
      cmocka_unit_test(test_working__a_session_of_another_time_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
