#include "engine/reporter.h"

#include <seen/sys/working.h>

#include <stdio.h>

#include "support/engine.h"

static const seen_request REPORT = SEEN_REQUEST_REPORT;
static const seen_request MARK = SEEN_REQUEST_MARK_UNREAD;

static test_engine *start_at(uint64_t seq, uint64_t last) {
  test_engine *t = engine_start();
  say_row(t, "g", word_at(0, seq, 0, last));
  say(t, SEEN_INPUT_OPEN, "g");
  return t;
}

/* Reads up to `seq` by the viewport: 150 ms from now. */
static void read_to(test_engine *t, uint64_t seq) {
  say_visible(t, "g", seq, seq);
  at(t, t->now + 150);
}

static void limit(test_engine *t, seen_request of, uint64_t retry_ms) {
  seen_input input = {
      .size = sizeof input, .type = SEEN_INPUT_REFUSE, .id = "g"};
  input.u.answer = (seen_answer){
      .of = of, .refusal = SEEN_REFUSAL_RATE_LIMITED, .retry_ms = retry_ms};
  assert_int_equal(feed(t, &input), SEEN_OK);
}

static void test_reporter__waits_for_quiet_but_no_longer_than_the_limit(
    void **state) { /* V3 */
  test_engine *t = start_at(0, 50);
  (void)state;
  for (uint64_t seq = 1; seq <= 6; seq++)
    read_to(t, seq); /* at 150, 300, 450, 600, 750, 900 */
  expect_sent(t, "");
  at(t, 1149);
  expect_sent(t, "");
  at(t, 1150);
  expect_sent(t, "report g 0:6");
  engine_end(t);
}

static void test_reporter__a_close_reports_at_once(void **state) {
  test_engine *t = start_at(0, 50);
  (void)state;
  read_to(t, 4);
  say(t, SEEN_INPUT_CLOSE, "g");
  expect_sent(t, "report g 0:4");
  engine_end(t);
}

static void
test_reporter__in_flight_is_not_repeated_before_a_new_link(void **state) {
  test_engine *t = start_at(0, 50);
  (void)state;
  say_mark_read(t, "g", 4);
  say(t, SEEN_INPUT_FLUSH, NULL);
  at(t, 60000);
  expect_sent(t, "report g 0:4");
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "report g 0:4");
  engine_end(t);
}

/* Frame by frame, by name. */
static void spend_tokens(test_engine *t, uint64_t tokens) {
  for (uint64_t seq = 1; seq <= tokens; seq++)
    say_mark_read(t, "g", seq);
  t->sent.length = 0;
}

static void test_reporter__what_has_no_token_waits_and_merges(void **state) {
  test_engine *t = start_at(0, 50); /* V4: 4, then 2 a second */
  (void)state;
  spend_tokens(t, 4);
  say_mark_read(t, "g", 5);
  at(t, 100);
  say_mark_read(t, "g", 6);
  at(t, 499);
  assert_int_equal(metrics_of(t).report_frames, 4);
  assert_int_equal(seen_engine_deadline(t->engine), 500);
  at(t, 500);
  assert_int_equal(metrics_of(t).report_frames, 5);
  assert_int_equal(metrics_of(t).reports_sent, 5);
  engine_end(t);
}

static void test_reporter__a_close_leaves_without_a_token(void **state) {
  test_engine *t = start_at(0, 50);
  (void)state;
  spend_tokens(t, 4);
  say_mark_read(t, "g", 9);
  assert_int_equal(metrics_of(t).report_frames, 4);
  say(t, SEEN_INPUT_CLOSE, "g");
  assert_int_equal(metrics_of(t).report_frames, 5);
  at(t, 500); /* it took none of what came since */
  say_mark_read(t, "g", 10);
  assert_int_equal(metrics_of(t).report_frames, 6);
  engine_end(t);
}

static void read_row(test_engine *t, size_t number) {
  char id[8];
  snprintf(id, sizeof id, "c%03u", (unsigned)number);
  say_row(t, id, word_at(0, 0, 0, 1));
  say_mark_read(t, id, 1);
}

