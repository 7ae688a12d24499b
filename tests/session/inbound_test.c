#include "session/inbound.h"

#include <stdio.h>

#include "support/random.h"
#include "support/session.h"

static void test_inbound__a_frame_that_is_none_ends_the_connection(void **s) {
  static const char *const texts[] = {
      "<html>", "{\"t\":\"position\",\"conv\":\"g\"}",
      "{\"t\":\"left\",\"conv\":\"g\",\"leave_seq\":9007199254740992}", ""};
  (void)s;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    test_session *t = session_open();
    session_online(t);
    frame(t, texts[i]);
    expect_said(t, "link down\nclose 1 1002\nstate waiting");
    assert_int_equal(t->version, 9);
    session_end(t);
  }
}

static void test_inbound__a_frame_that_is_too_long_does_too(void **s) {
  static char text[65540];
  test_session *t = session_open();
  (void)s;
  session_online(t);
  memset(text, ' ', sizeof text - 1);
  memcpy(text, "{\"t\":\"report_now\"}", 18);
  text[65536] = '\0';
  frame(t, text);
  expect_said(t, "report_now");
  text[65536] = ' ';
  frame(t, text);
  expect_said(t, "link down\nclose 1 1002\nstate waiting");
  session_end(t);
}

static void test_inbound__what_is_not_known_is_passed_over(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  frame(t, "{\"t\":\"typing\",\"conv\":7}");
  frame(t, "{\"t\":\"welcome\",\"id\":1,\"user\":\"bob\",\"incarnation\":"
           "\"b9\",\"version\":9,\"mode\":\"snapshot\",\"receipts\":true}");
  frame(t, "{\"t\":\"error\",\"code\":\"new\"}");
  expect_said(t, "");
  session_end(t);
}

static void test_inbound__a_frame_before_hello_is_out_of_turn(void **s) {
  test_session *t = session_open();
  (void)s;
  session_dial(t);
  drop_said(t);
  frame(t, "{\"t\":\"report_now\"}");
  expect_said(t, "close 1 1002\nstate waiting");
  session_end(t);
}

/* The answers to hello. */
static void test_inbound__hello_may_be_refused(void **s) {
  static const struct {
    const char *code;
    seen_connection state;
  } cases[] = {{"unauthorized", SEEN_CONNECTION_UNAUTHORIZED},
               {"disabled", SEEN_CONNECTION_DISABLED},
               {"rate_limited", SEEN_CONNECTION_WAITING},
               {"storage", SEEN_CONNECTION_WAITING}};
  char text[128];
  (void)s;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    test_session *t = session_open();
    session_dial(t);
    opened(t);
    snprintf(text, sizeof text,
             "{\"t\":\"error\",\"id\":1,\"code\":\"%s\",\"retry_ms\":9000}",
             cases[i].code);
    frame(t, text);
    assert_true(was_said(t, "close 1 1000"));
    assert_int_equal(t->state.connection, cases[i].state);
    if (cases[i].state == SEEN_CONNECTION_WAITING)
      assert_int_equal(t->state.retry_ms, 9000);
    session_end(t);
  }
}

static void test_inbound__a_report_that_was_wrong_is_our_bug(void **s) {
  const seen_effect report = {
      .size = sizeof report, .type = SEEN_EFFECT_REPORT, .u.report.seq = 1};
  test_session *t = session_open();
  (void)s;
  session_online(t);
  effect(t, &report, "g");
  pull(t);
  drop_said(t);
  frame(t, "{\"t\":\"ack\",\"id\":3,\"of\":\"read\",\"items\":[{\"conv\":"
           "\"g\",\"result\":\"refused\",\"code\":\"invalid\"}]}");
  expect_said(t, "");
  effect(t, &report, "g");
  pull(t);
  drop_said(t);
  frame(t, "{\"t\":\"error\",\"id\":5,\"code\":\"invalid\"}");
  expect_said(t, "");
  session_end(t);
}

static void test_inbound__an_ack_of_something_else_answers_nothing(void **s) {
  const seen_effect report = {
      .size = sizeof report, .type = SEEN_EFFECT_REPORT, .u.report.seq = 1};
  test_session *t = session_open();
  (void)s;
  session_online(t);
  effect(t, &report, "g");
  pull(t);
  drop_said(t);
  frame(t, "{\"t\":\"ack\",\"id\":3,\"of\":\"read_all\",\"items\":[{\"conv\":"
           "\"g\",\"result\":\"ok\",\"read\":{\"epoch\":0,\"seq\":1,"
           "\"high\":0},\"last_seq\":3,\"version\":21}]}");
  expect_said(t, "");
  frame(t, "{\"t\":\"ack\",\"id\":3,\"of\":\"read\",\"items\":[{\"conv\":"
           "\"g\",\"result\":\"ok\",\"read\":{\"epoch\":0,\"seq\":1,"
           "\"high\":0},\"last_seq\":3,\"version\":21}]}");
  expect_said(t, "ack report g");
  session_end(t);
}

