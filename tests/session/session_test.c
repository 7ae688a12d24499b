#include "session/session.h"

#include <stdio.h>

#include "support/session.h"

static void test_session__options_are_checked(void **s) {
  sn_session_options options = session_options();
  sn_session *session;
  seen_error error = SEEN_ERROR_INIT;
  (void)s;
  options.memory = seen_allocator_default();
  options.device = "";
  assert_int_equal(sn_session_new(&options, 0, &session, &error), SEEN_EINVAL);
  assert_null(session);
  options = session_options();
  options.memory = seen_allocator_default();
  options.intervals.ping_ms = 0;
  assert_int_equal(sn_session_new(&options, 0, &session, &error), SEEN_EINVAL);
  assert_string_equal(error.message, "an interval is 0");
  options = session_options();
  options.memory = seen_allocator_default();
  options.token = "a\nb";
  assert_int_equal(sn_session_new(&options, 0, &session, &error), SEEN_EINVAL);
}

static void test_session__without_memory_there_is_none(void **s) {
  sn_session_options options = session_options();
  sn_session *session;
  test_alloc memory;
  (void)s;
  options.incarnation = "b7";
  test_alloc_init(&memory);
  options.memory = &memory.allocator;
  for (uint64_t n = 1;; n++) {
    test_alloc_fail(&memory, n);
    int status = sn_session_new(&options, 0, &session, NULL);
    test_alloc_fail(&memory, 0);
    if (!status) break;
    assert_int_equal(status, SEEN_ENOMEM);
    assert_null(session);
    test_alloc_check(&memory);
  }
  sn_session_free(session);
  sn_session_free(NULL);
  test_alloc_check(&memory);
}

static void test_session__a_version_belongs_to_an_incarnation(void **s) {
  sn_session_options options = session_options();
  (void)s;
  options.incarnation = "";
  options.version = 500;
  test_session *t = session_open_with(&options);
  session_dial(t);
  opened(t);
  assert_true(was_said(t, "\"device\":\"phone\"}"));
  session_end(t);
}

static void test_session__an_event_waits_until_outputs_were_pulled(void **s) {
  static const char text[] = "{\"t\":\"report_now\"}";
  const seen_transport_event event = {.size = sizeof event,
                                      .type = SEEN_TRANSPORT_FRAME,
                                      .number = 1,
                                      .text = text,
                                      .length = sizeof text - 1};
  test_session *t = session_open();
  (void)s;
  session_online(t);
  assert_int_equal(sn_session_transport(t->session, &event, t->now), SEEN_OK);
  assert_int_equal(sn_session_transport(t->session, &event, t->now),
                   SEEN_ESTATE);
  pull(t);
  expect_said(t, "report_now");
  session_end(t);
}

static void test_session__off_has_nothing_to_do(void **s) {
  test_session *t = session_open();
  (void)s;
  assert_true(sn_session_deadline(t->session) == SEEN_NEVER);
  sn_session_tick(t->session, 5000);
  sn_session_flush(t->session, 5000);
  pull(t);
  expect_said(t, "");
  session_end(t);
}

/* What an app does in a minute or two, with a server that answers. */
static void live(test_session *t) {
  const seen_post post = {.size = sizeof post, .body = "soup?"};
  const seen_effect fetch = {.size = sizeof fetch, .type = SEEN_EFFECT_FETCH};
  const seen_effect report = {
      .size = sizeof report, .type = SEEN_EFFECT_REPORT, .u.report.seq = 1};
  const seen_effect all = {.size = sizeof all, .type = SEEN_EFFECT_READ_ALL};
  session_dial(t);
  for (int i = 0; i < 4; i++) {
    sn_request *request = NULL;
    const sn_ask send = {.act = SEEN_ACT_SEND, .conv = "g", .post = &post};
    const sn_ask readers = {.act = SEEN_ACT_READERS, .conv = "g", .seq = 1};
    until(t, t->now + 20000);
    opened(t);
    frame(t, "{\"t\":\"welcome\",\"id\":1,\"user\":\"ann\",\"incarnation\":"
             "\"b7\",\"version\":9,\"mode\":\"snapshot\","
             "\"receipts\":true}");
    frame(t, "{\"t\":\"changes\",\"id\":1,\"from\":0,\"version\":4,"
             "\"conversations\":[],\"more\":true}");
    answer(t, 503, "{\"t\":\"error\",\"code\":\"storage\"}");
    if (!sn_request_new(i % 2 ? &send : &readers, 50 + (uint64_t)i,
                        &t->memory.allocator, &request, NULL))
      sn_session_request(t->session, request, t->now);
    effect(t, &fetch, "g");
    effect(t, &report, "g");
    effect(t, &report, "h");
    effect(t, &all, NULL);
    pull(t);
    frame(t, "{\"t\":\"message\",\"conv\":\"g\",\"seq\":5,\"version\":10,"
             "\"from\":\"bob\",\"kind\":\"text\",\"countable\":true,"
             "\"sent_at\":1,\"body\":\"soup?\"}");
    (void)sn_session_token(t->session, "T2", t->now);
    sn_session_flush(t->session, t->now);
    pull(t);
    effect(t, &report, "g");
    pull(t);
    ended(t, SEEN_ENDED_LOST, 0);
  }
}

/* Each allocation of it fails once: nothing leaks, and in the end it works. */
static void test_session__lives_through_each_failed_allocation(void **s) {
  uint64_t calls;
  test_session *t = session_open();
  (void)s;
  live(t);
  calls = t->memory.calls;
  session_end(t);
  assert_true(calls > 100);
  for (uint64_t n = 1; n <= calls; n++) {
    t = session_open();
    test_alloc_fail(&t->memory, n);
    live(t);
    test_alloc_fail(&t->memory, 0);
    sn_session_cancel_all(t->session, SEEN_ECLOSED);
    sn_session_stop(t->session, t->now);
    pull(t);
    drop_said(t);
    session_dial(t);
    opened(t);
    assert_true(was_said(t, "hello"));
    session_end(t);
  }
}

static void test_session__memory_that_is_gone_for_good_is_survived(void **s) {
  (void)s;
  for (uint64_t n = 1; n <= 100; n += 3) {
    test_session *t = session_open();
    test_alloc_fail_on(&t->memory, n);
    live(t);
    test_alloc_fail(&t->memory, 0);
    session_end(t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_session__options_are_checked),
      cmocka_unit_test(test_session__without_memory_there_is_none),
      cmocka_unit_test(test_session__a_version_belongs_to_an_incarnation),
      cmocka_unit_test(test_session__an_event_waits_until_outputs_were_pulled),
      cmocka_unit_test(test_session__off_has_nothing_to_do),
      cmocka_unit_test(test_session__lives_through_each_failed_allocation),
      cmocka_unit_test(test_session__memory_that_is_gone_for_good_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