/* V4: a frame holds 100 reports, by id. */
static void test_reporter__a_close_takes_no_other_frame_along(void **state) {
  seen_options options = engine_options();
  options.burst = 1;
  test_engine *t = engine_start_with(&options);
  (void)state;
  for (size_t i = 0; i < 102; i++)
    read_row(t, i); /* the first has the token */
  expect_sent(t, "report c000 0:1");
  say(t, SEEN_INPUT_OPEN, "c101");
  say(t, SEEN_INPUT_CLOSE, "c101");
  expect_sent(t, "report c101 0:1");
  at(t, 500);
  assert_int_equal(metrics_of(t).reports_sent, 102);
  assert_int_equal(metrics_of(t).report_frames, 3);
  engine_end(t);
}

static void test_reporter__the_bucket_is_never_more_than_full(void **state) {
  test_engine *t = start_at(0, 50);
  (void)state;
  at(t, UINT64_C(1) << 50);
  for (uint64_t seq = 1; seq <= 9; seq++)
    say_mark_read(t, "g", seq);
  assert_int_equal(metrics_of(t).report_frames, 4);
  engine_end(t);
}

static void
test_reporter__a_frame_holds_a_hundred_in_order_of_id(void **state) {
  test_engine *t = engine_start();
  char id[8];
  (void)state;
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  for (int i = 149; i >= 0; i--) {
    snprintf(id, sizeof id, "c%03d", i);
    say_row(t, id, word_at(0, 0, 0, 5));
    say_mark_read(t, id, 3);
  }
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  assert_int_equal(metrics_of(t).report_frames, 2);
  assert_int_equal(metrics_of(t).reports_sent, 150);
  seen_effect effect;
  uint32_t frame = 0;
  for (int i = 0; i < 150; i++) {
    snprintf(id, sizeof id, "c%03d", i);
    assert_true(seen_engine_next(t->engine, &effect));
    assert_string_equal(seen_engine_id(t->engine, effect.conv), id);
    if (i == 0) frame = effect.u.report.frame;
    assert_int_equal(effect.u.report.frame, i < 100 ? frame : frame + 1);
  }
  engine_end(t);
}

static void
test_reporter__behind_an_open_mark_nothing_is_sent(void **state) { /* P7 */
  test_engine *t = start_at(5, 50);
  (void)state;
  say_mark_unread(t, "g", 2);
  expect_sent(t, "mark_unread g 0:5 to 2");
  say_mark_read(t, "g", 9);
  say_mark_unread(t, "g", 7);
  say(t, SEEN_INPUT_FLUSH, NULL);
  expect_sent(t, "");
  say_ack(t, "g", MARK, word_at(1, 2, 5, 50));
  expect_sent(t, "mark_unread g 1:9 to 7");
  engine_end(t);
}

static void test_reporter__an_open_mark_goes_again_with_its_op(void **state) {
  test_engine *t = start_at(5, 50);
  seen_effect first, again;
  (void)state;
  say_mark_unread(t, "g", 2);
  assert_true(seen_engine_next(t->engine, &first));
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  do
    assert_true(seen_engine_next(t->engine, &again));
  while (again.type != SEEN_EFFECT_MARK_UNREAD);
  assert_memory_equal(&first.u.mark, &again.u.mark, sizeof again.u.mark);
  engine_end(t);
}

static void test_reporter__waits_double_up_to_a_minute(void **state) { /* V7 */
  test_engine *t = start_at(0, 50);
  uint64_t waits[] = {1, 2, 4, 8, 16, 32, 60, 60};
  (void)state;
  say_mark_read(t, "g", 4);
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
    uint64_t frames = metrics_of(t).report_frames;
    limit(t, REPORT, 0);
    at(t, t->now + waits[i] * 1000 - 1);
    assert_int_equal(metrics_of(t).report_frames, frames);
    at(t, t->now + 1);
    assert_int_equal(metrics_of(t).report_frames, frames + 1);
  }
  engine_end(t);
}

/* It can be written, as every time. */
static void test_reporter__no_wait_is_longer_than_time(void **state) {
  seen_working working = {.size = sizeof working};
  test_engine *t = start_at(0, 50);
  (void)state;
  at(t, 100);
  say_mark_read(t, "g", 4);
  limit(t, REPORT, SEEN_SEQ_MAX);
  assert_int_equal(seen_engine_working(
                       t->engine, seen_engine_find(t->engine, "g"), &working),
                   SEEN_OK);
  assert_true(working.retry_at == SEEN_SEQ_MAX);
  engine_end(t);
}

