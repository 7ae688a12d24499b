#include "session/request.h"

#include <stdio.h>

#include "support/session.h"

static const seen_post soup = {.size = sizeof soup, .body = "soup?"};

static int try_ask(const sn_ask *what, seen_error *error) {
  sn_request *request;
  int status =
      sn_request_new(what, 1, seen_allocator_default(), &request, error);
  sn_request_free(request);
  return status;
}

static int try_post(seen_post post) {
  post.size = (uint32_t)sizeof post;
  return try_ask(&(sn_ask){.act = SEEN_ACT_SEND, .conv = "g", .post = &post},
                 NULL);
}

static int try_creation(const char *const *users, size_t count) {
  const seen_creation creation = {
      .size = sizeof creation, .users = users, .user_count = count};
  return try_ask(
      &(sn_ask){.act = SEEN_ACT_CREATE, .conv = "g", .create = &creation},
      NULL);
}

static void test_request__a_message_is_checked(void **s) {
  static char longest[8193], longer[8194];
  const char *users[65];
  const seen_post unsized = {0};
  (void)s;
  memset(longest, 'x', 8192);
  memset(longer, 'x', 8193);
  for (size_t i = 0; i < 65; i++)
    users[i] = "bob";
  assert_int_equal(try_post(soup), SEEN_OK);
  assert_int_equal(try_post((seen_post){.body = longest}), SEEN_OK);
  assert_int_equal(try_post((seen_post){.body = longer}), SEEN_EINVAL);
  assert_int_equal(try_post((seen_post){.body = "\xff"}), SEEN_EINVAL);
  assert_int_equal(try_post((seen_post){.kind = SEEN_MESSAGE_SYSTEM}),
                   SEEN_EINVAL);
  assert_int_equal(try_post((seen_post){.kind = SEEN_MESSAGE_RECALL}),
                   SEEN_ERANGE);
  assert_int_equal(
      try_post((seen_post){.kind = SEEN_MESSAGE_RECALL, .target = 7}), SEEN_OK);
  assert_int_equal(
      try_post((seen_post){.mentions = users, .mention_count = 64}), SEEN_OK);
  assert_int_equal(
      try_post((seen_post){.mentions = users, .mention_count = 65}),
      SEEN_EINVAL);
  assert_int_equal(
      try_ask(&(sn_ask){.act = SEEN_ACT_SEND, .conv = "g", .post = &unsized},
              NULL),
      SEEN_EINVAL);
  assert_int_equal(try_ask(&(sn_ask){.act = SEEN_ACT_SEND, .conv = "g"}, NULL),
                   SEEN_EINVAL);
  assert_int_equal(try_post((seen_post){.mention_count = 1}), SEEN_EINVAL);
}

static void test_request__names_and_numbers_are_checked(void **s) {
  const char *users[501];
  (void)s;
  for (size_t i = 0; i < 501; i++)
    users[i] = "bob";
  assert_int_equal(try_creation(users, 500), SEEN_OK);
  assert_int_equal(try_creation(users, 501), SEEN_EINVAL);
  users[1] = "";
  assert_int_equal(try_creation(users, 2), SEEN_EINVAL);
  assert_int_equal(try_creation(NULL, 2), SEEN_EINVAL);
  assert_int_equal(
      try_ask(&(sn_ask){.act = SEEN_ACT_CREATE, .conv = "g"}, NULL),
      SEEN_EINVAL);
  assert_int_equal(try_ask(&(sn_ask){.act = SEEN_ACT_JOIN, .conv = ""}, NULL),
                   SEEN_EINVAL);
  assert_int_equal(
      try_ask(&(sn_ask){.act = SEEN_ACT_HISTORY, .conv = "g"}, NULL),
      SEEN_ERANGE);
  assert_int_equal(
      try_ask(&(sn_ask){.act = SEEN_ACT_HISTORY, .conv = "g", .limit = 101},
              NULL),
      SEEN_ERANGE);
  assert_int_equal(
      try_ask(&(sn_ask){.act = SEEN_ACT_READERS, .conv = "g"}, NULL),
      SEEN_ERANGE);
}

/* 500 names of which each byte takes two. */
static void test_request__what_fits_no_frame_is_refused(void **s) {
  static char name[65];
  const char *users[500];
  seen_error error = SEEN_ERROR_INIT;
  (void)s;
  memset(name, '"', 64);
  for (size_t i = 0; i < 500; i++)
    users[i] = name;
  assert_int_equal(try_ask(&(sn_ask){.act = SEEN_ACT_ADD,
                                     .conv = "g",
                                     .users = users,
                                     .user_count = 500},
                           &error),
                   SEEN_EINVAL);
  assert_string_equal(error.message, "more than fits a frame");
}

static void test_request__without_memory_there_is_none(void **s) {
  const sn_ask what = {.act = SEEN_ACT_SEND, .conv = "g", .post = &soup};
  sn_request *request;
  test_alloc memory;
  (void)s;
  test_alloc_init(&memory);
  for (uint64_t n = 1;; n++) {
    test_alloc_fail(&memory, n);
    int status = sn_request_new(&what, 1, &memory.allocator, &request, NULL);
    test_alloc_fail(&memory, 0);
    if (!status) break;
    assert_int_equal(status, SEEN_ENOMEM);
    assert_null(request);
    test_alloc_check(&memory);
  }
  sn_request_free(request);
  test_alloc_check(&memory);
}

