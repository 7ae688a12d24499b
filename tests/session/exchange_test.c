#include "session/exchange.h"

#include <stdio.h>

#include "support/session.h"

static void test_exchange__who_has_read_is_asked_by_http(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  ask_readers(t, 5);
  expect_said(t, "get 2 " ASK_READERS);
  answer(t, 200, ASKED_READERS);
  expect_said(t, "reply 5 ok");
  session_end(t);
}

static void test_exchange__no_more_than_4_at_one_time(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  for (uint64_t i = 1; i <= 6; i++)
    ask_readers(t, i);
  assert_int_equal(t->request, 5);
  answer_to(t, 2, 200, ASKED_READERS);
  assert_int_equal(t->request, 6);
  session_end(t);
}

static void test_exchange__without_memory_the_reply_says_so(void **s) {
  test_session *t = session_open();
  const sn_ask what = {.act = SEEN_ACT_READERS, .conv = "g", .seq = 1};
  sn_request *request;
  (void)s;
  session_online(t);
  assert_int_equal(
      sn_request_new(&what, 9, &t->memory.allocator, &request, NULL), SEEN_OK);
  test_alloc_fail(&t->memory, 1);
  sn_session_request(t->session, request, t->now);
  pull(t);
  expect_said(t, "reply 9 SEEN_ENOMEM");
  session_end(t);
}

static seen_options policy(void) {
  seen_options options;
  seen_options_init(&options);
  options.seed = 3;
  return options;
}

#define ROW                                                                    \
  "{\"t\":\"changes\",\"conversations\":[{\"id\":\"%s\",\"kind\":\"group\","   \
  "\"read\":{\"epoch\":0,\"seq\":3,\"high\":0},\"last_seq\":9,"                \
  "\"version\":5}]}"

static void push_row(test_session *t, const char *conv) {
  char text[512];
  snprintf(text, sizeof text, ROW, conv);
  assert_int_equal(
      sn_session_push(t->session, text, strlen(text), t->now, NULL), SEEN_OK);
  pull(t);
}

static void mark_read(test_session *t, const char *conv) {
  person(t, &(seen_input){.size = sizeof(seen_input),
                          .type = SEEN_INPUT_MARK_READ,
                          .id = conv});
}

static bool is_pending(test_session *t, const char *conv) {
  seen_state state;
  assert_int_equal(
      seen_engine_state(t->engine, seen_engine_find(t->engine, conv), &state),
      SEEN_OK);
  return state.pending;
}

/* The app goes to the background before there is a link. */
static void test_exchange__reports_go_without_a_link(void **s) {
  const seen_options by = policy();
  test_session *t = session_open_engine(&by);
  (void)s;
  push_row(t, "g");
  push_row(t, "h/1");
  mark_read(t, "g");
  mark_read(t, "h/1");
  session_dial(t);
  drop_said(t);
  sn_session_flush(t->session, t->now);
  pull(t);
  expect_said(t, "link up\n"
                 "post 3 /im/conversations/g/read-cursor "
                 "{\"read_to_seq\":9,\"epoch\":0,\"device_id\":\"phone\"}\n"
                 "post 4 /im/conversations/h%2F1/read-cursor "
                 "{\"read_to_seq\":9,\"epoch\":0,\"device_id\":\"phone\"}");
  assert_true(is_pending(t, "g"));
  answer_to(t, 3, 200,
            "{\"t\":\"ack\",\"id\":0,\"of\":\"read\",\"items\":[{\"conv\":"
            "\"g\",\"result\":\"ok\",\"read\":{\"epoch\":0,\"seq\":9,"
            "\"high\":0},\"last_seq\":9,\"version\":6}]}");
  expect_said(t, "ack report g");
  assert_false(is_pending(t, "g"));
  answer_to(t, 4, 503, NULL);
  expect_said(t, "link down");
  assert_true(is_pending(t, "h/1")); /* said again on the next link */
  session_end(t);
}

