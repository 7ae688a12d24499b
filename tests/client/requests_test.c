#include "support/host.h"

#include <string.h>

static test_host *connected(void) {
  test_host *t = host_start();
  link_row_is(t->link, "g", 5, 9);
  host_connect(t);
  return t;
}

static const seen_post hello = {.size = sizeof hello, .body = "hello"};

static bool has_reply(test_host *t) {
  return t->reply_count > 0;
}

static const seen_reply *reply_of(test_host *t, uint64_t request) {
  host_until(t, has_reply);
  assert_int_equal(t->reply_count, 1);
  assert_int_equal(t->replies[0], request);
  t->reply_count = 0;
  return &host_heard(t, SEEN_EVENT_REPLY)->last.u.reply;
}

static void test_requests__what_is_sent_has_a_seq(void **state) {
  test_host *t = connected();
  const seen_reply *reply;
  uint64_t request;
  (void)state;
  assert_int_equal(seen_client_send(t->client, "g", &hello, &request, NULL),
                   SEEN_OK);
  assert_int_equal(seen_client_live(t->client), 3);
  reply = reply_of(t, request);
  assert_int_equal(reply->act, SEEN_ACT_SEND);
  assert_int_equal(reply->code, SEEN_OK);
  assert_int_equal(reply->seq, 10);
  assert_true(link_heard(t->link, "send", "\"body\":\"hello\""));
  assert_int_equal(seen_client_live(t->client), 2);
  host_end(t);
}

static void test_requests__recalls_and_edits_are_sent(void **state) {
  test_host *t = connected();
  uint64_t request;
  (void)state;
  assert_int_equal(seen_client_recall(t->client, "g", 9, &request, NULL),
                   SEEN_OK);
  reply_of(t, request);
  assert_true(link_heard(t->link, "send", "\"kind\":\"recall\""));
  assert_int_equal(seen_client_edit(t->client, "g", 9, "b", &request, NULL),
                   SEEN_OK);
  reply_of(t, request);
  assert_true(link_heard(t->link, "send", "\"kind\":\"edit\""));
  host_end(t);
}

static void test_requests__history_is_a_page(void **state) {
  test_host *t = connected();
  const seen_reply *reply;
  uint64_t request;
  (void)state;
  assert_int_equal(seen_client_history(t->client, "g", 0, 50, &request, NULL),
                   SEEN_OK);
  reply = reply_of(t, request);
  assert_int_equal(reply->act, SEEN_ACT_HISTORY);
  assert_int_equal(reply->message_count, 1);
  assert_false(reply->more);
  host_end(t);
}

static void test_requests__who_comes_and_goes_is_asked_for(void **state) {
  static const char *const users[] = {"u2", "u3"};
  const seen_creation creation = {
      .size = sizeof creation, .users = users, .user_count = 2};
  test_host *t = connected();
  uint64_t request;
  (void)state;
  assert_int_equal(
      seen_client_create(t->client, "n", &creation, &request, NULL), SEEN_OK);
  assert_int_equal(reply_of(t, request)->act, SEEN_ACT_CREATE);
  assert_int_equal(
      seen_client_add(t->client, "g", users, 2, SEEN_ROLE_BOT, &request, NULL),
      SEEN_OK);
  assert_int_equal(reply_of(t, request)->act, SEEN_ACT_ADD);
  assert_int_equal(seen_client_remove(t->client, "g", users, 1, &request, NULL),
                   SEEN_OK);
  assert_int_equal(reply_of(t, request)->act, SEEN_ACT_REMOVE);
  assert_int_equal(seen_client_join(t->client, "g", &request, NULL), SEEN_OK);
  assert_int_equal(reply_of(t, request)->act, SEEN_ACT_JOIN);
  assert_int_equal(seen_client_leave(t->client, "g", &request, NULL), SEEN_OK);
  assert_int_equal(reply_of(t, request)->act, SEEN_ACT_LEAVE);
  host_end(t);
}

static void test_requests__a_host_can_show_the_switch_of_receipts(void **s) {
  test_host *t = connected();
  seen_connection_state connection;
  uint64_t request;
  (void)s;
  seen_client_connection(t->client, &connection);
  assert_true(connection.receipts);
  assert_int_equal(seen_client_receipts(t->client, false, &request, NULL),
                   SEEN_OK);
  assert_int_equal(reply_of(t, request)->act, SEEN_ACT_SETTINGS);
  assert_true(link_heard(t->link, "settings", "\"receipts\":false"));
  host_turns(t);
  assert_false(
      host_heard(t, SEEN_EVENT_CONNECTION)->last.u.connection.receipts);
  seen_client_connection(t->client, &connection);
  assert_false(connection.receipts);
  host_end(t);
}

