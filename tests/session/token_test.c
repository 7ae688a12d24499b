#include "session/token.h"

#include "support/session.h"

static test_session *without_token(void) {
  sn_session_options options = session_options();
  options.token = NULL;
  return session_open_with(&options);
}

static void to_deadline(test_session *t) {
  until(t, sn_session_deadline(t->session));
}

static void test_token__without_one_the_provider_is_asked_first(void **s) {
  test_session *t = without_token();
  (void)s;
  session_dial(t);
  expect_said(t, "state unauthorized\nask");
  token(t, "T1");
  expect_said(t, "state connecting\ndial 1 socket");
  session_end(t);
}

/* Ten drops with a good token ask nobody (C256). */
static void test_token__a_broken_connection_costs_no_token(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  for (int i = 0; i < 10; i++) {
    ended(t, i % 2 ? SEEN_ENDED_LOST : SEEN_ENDED_CONNECT, 0);
    while (t->state.connection != SEEN_CONNECTION_CONNECTING)
      to_deadline(t);
    opened(t);
    frame(t, SESSION_WELCOME);
  }
  assert_int_equal(t->asked, 0);
  session_end(t);
}

static void test_token__one_that_has_expired_is_replaced_at_once(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  until(t, t->now + 20000);
  ended(t, SEEN_ENDED_PEER, 4401);
  expect_said(t, "link down\nstate unauthorized\nask");
  token(t, "T2");
  expect_said(t, "state connecting\ndial 2 socket");
  opened(t);
  assert_true(was_said(t, "\"incarnation\":\"b7\",\"version\":9"));
  session_end(t);
}

static void test_token__an_error_that_says_so_is_the_same(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  frame(t, "{\"t\":\"error\",\"code\":\"unauthorized\"}");
  expect_said(t, "link down\nclose 1 1000\nstate unauthorized\nask");
  token(t, "T2");
  opened(t);
  drop_said(t);
  frame(t, "{\"t\":\"error\",\"id\":3,\"code\":\"unauthorized\"}");
  expect_said(t, "close 2 1000\nstate unauthorized");
  session_end(t);
}

static void test_token__an_upgrade_answered_401_is_the_same(void **s) {
  test_session *t = session_open();
  (void)s;
  session_dial(t);
  drop_said(t);
  ended(t, SEEN_ENDED_HTTP, 401);
  expect_said(t, "state unauthorized\nask");
  session_end(t);
}

/* A provider that gives what the server refuses is asked ever more rarely. */
static void test_token__refused_tokens_are_asked_for_with_a_wait(void **s) {
  test_session *t = session_open();
  uint64_t early = 0, late = 0;
  (void)s;
  session_dial(t);
  for (size_t i = 0; i < 40; i++) {
    uint64_t from = t->now;
    ended(t, SEEN_ENDED_PEER, 4401);
    assert_int_equal(t->state.connection, SEEN_CONNECTION_UNAUTHORIZED);
    while (t->asked == i)
      to_deadline(t);
    assert_true(t->now - from <= 60000);
    *(i < 4 ? &early : &late) += t->now - from;
    token(t, "T");
  }
  assert_true(early <= 14000); /* 0, 2, 4, 8 s at most */
  assert_true(late > 540000);
  session_end(t);
}

static void test_token__a_provider_that_has_none_is_asked_again(void **s) {
  test_session *t = without_token();
  (void)s;
  session_dial(t);
  drop_said(t);
  token(t, NULL);
  expect_said(t, "state unauthorized");
  assert_true(t->state.retry_ms <= 1000);
  to_deadline(t);
  expect_said(t, "state unauthorized\nask");
  assert_int_equal(t->state.retry_ms, 0);
  session_end(t);
}

static void test_token__it_is_asked_ever_more_rarely(void **s) {
  test_session *t = without_token();
  (void)s;
  session_dial(t);
  for (size_t asked = 1; asked <= 30; asked++) {
    token(t, NULL);
    while (t->asked == asked)
      to_deadline(t);
  }
  assert_true(t->now > 300000);
  session_end(t);
}