static void test_exchange__with_nothing_unsent_a_flush_is_nothing(void **s) {
  const seen_options by = policy();
  test_session *t = session_open_engine(&by);
  (void)s;
  session_dial(t);
  drop_said(t);
  sn_session_flush(t->session, t->now);
  pull(t);
  expect_said(t, "link up\nlink down");
  session_end(t);
}

static void test_exchange__a_flush_ends_in_time(void **s) {
  const seen_options by = policy();
  test_session *t = session_open_engine(&by);
  (void)s;
  push_row(t, "g");
  mark_read(t, "g");
  sn_session_start(t->session, t->now);
  sn_session_flush(t->session, t->now);
  pull(t);
  drop_said(t);
  until(t, t->now + 30000);
  assert_true(was_said(t, "link down"));
  assert_true(was_said(t, "cancel 3"));
  session_end(t);
}

static void test_exchange__a_link_takes_over_from_a_flush(void **s) {
  const seen_options by = policy();
  test_session *t = session_open_engine(&by);
  (void)s;
  push_row(t, "g");
  mark_read(t, "g");
  session_dial(t);
  sn_session_flush(t->session, t->now);
  pull(t);
  opened(t);
  drop_said(t);
  frame(t, "{\"t\":\"welcome\",\"id\":1,\"user\":\"ann\",\"incarnation\":"
           "\"b7\",\"version\":9,\"mode\":\"snapshot\",\"receipts\":true}");
  /* What was pushed is in doubt until its row is here. */
  expect_said(t, "link down\nreset\nserver b7 0\nlink up\n"
                 "cancel 3\nstate online");
  frame(t, "{\"t\":\"changes\",\"id\":1,\"from\":0,\"version\":9,"
           "\"conversations\":[{\"id\":\"g\",\"kind\":\"group\",\"read\":"
           "{\"epoch\":0,\"seq\":3,\"high\":0},\"last_seq\":9,"
           "\"version\":5}],\"more\":false}");
  assert_non_null(strstr(t->said, "write 1 {\"t\":\"read\",\"id\":3,\"items\":"
                                  "[{\"conv\":\"g\",\"epoch\":0,\"seq\":9}]}"));
  session_end(t);
}

/* S2: what was read is kept until the next link tells of the history. */
static void
test_exchange__a_flush_into_another_history_loses_no_read(void **s) {
  static const char *const codes[] = {"seq_out_of_range", "epoch_ahead"};
  const seen_options by = policy();
  (void)s;
  for (size_t i = 0; i < 2; i++) {
    test_session *t = session_open_engine(&by);
    char text[256];
    push_row(t, "g");
    mark_read(t, "g");
    sn_session_start(t->session, t->now);
    sn_session_flush(t->session, t->now);
    pull(t);
    drop_said(t);
    snprintf(text, sizeof text,
             "{\"t\":\"ack\",\"id\":0,\"of\":\"read\",\"items\":[{\"conv\":"
             "\"g\",\"result\":\"refused\",\"code\":\"%s\",\"read\":"
             "{\"epoch\":0,\"seq\":1,\"high\":0},\"last_seq\":4,"
             "\"version\":2}]}",
             codes[i]);
    answer_to(t, 3, 200, text);
    expect_said(t, "link down");
    assert_true(is_pending(t, "g"));
    session_end(t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exchange__who_has_read_is_asked_by_http),
      cmocka_unit_test(test_exchange__no_more_than_4_at_one_time),
      cmocka_unit_test(test_exchange__without_memory_the_reply_says_so),
      cmocka_unit_test(test_exchange__reports_go_without_a_link),
      cmocka_unit_test(test_exchange__with_nothing_unsent_a_flush_is_nothing),
      cmocka_unit_test(test_exchange__a_flush_ends_in_time),
      cmocka_unit_test(test_exchange__a_link_takes_over_from_a_flush),
      cmocka_unit_test(
          test_exchange__a_flush_into_another_history_loses_no_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