static void test_reporter__nothing_passes_a_wait(void **state) {
  test_engine *t = start_at(5, 50);
  (void)state;
  say_mark_read(t, "g", 7);
  expect_sent(t, "report g 0:7");
  limit(t, REPORT, 3000);
  say_mark_read(t, "g", 8);
  say_mark_unread(t, "g", 2);
  say(t, SEEN_INPUT_CLOSE, "g");
  say_on(t, SEEN_INPUT_APP, NULL, false);
  at(t, 2999);
  expect_sent(t, "");
  at(t, 3000);
  expect_sent(t, "mark_unread g 0:8 to 2");
  engine_end(t);
}

static void
test_reporter__another_answer_or_a_new_link_ends_a_wait(void **state) {
  test_engine *t = start_at(0, 50);
  (void)state;
  say_mark_read(t, "g", 4);
  limit(t, REPORT, 30000);
  expect_sent(t, "report g 0:4");
  say_ack(t, "g", REPORT, word_at(0, 2, 0, 50));
  expect_sent(t, "report g 0:4");
  limit(t, REPORT, 30000);
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "report g 0:4");
  limit(t, REPORT, 0); /* from the beginning */
  at(t, t->now + 1000);
  expect_sent(t, "report g 0:4");
  engine_end(t);
}

static void
test_reporter__jitter_lengthens_a_wait_by_half_at_most(void **state) {
  seen_options options = engine_options();
  (void)state;
  options.jitter = true;
  for (options.seed = 1; options.seed < 30; options.seed++) {
    test_engine *t = engine_start_with(&options);
    say_row(t, "g", word_at(0, 0, 0, 50));
    say_mark_read(t, "g", 4);
    limit(t, REPORT, 1000);
    at(t, 200); /* what is unwritten is written */
    assert_in_range(seen_engine_deadline(t->engine), 1000, 1500);
    engine_end(t);
  }
}

static void test_reporter__pending_till_the_server_has_it(void **state) {
  test_engine *t = start_at(0, 50);
  (void)state;
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  read_to(t, 4);
  assert_true(state_of(t, "g").pending);
  say_word(t, "g", word_at(0, 4, 0, 50));
  assert_false(state_of(t, "g").pending);
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "");
  engine_end(t);
}

static void
test_reporter__a_close_behind_an_open_mark_passes_no_limit(void **state) {
  test_engine *t = start_at(0, 50);
  (void)state;
  spend_tokens(t, 4);
  say_mark_unread(t, "g", 2);
  say_mark_read(t, "g", 6);
  say(t, SEEN_INPUT_CLOSE, "g");
  say_ack(t, "g", MARK, word_at(1, 2, 4, 50));
  assert_int_equal(metrics_of(t).report_frames, 4);
  at(t, 500);
  assert_int_equal(metrics_of(t).report_frames, 5);
  engine_end(t);
}

static void test_reporter__a_token_comes_at_the_end_of_its_ms(void **state) {
  seen_options options = engine_options();
  (void)state;
  options.reports_per_second = 3;
  test_engine *t = engine_start_with(&options);
  say_row(t, "g", word_at(0, 0, 0, 50));
  spend_tokens(t, 4);
  say_mark_read(t, "g", 9);
  at(t, 333);
  assert_int_equal(metrics_of(t).report_frames, 4);
  assert_int_equal(seen_engine_deadline(t->engine), 334);
  at(t, 334);
  assert_int_equal(metrics_of(t).report_frames, 5);
  engine_end(t);
}

static void test_reporter__a_wait_outlives_what_it_was_for(void **state) {
  test_engine *t = start_at(0, 50);
  (void)state;
  say_mark_read(t, "g", 4);
  limit(t, REPORT, 3000);
  say_word(t, "g", word_at(0, 4, 0, 50)); /* no answer, and satisfied */
  at(t, 100);
  say_mark_read(t, "g", 6);
  at(t, 2999);
  expect_sent(t, "report g 0:4");
  at(t, 3000);
  expect_sent(t, "report g 0:6");
  engine_end(t);
}

static void test_reporter__a_wait_that_ended_idle_holds_no_close(void **state) {
  test_engine *t = start_at(0, 50);
  (void)state;
  spend_tokens(t, 4);
  limit(t, REPORT, 100);
  say_word(t, "g", word_at(0, 4, 0, 50));
  at(t, 101);
  say_mark_read(t, "g", 6); /* there is no token */
  assert_int_equal(metrics_of(t).report_frames, 4);
  say(t, SEEN_INPUT_CLOSE, "g");
  assert_int_equal(metrics_of(t).report_frames, 5);
  engine_end(t);
}

