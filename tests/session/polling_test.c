/* Where sockets are blocked: the same frames by requests, and back. */
#include <stdio.h>

#include "support/session.h"

#define WELCOME                                                                \
  "{\"t\":\"welcome\",\"id\":1,\"user\":\"ann\",\"incarnation\":\"b7\","       \
  "\"version\":9,\"mode\":\"resume\",\"receipts\":true}"

static void go_polling(test_session *t) {
  session_dial(t);
  ended(t, SEEN_ENDED_HTTP, 403);
  wait_for_dial(t);
  assert_true(was_said(t, "dial 2 socket"));
  ended(t, SEEN_ENDED_HTTP, 403);
  wait_for_dial(t);
  assert_true(was_said(t, "dial 3 poll"));
  opened(t);
  frame(t, WELCOME);
  frame(t, "{\"t\":\"changes\",\"id\":1,\"from\":0,\"version\":9,"
           "\"conversations\":[]}");
  assert_int_equal(t->state.link, SEEN_LINK_POLL);
  assert_true(t->state.synced);
  drop_said(t);
}

/* Requests by the old network tell too late that they fail. */
static void test_polling__another_network_ends_polling(void **s) {
  test_session *t = session_open();
  (void)s;
  go_polling(t);
  sn_session_network_changed(t->session, t->now);
  pull(t);
  expect_said(t, "link down\nclose 3 1001\nstate connecting\n"
                 "dial 4 socket");
  session_end(t);
}

static void
test_polling__after_two_blocked_sockets_requests_take_over(void **s) {
  test_session *t = session_open();
  (void)s;
  go_polling(t);
  session_end(t);
}

static void test_polling__requests_that_fail_too_leave_it_to_sockets(void **s) {
  test_session *t = session_open();
  (void)s;
  session_dial(t);
  for (uint64_t i = 1; i <= 9; i++) {
    char dial[32];
    snprintf(dial, sizeof dial, "dial %u %s", (unsigned)i,
             i % 3 ? "socket" : "poll");
    assert_true(was_said(t, dial));
    ended(t, SEEN_ENDED_HTTP, 403);
    wait_for_dial(t);
  }
  session_end(t);
}

static void test_polling__where_nobody_is_there_sockets_go_on(void **s) {
  test_session *t = session_open();
  (void)s;
  session_dial(t);
  for (int i = 0; i < 6; i++) {
    ended(t, i % 2 ? SEEN_ENDED_CONNECT : SEEN_ENDED_RESOLVE, 0);
    wait_for_dial(t);
  }
  assert_false(was_said(t, "poll"));
  session_end(t);
}

static void
test_polling__while_polling_sockets_are_tried_ever_more_rarely(void **s) {
  static const uint64_t pauses[] = {60000,  120000, 240000,
                                    480000, 600000, 600000};
  test_session *t = session_open();
  (void)s;
  go_polling(t);
  uint64_t poll = t->connection, last = t->now;
  for (size_t i = 0; i < sizeof pauses / sizeof *pauses; i++) {
    size_t dials = t->dials;
    while (t->dials == dials) {
      uint64_t rival = t->connection;
      t->connection = poll;
      alive(t);
      t->connection = rival;
      until(t, t->now + 10000);
    }
    assert_in_range(t->now - last, pauses[i], pauses[i] + 10000);
    assert_int_equal(t->state.connection, SEEN_CONNECTION_ONLINE);
    last = t->now;
    ended(t, SEEN_ENDED_HTTP, 403);
  }
  assert_false(was_said(t, "link down"));
  session_end(t);
}

static void test_polling__a_socket_takes_over_with_its_welcome(void **s) {
  test_session *t = session_open();
  (void)s;
  go_polling(t);
  until(t, t->now + 30000);
  drop_said(t);
  alive(t);
  wait_for_dial(t);
  expect_said(t, "ping 3\ndial 4 socket");
  opened(t);
  expect_said(t, "write 4 {\"t\":\"hello\",\"id\":3,\"device\":\"phone\","
                 "\"incarnation\":\"b7\",\"version\":9}");
  frame_on(t, 3, "{\"t\":\"report_now\"}");
  expect_said(t, "report_now");
  frame(t, WELCOME);
  expect_said(t, "link down\nlink up\nclose 3 1000\n"
                 "state online");
  assert_int_equal(t->state.link, SEEN_LINK_SOCKET);
  ended_on(t, 3, SEEN_ENDED_LOCAL, 0);
  expect_said(t, "");
  session_end(t);
}

static void
test_polling__a_rival_under_way_is_the_link_when_polling_ends(void **s) {
  test_session *t = session_open();
  (void)s;
  go_polling(t);
  alive(t);
  until(t, t->now + 30000);
  alive(t);
  wait_for_dial(t);
  drop_said(t);
  ended_on(t, 3, SEEN_ENDED_LOST, 0);
  expect_said(t, "link down\nstate connecting");
  opened(t);
  frame(t, WELCOME);
  assert_true(was_said(t, "link up"));
  session_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_polling__another_network_ends_polling),
      cmocka_unit_test(
          test_polling__after_two_blocked_sockets_requests_take_over),
      cmocka_unit_test(
          test_polling__requests_that_fail_too_leave_it_to_sockets),
      cmocka_unit_test(test_polling__where_nobody_is_there_sockets_go_on),
      cmocka_unit_test(test_polling__a_socket_takes_over_with_its_welcome),
      cmocka_unit_test(
          test_polling__while_polling_sockets_are_tried_ever_more_rarely),
      cmocka_unit_test(
          test_polling__a_rival_under_way_is_the_link_when_polling_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