/* Behind the op, which is random. */
static const char *behind_op(test_session *t, const char *head) {
  static char found[512];
  char *at = strstr(t->said, head);
  assert_non_null(at);
  at += strlen(head);
  for (int i = 0; i < 32; i++)
    assert_non_null(strchr("0123456789abcdef", at[i]));
  snprintf(found, sizeof found, "%s", at + 32);
  if (strchr(found, '\n')) *strchr(found, '\n') = '\0';
  drop_said(t);
  return found;
}

static void test_request__each_act_has_its_frame(void **s) {
  test_session *t = session_open();
  const char *const users[] = {"bob"};
  const seen_creation creation = {.size = sizeof creation,
                                  .kind = SEEN_KIND_GROUP,
                                  .users = users,
                                  .user_count = 1};
  (void)s;
  session_online(t);
  ask(t, 1, &(sn_ask){.act = SEEN_ACT_SEND, .conv = "a", .post = &soup});
  assert_string_equal(
      behind_op(t, "write 1 {\"t\":\"send\",\"id\":2,\"op\":\""),
      "\",\"conv\":\"a\",\"body\":\"soup?\"}");
  ask(t, 2,
      &(sn_ask){.act = SEEN_ACT_CREATE, .conv = "b", .create = &creation});
  assert_string_equal(
      behind_op(t, "write 1 {\"t\":\"create\",\"id\":4,\"op\":\""),
      "\",\"conv\":\"b\",\"kind\":\"group\",\"users\":[\"bob\"]}");
  ask(t, 3,
      &(sn_ask){.act = SEEN_ACT_ADD,
                .conv = "c",
                .users = users,
                .user_count = 1,
                .role = SEEN_ROLE_ADMIN});
  assert_string_equal(behind_op(t, "write 1 {\"t\":\"add\",\"id\":6,\"op\":\""),
                      "\",\"conv\":\"c\",\"users\":[\"bob\"],"
                      "\"role\":\"admin\"}");
  ask(t, 4,
      &(sn_ask){.act = SEEN_ACT_REMOVE,
                .conv = "d",
                .users = users,
                .user_count = 1});
  assert_string_equal(
      behind_op(t, "write 1 {\"t\":\"remove\",\"id\":8,\"op\":\""),
      "\",\"conv\":\"d\",\"users\":[\"bob\"]}");
  ask(t, 5, &(sn_ask){.act = SEEN_ACT_JOIN, .conv = "e"});
  assert_string_equal(
      behind_op(t, "write 1 {\"t\":\"join\",\"id\":10,\"op\":\""),
      "\",\"conv\":\"e\"}");
  ask(t, 6, &(sn_ask){.act = SEEN_ACT_LEAVE, .conv = "f"});
  assert_string_equal(
      behind_op(t, "write 1 {\"t\":\"leave\",\"id\":12,\"op\":\""),
      "\",\"conv\":\"f\"}");
  ask(t, 7, &(sn_ask){.act = SEEN_ACT_HISTORY, .conv = "g", .limit = 50});
  expect_said(t, "write 1 {\"t\":\"history\",\"id\":14,\"conv\":\"g\","
                 "\"limit\":50}");
  ask(t, 8,
      &(sn_ask){
          .act = SEEN_ACT_HISTORY, .conv = "g", .before = 1000, .limit = 1});
  expect_said(t, "write 1 {\"t\":\"history\",\"id\":16,\"conv\":\"g\","
                 "\"before\":1000,\"limit\":1}");
  ask(t, 9, &(sn_ask){.act = SEEN_ACT_SETTINGS, .on = true});
  expect_said(t, "write 1 {\"t\":\"settings\",\"id\":18,\"receipts\":true}");
  session_end(t);
}

static void test_request__two_ops_are_never_the_same(void **s) {
  test_session *t = session_open();
  char first[64], second[64];
  (void)s;
  session_online(t);
  ask(t, 1, &(sn_ask){.act = SEEN_ACT_JOIN, .conv = "g"});
  snprintf(first, 33, "%s", strstr(t->said, "\"op\":\"") + 6);
  drop_said(t);
  ask(t, 2, &(sn_ask){.act = SEEN_ACT_JOIN, .conv = "h"});
  snprintf(second, 33, "%s", strstr(t->said, "\"op\":\"") + 6);
  assert_string_not_equal(first, second);
  session_end(t);
}

