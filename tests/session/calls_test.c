#include "session/calls.h"

#include <stdio.h>

#include "support/session.h"

static void fetch(test_session *t, const char *id) {
  const seen_effect what = {.size = sizeof what, .type = SEEN_EFFECT_FETCH};
  effect(t, &what, id);
  pull(t); /* so that each is a frame of its own */
}

static void send(test_session *t, uint64_t number, const char *conv) {
  const seen_post post = {.size = sizeof post, .body = "soup?"};
  ask(t, number, &(sn_ask){.act = SEEN_ACT_SEND, .conv = conv, .post = &post});
}

static void acked(test_session *t, uint64_t id, const char *conv) {
  char text[256];
  snprintf(text, sizeof text,
           "{\"t\":\"ack\",\"id\":%u,\"of\":\"send\",\"items\":[{\"conv\":"
           "\"%s\",\"result\":\"ok\",\"seq\":4,\"sent_at\":1}]}",
           (unsigned)id, conv);
  frame(t, text);
}

static void test_calls__no_more_than_64_are_in_flight(void **s) {
  test_session *t = session_open();
  char text[256];
  (void)s;
  session_online(t);
  for (unsigned i = 0; i < 100; i++) {
    snprintf(text, sizeof text, "g%u", i);
    fetch(t, text);
  }
  assert_int_equal(t->frames, 1 + 64);
  frame(t, "{\"t\":\"changes\",\"id\":3,\"conversations\":[]}");
  assert_int_equal(t->frames, 1 + 65);
  session_end(t);
}

static void test_calls__an_answer_in_parts_is_one(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  fetch(t, "g");
  frame(t, "{\"t\":\"changes\",\"id\":3,\"conversations\":[],\"more\":true}");
  assert_int_equal(sn_calls_find(t->session, 3)->id, 3);
  frame(t, "{\"t\":\"changes\",\"id\":3,\"conversations\":[]}");
  assert_null(sn_calls_find(t->session, 3));
  session_end(t);
}

static void test_calls__the_database_failed_is_tried_again(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  fetch(t, "g");
  drop_said(t);
  frame(t, "{\"t\":\"error\",\"id\":3,\"code\":\"storage\"}");
  expect_said(t, "");
  until(t, t->now + 1000);
  expect_said(t, "write 1 {\"t\":\"fetch\",\"id\":3,\"convs\":[\"g\"]}");
  session_end(t);
}

static void test_calls__too_fast_waits_as_long_as_is_said(void **s) {
  test_session *t = session_open();
  const seen_effect all = {.size = sizeof all, .type = SEEN_EFFECT_READ_ALL};
  (void)s;
  session_online(t);
  effect(t, &all, NULL);
  pull(t);
  drop_said(t);
  frame(t, "{\"t\":\"error\",\"id\":3,\"code\":\"rate_limited\","
           "\"retry_ms\":2500}");
  until(t, t->now + 2499);
  expect_said(t, "");
  until(t, t->now + 1);
  expect_said(t, "write 1 {\"t\":\"read_all\",\"id\":3,\"as_of\":9}");
  session_end(t);
}

static void test_calls__waits_for_the_database_grow(void **s) {
  test_session *t = session_open();
  uint64_t waited = 0;
  (void)s;
  session_online(t);
  fetch(t, "g");
  for (int i = 0; i < 20; i++) {
    uint64_t from = t->now;
    size_t frames = t->frames;
    frame(t, "{\"t\":\"error\",\"id\":3,\"code\":\"storage\"}");
    while (t->frames == frames) {
      until(t, t->now + 100);
      alive(t);
    }
    waited += t->now - from;
  }
  assert_true(waited > 200000);
  session_end(t);
}