static void
test_reporter__another_answer_makes_the_next_wait_short(void **state) {
  test_engine *t = start_at(0, 50);
  (void)state;
  say_mark_read(t, "g", 4);
  limit(t, REPORT, 1);
  limit(t, REPORT, 1); /* the next would be 4 s */
  say_ack(t, "g", REPORT, word_at(0, 4, 0, 50));
  say_mark_read(t, "g", 6);
  limit(t, REPORT, 0);
  at(t, 999);
  assert_int_equal(metrics_of(t).reports_sent, 2);
  at(t, 1000);
  assert_int_equal(metrics_of(t).reports_sent, 3);
  engine_end(t);
}

static void test_reporter__clearings_go_again_on_a_new_link(void **state) {
  const seen_mention mention = {3, SEEN_MENTION_ME};
  test_engine *t = engine_start();
  seen_word word = word_at(0, 5, 0, 9);
  (void)state;
  word.mentions = &mention;
  word.mention_count = 1;
  say_row(t, "g", word);
  say(t, SEEN_INPUT_CLEAR_MENTIONS, "g");
  say(t, SEEN_INPUT_CLEAR_MENTIONS, "g");
  expect_sent(t, "report g 0:5 cleared 3");
  assert_true(state_of(t, "g").pending);
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "report g 0:5 cleared 3");
  engine_end(t);
}

static void test_reporter__a_mark_is_written_as_it_leaves(
    void **state) { /* P7, S6: its op has to outlive a crash */
  test_engine *t = start_at(8, 50);
  (void)state;
  say_on(t, SEEN_INPUT_LINK, NULL, false);
  say_mark_unread(t, "g", 5);
  at(t, t->now + 1000);
  expect_stored(t, "store g");
  say_on(t, SEEN_INPUT_LINK, NULL, true);
  expect_sent(t, "mark_unread g 0:8 to 5");
  expect_stored(t, "store g");
  say_message(t, "g", 51, "u2"); /* the rest waits for its time */
  at(t, t->now + 199);
  expect_stored(t, "");
  at(t, t->now + 1);
  expect_stored(t, "store g");
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(
          test_reporter__waits_for_quiet_but_no_longer_than_the_limit),
      cmocka_unit_test(test_reporter__a_close_reports_at_once),
      cmocka_unit_test(
          test_reporter__in_flight_is_not_repeated_before_a_new_link),
      cmocka_unit_test(test_reporter__what_has_no_token_waits_and_merges),
      cmocka_unit_test(test_reporter__a_close_leaves_without_a_token),
      cmocka_unit_test(test_reporter__a_close_takes_no_other_frame_along),
      cmocka_unit_test(test_reporter__the_bucket_is_never_more_than_full),
      cmocka_unit_test(test_reporter__a_frame_holds_a_hundred_in_order_of_id),
      cmocka_unit_test(test_reporter__behind_an_open_mark_nothing_is_sent),
      cmocka_unit_test(test_reporter__an_open_mark_goes_again_with_its_op),
      cmocka_unit_test(test_reporter__waits_double_up_to_a_minute),
      cmocka_unit_test(test_reporter__no_wait_is_longer_than_time),
      cmocka_unit_test(test_reporter__nothing_passes_a_wait),
      cmocka_unit_test(test_reporter__another_answer_or_a_new_link_ends_a_wait),
      cmocka_unit_test(test_reporter__jitter_lengthens_a_wait_by_half_at_most),
      cmocka_unit_test(test_reporter__pending_till_the_server_has_it),
      cmocka_unit_test(
          test_reporter__a_close_behind_an_open_mark_passes_no_limit),
      cmocka_unit_test(test_reporter__a_token_comes_at_the_end_of_its_ms),
      cmocka_unit_test(test_reporter__a_wait_outlives_what_it_was_for),
      cmocka_unit_test(test_reporter__a_wait_that_ended_idle_holds_no_close),
      cmocka_unit_test(test_reporter__another_answer_makes_the_next_wait_short),
      cmocka_unit_test(test_reporter__clearings_go_again_on_a_new_link),
      cmocka_unit_test(test_reporter__a_mark_is_written_as_it_leaves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