/* B3: the message is there, and nothing of it is known any more. */
static void test_inbound__a_late_ack_of_a_message_asks_for_its_row(void **s) {
  const seen_post post = {.size = sizeof post, .body = "hello"};
  test_session *t = session_open();
  (void)s;
  session_online(t);
  ask(t, 1, &(sn_ask){.act = SEEN_ACT_SEND, .conv = "g", .post = &post});
  sn_session_cancel(t->session, 1);
  pull(t);
  drop_said(t);
  frame(t, "{\"t\":\"ack\",\"id\":2,\"of\":\"send\",\"items\":[{\"conv\":"
           "\"g\",\"result\":\"refused\",\"code\":\"not_member\"}]}");
  expect_said(t, "");
  frame(t, "{\"t\":\"ack\",\"id\":2,\"of\":\"send\",\"items\":[{\"conv\":"
           "\"g\",\"result\":\"ok\",\"seq\":4,\"sent_at\":5,\"read\":"
           "{\"epoch\":0,\"seq\":1,\"high\":0},\"last_seq\":4,"
           "\"version\":21}]}");
  expect_said(t, "write 1 {\"t\":\"fetch\",\"id\":3,\"convs\":[\"g\"]}");
  session_end(t);
}

/* Each allocation of a welcome and a page fails once: the connection is given
 * up, and the next one brings it. */
static void test_inbound__no_memory_is_never_wrong(void **s) {
  (void)s;
  for (uint64_t n = 1;; n++) {
    test_session *t = session_open();
    session_dial(t);
    opened(t);
    drop_said(t);
    test_alloc_fail(&t->memory, n);
    frame(t, "{\"t\":\"welcome\",\"id\":1,\"user\":\"ann\",\"incarnation\":"
             "\"b7\",\"version\":9,\"mode\":\"resume\",\"receipts\":true}");
    frame(t, "{\"t\":\"changes\",\"id\":1,\"from\":0,\"version\":9,"
             "\"conversations\":[{\"id\":\"g\",\"kind\":\"group\",\"read\":{"
             "\"epoch\":0,\"seq\":1,\"high\":0},\"last_seq\":3,"
             "\"version\":2}]}");
    uint64_t failures = t->memory.failures;
    test_alloc_fail(&t->memory, 0);
    if (!failures) {
      assert_true(was_said(t, "server b7 9"));
      session_end(t);
      assert_true(n > 3);
      return;
    }
    assert_true(was_said(t, "close 1 1011"));
    assert_false(was_said(t, "server"));
    assert_int_equal(t->state.connection, SEEN_CONNECTION_WAITING);
    until(t, t->now + 1000);
    assert_int_equal(t->dials, 2);
    session_end(t);
  }
}

/* A server that floods: what is held at one time does not grow. */
static void test_inbound__a_flood_takes_bounded_memory(void **s) {
  test_session *t = session_open();
  char text[512];
  size_t most = 0;
  (void)s;
  session_online(t);
  for (unsigned i = 1; i <= 1000 + test_scaled(100000); i++) {
    snprintf(text, sizeof text,
             "{\"t\":\"message\",\"conv\":\"g%u\",\"seq\":%u,\"version\":%u,"
             "\"from\":\"bob\",\"kind\":\"text\",\"countable\":true,"
             "\"sent_at\":1,\"body\":\"soup?\"}",
             i % 100, i, i + 9);
    frame(t, text);
    drop_said(t);
    if (i == 1000) most = t->memory.most_bytes;
  }
  assert_int_equal(t->memory.most_bytes, most);
  session_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inbound__a_frame_that_is_none_ends_the_connection),
      cmocka_unit_test(test_inbound__a_frame_that_is_too_long_does_too),
      cmocka_unit_test(test_inbound__what_is_not_known_is_passed_over),
      cmocka_unit_test(test_inbound__a_frame_before_hello_is_out_of_turn),
      cmocka_unit_test(test_inbound__hello_may_be_refused),
      cmocka_unit_test(test_inbound__a_report_that_was_wrong_is_our_bug),
      cmocka_unit_test(test_inbound__an_ack_of_something_else_answers_nothing),
      cmocka_unit_test(test_inbound__a_late_ack_of_a_message_asks_for_its_row),
      cmocka_unit_test(test_inbound__no_memory_is_never_wrong),
      cmocka_unit_test(test_inbound__a_flood_takes_bounded_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