/* The engine says it again; a host's goes again, with the op it had. */
static void test_calls__a_new_link_has_a_hosts_only(void **s) {
  test_session *t = session_open();
  char first[256];
  (void)s;
  session_online(t);
  fetch(t, "g");
  drop_said(t);
  send(t, 21, "g");
  send(t, 22, "g"); /* in turn: not before the first has its answer */
  t->said[--t->length] = '\0';
  snprintf(first, sizeof first, "%s", strchr(t->said, '{'));
  assert_null(strchr(t->said, '\n'));
  ended(t, SEEN_ENDED_LOST, 0);
  until(t, t->now + 1000);
  opened(t);
  drop_said(t);
  frame(t, "{\"t\":\"welcome\",\"id\":5,\"user\":\"ann\",\"incarnation\":"
           "\"b7\",\"version\":9,\"mode\":\"resume\",\"receipts\":true}");
  assert_true(was_said(t, first));
  assert_false(was_said(t, "fetch"));
  assert_false(was_said(t, "\"id\":44"));
  acked(t, 42, "g");
  assert_true(was_said(t, "reply 21 ok"));
  assert_true(was_said(t, "\"id\":44"));
  session_end(t);
}

static void test_calls__conversations_do_not_wait_for_each_other(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  send(t, 1, "g");
  send(t, 2, "g");
  send(t, 3, "h");
  assert_true(was_said(t, "\"id\":2,"));
  assert_false(was_said(t, "\"id\":4,"));
  assert_true(was_said(t, "\"id\":6,"));
  session_end(t);
}

static void test_calls__one_that_has_to_wait_holds_its_followers(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  send(t, 1, "g");
  send(t, 2, "g");
  drop_said(t);
  frame(t, "{\"t\":\"error\",\"id\":2,\"code\":\"rate_limited\","
           "\"retry_ms\":400}");
  expect_said(t, "");
  until(t, t->now + 400);
  assert_true(was_said(t, "\"id\":2,"));
  assert_false(was_said(t, "\"id\":4,"));
  acked(t, 2, "g");
  assert_true(was_said(t, "\"id\":4,"));
  session_end(t);
}

/* Mute on, then off: the first may be refused for now, never the last word. */
static void test_calls__what_undoes_something_does_not_overtake_it(void **s) {
  seen_effect mute = {
      .size = sizeof mute, .type = SEEN_EFFECT_MUTE, .u.on = true};
  test_session *t = session_open();
  (void)s;
  session_online(t);
  effect(t, &mute, "g");
  mute.u.on = false;
  effect(t, &mute, "g");
  effect(t, &mute, "h");
  pull(t);
  expect_said(
      t, "write 1 {\"t\":\"set\",\"id\":3,\"conv\":\"g\",\"muted\":true}\n"
         "write 1 {\"t\":\"set\",\"id\":7,\"conv\":\"h\",\"muted\":false}");
  frame(t, "{\"t\":\"error\",\"id\":3,\"code\":\"rate_limited\","
           "\"retry_ms\":400}");
  until(t, t->now + 400);
  expect_said(t, "write 1 {\"t\":\"set\",\"id\":3,\"conv\":\"g\","
                 "\"muted\":true}");
  frame(t, "{\"t\":\"set\",\"id\":3,\"conv\":\"g\",\"muted\":true,"
           "\"pinned\":false}");
  expect_said(t, "set g\nwrite 1 {\"t\":\"set\",\"id\":5,\"conv\":\"g\","
                 "\"muted\":false}");
  session_end(t);
}

static void test_calls__an_answer_to_nothing_is_ignored(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  frame(t, "{\"t\":\"ack\",\"id\":42,\"of\":\"read\",\"items\":[{\"conv\":"
           "\"g\",\"result\":\"ok\",\"read\":{\"epoch\":0,\"seq\":1,"
           "\"high\":0},\"last_seq\":3,\"version\":21}]}");
  frame(t, "{\"t\":\"error\",\"id\":42,\"code\":\"storage\"}");
  expect_said(t, "");
  session_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_calls__no_more_than_64_are_in_flight),
      cmocka_unit_test(test_calls__an_answer_in_parts_is_one),
      cmocka_unit_test(test_calls__the_database_failed_is_tried_again),
      cmocka_unit_test(test_calls__too_fast_waits_as_long_as_is_said),
      cmocka_unit_test(test_calls__waits_for_the_database_grow),
      cmocka_unit_test(test_calls__a_new_link_has_a_hosts_only),
      cmocka_unit_test(test_calls__conversations_do_not_wait_for_each_other),
      cmocka_unit_test(test_calls__one_that_has_to_wait_holds_its_followers),
      cmocka_unit_test(test_calls__what_undoes_something_does_not_overtake_it),
      cmocka_unit_test(test_calls__an_answer_to_nothing_is_ignored),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