static void test_token__a_provider_that_is_silent_has_none(void **s) {
  test_session *t = without_token();
  (void)s;
  session_dial(t);
  drop_said(t);
  until(t, 30999);
  expect_said(t, "");
  until(t, 31000);
  assert_true(was_said(t, "state unauthorized"));
  until(t, 33000);
  assert_int_equal(t->asked, 2);
  token(t, "T");
  assert_int_equal(t->state.connection, SEEN_CONNECTION_CONNECTING);
  session_end(t);
}

static void test_token__one_that_comes_unasked_is_for_the_next_time(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  token(t, "T2");
  expect_said(t, "");
  session_end(t);
}

static void test_token__of_another_user_lets_nothing_in(void **s) {
  test_session *t = session_open();
  (void)s;
  session_dial(t);
  opened(t);
  drop_said(t);
  frame(t, "{\"t\":\"welcome\",\"id\":1,\"user\":\"bob\",\"incarnation\":"
           "\"b7\",\"version\":9,\"mode\":\"snapshot\",\"receipts\":true}");
  expect_said(t, "close 1 1000\nstate unauthorized\nask");
  session_end(t);
}

static void test_token__only_text_for_a_header_is_taken(void **s) {
  test_session *t = without_token();
  (void)s;
  assert_int_equal(sn_session_token(t->session, "", 1000), SEEN_EINVAL);
  assert_int_equal(sn_session_token(t->session, "a\r\nb", 1000), SEEN_EINVAL);
  assert_int_equal(sn_session_token(t->session, "\xc3\xa9", 1000), SEEN_EINVAL);
  test_alloc_fail(&t->memory, 1);
  assert_int_equal(sn_session_token(t->session, "T", 1000), SEEN_ENOMEM);
  session_dial(t);
  expect_said(t, "state unauthorized\nask");
  session_end(t);
}

static char logged[1 << 16];

static void keep_log(seen_log_level level, const char *text, void *user_data) {
  (void)level;
  (void)user_data;
  strcat(logged, text);
}

/* Neither tokens nor texts get into the log (o). */
static void test_token__no_secret_is_logged(void **s) {
  sn_session_options options = session_options();
  (void)s;
  options.token = "s3cret";
  options.log = (sn_log){.hook = keep_log, .level = SEEN_LOG_DEBUG};
  test_session *t = session_open_with(&options);
  session_online(t);
  frame(t, "{\"t\":\"message\",\"conv\":\"g\",\"seq\":5,\"version\":10,"
           "\"from\":\"bob\",\"kind\":\"text\",\"countable\":true,"
           "\"sent_at\":1,\"body\":\"pr1vate\"}");
  frame(t, "{\"t\":\"message\",\"body\":\"pr1vate\"}");
  until(t, t->now + 70000);
  ended(t, SEEN_ENDED_PEER, 4401);
  token(t, NULL);
  until(t, t->now + 200000);
  assert_true(strlen(logged) > 100);
  assert_null(strstr(logged, "s3cret"));
  assert_null(strstr(logged, "pr1vate"));
  session_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_token__without_one_the_provider_is_asked_first),
      cmocka_unit_test(test_token__a_broken_connection_costs_no_token),
      cmocka_unit_test(test_token__one_that_has_expired_is_replaced_at_once),
      cmocka_unit_test(test_token__an_error_that_says_so_is_the_same),
      cmocka_unit_test(test_token__an_upgrade_answered_401_is_the_same),
      cmocka_unit_test(test_token__refused_tokens_are_asked_for_with_a_wait),
      cmocka_unit_test(test_token__a_provider_that_has_none_is_asked_again),
      cmocka_unit_test(test_token__it_is_asked_ever_more_rarely),
      cmocka_unit_test(test_token__a_provider_that_is_silent_has_none),
      cmocka_unit_test(test_token__one_that_comes_unasked_is_for_the_next_time),
      cmocka_unit_test(test_token__of_another_user_lets_nothing_in),
      cmocka_unit_test(test_token__only_text_for_a_header_is_taken),
      cmocka_unit_test(test_token__no_secret_is_logged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
