#include "session/answer.h"

#include "support/session.h"

static void test_answer__a_no_is_the_reply(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  ask_readers(t, 5);
  drop_said(t);
  answer(t, 404, "{\"t\":\"error\",\"code\":\"not_found\"}");
  expect_said(t, "reply 5 SEEN_EREFUSED not_found");
  ask_readers(t, 6);
  drop_said(t);
  answer(t, 404, "<html>");
  expect_said(t, "reply 6 SEEN_EREFUSED");
  session_end(t);
}

static void test_answer__too_fast_waits_as_long_as_is_said(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  ask_readers(t, 5);
  drop_said(t);
  answer(t, 429,
         "{\"t\":\"error\",\"code\":\"rate_limited\",\"retry_ms\":700}");
  until(t, t->now + 699);
  expect_said(t, "");
  until(t, t->now + 1);
  expect_said(t, "get 3 " ASK_READERS);
  session_end(t);
}

static void test_answer__what_may_pass_is_tried_until_it_is_overdue(void **s) {
  static const struct {
    uint32_t status;
    const char *body;
  } answers[] = {{0, NULL}, {503, NULL}, {200, "<html>"}, {302, NULL}};
  test_session *t = session_open();
  size_t tries = 0;
  (void)s;
  session_online(t);
  ask_readers(t, 5);
  while (!was_said(t, "reply")) {
    uint64_t request = t->request;
    answer(t, answers[tries % 4].status, answers[tries % 4].body);
    tries++;
    while (t->request == request && !was_said(t, "reply"))
      until(t, t->now + 100);
    alive(t);
  }
  assert_true(was_said(t, "reply 5 SEEN_ETIMEOUT"));
  assert_int_equal(t->now, 31000);
  assert_in_range(tries, 5, 60);
  session_end(t);
}

static void test_answer__a_refused_token_is_replaced_once(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  ask_readers(t, 5);
  ask_readers(t, 6);
  drop_said(t);
  answer_to(t, 2, 401, "{\"t\":\"error\",\"code\":\"unauthorized\"}");
  expect_said(t, "ask");
  answer_to(t, 3, 401, "{\"t\":\"error\",\"code\":\"unauthorized\"}");
  expect_said(t, ""); /* the same one */
  token(t, "T2");
  expect_said(t, "get 4 " ASK_READERS "\nget 5 " ASK_READERS);
  answer_to(t, 4, 401, "{\"t\":\"error\",\"code\":\"unauthorized\"}");
  expect_said(t, "reply 5 SEEN_EREFUSED unauthorized");
  answer_to(t, 5, 200, ASKED_READERS);
  expect_said(t, "reply 6 ok");
  session_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_answer__a_no_is_the_reply),
      cmocka_unit_test(test_answer__too_fast_waits_as_long_as_is_said),
      cmocka_unit_test(test_answer__what_may_pass_is_tried_until_it_is_overdue),
      cmocka_unit_test(test_answer__a_refused_token_is_replaced_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