static void test_request__the_answer_is_the_reply(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  ask(t, 1, &(sn_ask){.act = SEEN_ACT_SEND, .conv = "g", .post = &soup});
  ask(t, 2, &(sn_ask){.act = SEEN_ACT_JOIN, .conv = "h"});
  ask(t, 3, &(sn_ask){.act = SEEN_ACT_SETTINGS, .on = false});
  ask(t, 4, &(sn_ask){.act = SEEN_ACT_HISTORY, .conv = "g", .limit = 1});
  drop_said(t);
  frame(t, "{\"t\":\"ack\",\"id\":2,\"of\":\"send\",\"items\":[{\"conv\":"
           "\"g\",\"result\":\"ok\",\"seq\":6,\"sent_at\":1,\"read\":"
           "{\"epoch\":0,\"seq\":3,\"high\":0},\"last_seq\":6,"
           "\"version\":10}]}");
  /* It is a message of one's own, and its word a position. */
  expect_said(t, "message g\nposition g\nreply 1 ok");
  frame(t, "{\"t\":\"error\",\"id\":4,\"code\":\"forbidden\"}");
  expect_said(t, "reply 2 SEEN_EREFUSED forbidden");
  frame(t, "{\"t\":\"ack\",\"id\":6,\"of\":\"settings\","
           "\"receipts\":false,\"version\":11}");
  expect_said(t, "reply 3 ok\nstate online synced");
  frame(t, "{\"t\":\"page\",\"id\":8,\"conv\":\"g\",\"messages\":[]}");
  expect_said(t, "reply 4 ok");
  session_end(t);
}

static void test_request__it_waits_for_a_link_and_then_no_longer(void **s) {
  test_session *t = session_open();
  (void)s;
  ask(t, 1, &(sn_ask){.act = SEEN_ACT_HISTORY, .conv = "g", .limit = 1});
  ask(t, 2, &(sn_ask){.act = SEEN_ACT_SEND, .conv = "g", .post = &soup});
  until(t, 30999);
  expect_said(t, "");
  until(t, 31000);
  expect_said(t, "reply 1 SEEN_ETIMEOUT");
  until(t, 120999);
  expect_said(t, "");
  until(t, 121000);
  expect_said(t, "reply 2 SEEN_ETIMEOUT");
  session_end(t);
}

static void test_request__a_late_answer_is_no_second_reply(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  ask(t, 1, &(sn_ask){.act = SEEN_ACT_HISTORY, .conv = "g", .limit = 1});
  drop_said(t);
  sn_session_cancel(t->session, 1);
  sn_session_cancel(t->session, 1);
  sn_session_cancel(t->session, 99);
  pull(t);
  expect_said(t, "reply 1 SEEN_ECANCELED");
  frame(t, "{\"t\":\"page\",\"id\":2,\"conv\":\"g\",\"messages\":[]}");
  expect_said(t, "");
  session_end(t);
}

static void test_request__all_are_ended_by_a_close(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  ask(t, 1, &(sn_ask){.act = SEEN_ACT_SEND, .conv = "g", .post = &soup});
  ask(t, 2, &(sn_ask){.act = SEEN_ACT_SEND, .conv = "g", .post = &soup});
  ask(t, 3, &(sn_ask){.act = SEEN_ACT_READERS, .conv = "g", .seq = 1});
  drop_said(t);
  sn_session_cancel_all(t->session, SEEN_ECLOSED);
  pull(t);
  expect_said(t, "reply 1 SEEN_ECLOSED\nreply 2 SEEN_ECLOSED\n"
                 "reply 3 SEEN_ECLOSED\ncancel 2");
  session_end(t);
}

static void test_request__a_disabled_account_has_none(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  ask(t, 1, &(sn_ask){.act = SEEN_ACT_SEND, .conv = "g", .post = &soup});
  drop_said(t);
  ended(t, SEEN_ENDED_PEER, 4403);
  expect_said(t, "link down\nreply 1 SEEN_EREFUSED disabled\n"
                 "state disabled");
  ask(t, 2, &(sn_ask){.act = SEEN_ACT_JOIN, .conv = "g"});
  expect_said(t, "reply 2 SEEN_EREFUSED disabled");
  session_end(t);
}

static void test_request__freed_with_the_session_wherever_it_is(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  for (uint64_t i = 1; i <= 70; i++)
    ask(t, i, &(sn_ask){.act = SEEN_ACT_SEND, .conv = "g", .post = &soup});
  ask(t, 71, &(sn_ask){.act = SEEN_ACT_READERS, .conv = "g", .seq = 1});
  sn_session_cancel(t->session, 5);
  session_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_request__a_message_is_checked),
      cmocka_unit_test(test_request__names_and_numbers_are_checked),
      cmocka_unit_test(test_request__what_fits_no_frame_is_refused),
      cmocka_unit_test(test_request__without_memory_there_is_none),
      cmocka_unit_test(test_request__each_act_has_its_frame),
      cmocka_unit_test(test_request__two_ops_are_never_the_same),
      cmocka_unit_test(test_request__the_answer_is_the_reply),
      cmocka_unit_test(test_request__it_waits_for_a_link_and_then_no_longer),
      cmocka_unit_test(test_request__a_late_answer_is_no_second_reply),
      cmocka_unit_test(test_request__all_are_ended_by_a_close),
      cmocka_unit_test(test_request__a_disabled_account_has_none),
      cmocka_unit_test(test_request__freed_with_the_session_wherever_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