static void test_requests__who_has_read_is_asked_by_http(void **state) {
  test_host *t = connected();
  uint64_t request;
  (void)state;
  assert_int_equal(seen_client_ask_readers(t->client, "g", 9, SEEN_ASK_READ,
                                           NULL, 10, &request, NULL),
                   SEEN_OK);
  seen_client_cancel(t->client, request); /* nobody answers that here */
  assert_int_equal(reply_of(t, request)->code, SEEN_ECANCELED);
  host_end(t);
}

static void test_requests__one_that_is_given_up_is_canceled(void **state) {
  test_host *t = connected();
  uint64_t request;
  (void)state;
  link_answer(t->link, false);
  assert_int_equal(seen_client_send(t->client, "g", &hello, &request, NULL),
                   SEEN_OK);
  host_turns(t);
  seen_client_cancel(t->client, request);
  seen_client_cancel(t->client, request);
  seen_client_cancel(t->client, 12345);
  assert_int_equal(reply_of(t, request)->code, SEEN_ECANCELED);
  host_end(t);
}

static void test_requests__without_a_link_they_wait(void **state) {
  test_host *t = host_start();
  uint64_t request;
  (void)state;
  link_row_is(t->link, "g", 5, 9);
  link_reach(t->link, false);
  host_open(t);
  assert_int_equal(seen_client_send(t->client, "g", &hello, &request, NULL),
                   SEEN_OK);
  host_turns(t);
  assert_int_equal(t->reply_count, 0);
  link_reach(t->link, true);
  assert_int_equal(reply_of(t, request)->code, SEEN_OK);
  host_end(t);
}

static void test_requests__a_thousand_may_wait(void **state) {
  test_host *t = host_start();
  uint64_t request, last = 0;
  (void)state;
  host_open(t);
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(seen_client_history(t->client, "g", 0, 1, &request, NULL),
                     SEEN_OK);
    assert_true(request > last);
    last = request;
  }
  assert_int_equal(seen_client_history(t->client, "g", 0, 1, &request, NULL),
                   SEEN_EFULL);
  assert_int_equal(request, last);
  assert_int_equal(seen_client_live(t->client), 1002);
  host_end(t);
}

static void test_requests__what_can_not_be_asked_is_refused(void **state) {
  test_host *t = connected(), *alone = host_start_alone();
  seen_error error = SEEN_ERROR_INIT;
  uint64_t request = 77;
  (void)state;
  assert_int_equal(seen_client_history(t->client, "", 0, 1, &request, &error),
                   SEEN_EINVAL);
  assert_int_equal(error.code, SEEN_EINVAL);
  assert_int_equal(seen_client_history(t->client, "g", 0, 101, &request, NULL),
                   SEEN_ERANGE);
  host_open(alone);
  assert_int_equal(seen_client_join(alone->client, "g", &request, NULL),
                   SEEN_EUNSUPPORTED);
  assert_int_equal(request, 77);
  assert_int_equal(seen_client_live(t->client), 2);
  host_end(alone);
  host_end(t);
}

static void test_requests__without_memory_there_is_none(void **state) {
  test_host *t = connected();
  uint64_t request = 0, n = 0;
  int status;
  (void)state;
  do {
    test_alloc_fail(&t->memory, ++n);
    status = seen_client_send(t->client, "g", &hello, &request, NULL);
    if (status) assert_int_equal(seen_client_live(t->client), 2);
  } while (status == SEEN_ENOMEM);
  test_alloc_fail(&t->memory, 0);
  assert_int_equal(status, SEEN_OK);
  assert_true(n > 3);
  reply_of(t, request);
  host_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_requests__what_is_sent_has_a_seq),
      cmocka_unit_test(test_requests__recalls_and_edits_are_sent),
      cmocka_unit_test(test_requests__history_is_a_page),
      cmocka_unit_test(test_requests__who_comes_and_goes_is_asked_for),
      cmocka_unit_test(test_requests__a_host_can_show_the_switch_of_receipts),
      cmocka_unit_test(test_requests__who_has_read_is_asked_by_http),
      cmocka_unit_test(test_requests__one_that_is_given_up_is_canceled),
      cmocka_unit_test(test_requests__without_a_link_they_wait),
      cmocka_unit_test(test_requests__a_thousand_may_wait),
      cmocka_unit_test(test_requests__what_can_not_be_asked_is_refused),
      cmocka_unit_test(test_requests__without_memory_there_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
