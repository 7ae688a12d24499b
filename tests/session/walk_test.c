#include "session/walk.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/random.h"
#include "support/session.h"

#define WORD                                                                   \
  "\"read\":{\"epoch\":0,\"seq\":3,\"high\":0},\"last_seq\":5,\"version\":19"

#define READ                                                                   \
  "\"read\":{\"epoch\":0,\"seq\":5,\"high\":0},\"last_seq\":5,\"version\":19"

static void test_walk__what_is_said_of_one_conversation(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  frame(t, "{\"t\":\"position\",\"conv\":\"g\"," WORD "}");
  frame(t, "{\"t\":\"peer\",\"conv\":\"d\",\"items\":["
           "{\"user\":\"bob\",\"read_seq\":11},{\"user\":\"cyd\"}]}");
  frame(t, "{\"t\":\"receipts\",\"conv\":\"g\",\"rows\":[[1,2,3,4]]}");
  frame(t, "{\"t\":\"members\",\"conv\":\"g\",\"joined\":[]}");
  frame(t, "{\"t\":\"set\",\"conv\":\"g\",\"muted\":true}");
  frame(t, "{\"t\":\"left\",\"conv\":\"g\",\"leave_seq\":10}");
  frame(t, "{\"t\":\"report_now\"}");
  expect_said(t, "position g\npeer d\npeer d\nreceipts g\nmembers g\nset g\n"
                 "left g\nreport_now");
  session_end(t);
}

static void test_walk__a_message_brings_its_text_behind_it(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  frame(t, "{\"t\":\"message\",\"conv\":\"g\",\"seq\":5,\"version\":10,"
           "\"from\":\"bob\",\"kind\":\"text\",\"countable\":true,"
           "\"sent_at\":1,\"body\":\"soup?\"}");
  expect_said(t, "message g\ntext g 5 soup?");
  frame(t, "{\"t\":\"message\",\"conv\":\"g\",\"seq\":6,\"version\":11,"
           "\"from\":\"bob\",\"kind\":\"text\",\"countable\":true,"
           "\"sent_at\":1,\"hidden\":true}");
  expect_said(t, "message g\ntext g 6 -");
  session_end(t);
}

static void test_walk__rows_that_ended_and_rows_that_are_none(void **s) {
  const seen_effect fetch = {.size = sizeof fetch, .type = SEEN_EFFECT_FETCH};
  test_session *t = session_open();
  (void)s;
  session_online(t);
  effect(t, &fetch, "g");
  pull(t);
  drop_said(t);
  frame(t, "{\"t\":\"changes\",\"id\":3,\"conversations\":["
           "{\"id\":\"g\",\"kind\":\"group\"," WORD ",\"leave_seq\":4},"
           "{\"id\":\"h\",\"kind\":\"group\"," WORD "}],"
           "\"missing\":[\"i\",\"j\"]}");
  expect_said(t, "left g\nrow h\nrefuse report i not_found\n"
                 "refuse report j not_found");
  session_end(t);
}

static void test_walk__acks_of_reports_are_taken_apart(void **s) {
  const seen_effect report = {
      .size = sizeof report, .type = SEEN_EFFECT_REPORT, .u.report.seq = 1};
  test_session *t = session_open();
  (void)s;
  session_online(t);
  effect(t, &report, "a");
  pull(t);
  drop_said(t);
  frame(t, "{\"t\":\"ack\",\"id\":3,\"of\":\"read\",\"more\":true,\"items\":["
           "{\"conv\":\"a\",\"result\":\"ok\"," WORD "},"
           "{\"conv\":\"b\",\"result\":\"stale\"," WORD "},"
           "{\"conv\":\"c\",\"result\":\"rebased\"," WORD "}]}");
  expect_said(t, "ack report a\nack report b\nack report c");
  frame(t,
        "{\"t\":\"ack\",\"id\":3,\"of\":\"read\",\"items\":["
        "{\"conv\":\"d\",\"result\":\"refused\",\"code\":\"epoch_ahead\"," WORD
        "},{\"conv\":\"e\",\"result\":\"refused\",\"code\":\"invalid\"},"
        "{\"conv\":\"f\",\"result\":\"refused\",\"code\":\"rate_limited\","
        "\"retry_ms\":5},"
        "{\"conv\":\"g\",\"result\":\"refused\",\"code\":\"not_member\"}]}");
  expect_said(t, "refuse report d epoch_ahead\n"
                 "refuse report f rate_limited\n"
                 "refuse report g not_member");
  session_end(t);
}

static void test_walk__acks_of_marks_and_of_read_all(void **s) {
  const seen_effect mark = {
      .size = sizeof mark, .type = SEEN_EFFECT_MARK_UNREAD, .u.mark.op = 1};
  const seen_effect all = {.size = sizeof all, .type = SEEN_EFFECT_READ_ALL};
  const seen_effect delivered = {
      .size = sizeof delivered, .type = SEEN_EFFECT_DELIVERED, .u.seq = 1};
  test_session *t = session_open();
  (void)s;
  session_online(t);
  effect(t, &mark, "a");
  effect(t, &mark, "b");
  effect(t, &all, NULL);
  effect(t, &delivered, "a");
  pull(t);
  drop_said(t);
  frame(t, "{\"t\":\"ack\",\"id\":3,\"of\":\"mark_unread\",\"items\":["
           "{\"conv\":\"a\",\"result\":\"ok\"," WORD "}]}");
  frame(t, "{\"t\":\"ack\",\"id\":5,\"of\":\"mark_unread\",\"items\":["
           "{\"conv\":\"b\",\"result\":\"refused\",\"code\":\"conflict\"," WORD
           "}]}");
  frame(t, "{\"t\":\"ack\",\"id\":7,\"of\":\"read_all\",\"items\":["
           "{\"conv\":\"a\",\"result\":\"ok\"," READ "},"
           "{\"conv\":\"c\",\"result\":\"stale\"," WORD "}]}");
  frame(t, "{\"t\":\"ack\",\"id\":9,\"of\":\"delivered\",\"items\":["
           "{\"conv\":\"a\",\"result\":\"ok\",\"delivered_seq\":1}]}");
  expect_said(t, "ack mark_unread a\nrefuse mark_unread b conflict\n"
                 "ack read_all a\nrefuse report c rate_limited");
  session_end(t);
}

static void test_walk__a_push_is_taken_without_a_link(void **s) {
  test_session *t = session_open();
  static const char text[] =
      "[{\"t\":\"position\",\"conv\":\"g\"," WORD "},"
      "{\"t\":\"left\",\"conv\":\"g\",\"leave_seq\":3},"
      "{\"t\":\"welcome\",\"id\":1,\"user\":\"ann\",\"incarnation\":\"b9\","
      "\"version\":9,\"mode\":\"resume\",\"receipts\":true},"
      "{\"t\":\"changes\",\"from\":0,\"version\":900,\"conversations\":["
      "{\"id\":\"h\",\"kind\":\"group\"," WORD "}]}]";
  (void)s;
  assert_int_equal(
      sn_session_push(t->session, text, strlen(text), t->now, NULL), SEEN_OK);
  assert_int_equal(
      sn_session_push(t->session, text, strlen(text), t->now, NULL),
      SEEN_ESTATE);
  pull(t);
  expect_said(t, "position g\nrow h");
  session_online(t);
  assert_int_equal(t->version, 9);
  session_end(t);
}

static void pushed(test_session *t, const char *text, const char *said) {
  assert_int_equal(
      sn_session_push(t->session, text, strlen(text), t->now, NULL), SEEN_OK);
  pull(t);
  expect_said(t, said);
}

/* One that was removed since is not brought back: nobody would say it again. */
static void test_walk__a_late_push_brings_no_row_back(void **s) {
  static const char known[] =
      "[{\"t\":\"changes\",\"conversations\":[{\"id\":\"g\",\"kind\":"
      "\"group\",\"read\":{\"epoch\":0,\"seq\":3,\"high\":0},\"last_seq\":5,"
      "\"version\":9}],\"missing\":[\"k\"]},{\"t\":\"position\",\"conv\":"
      "\"g\",\"read\":{\"epoch\":0,\"seq\":3,\"high\":0},\"last_seq\":5,"
      "\"version\":8}]";
  static const char newer[] =
      "{\"t\":\"changes\",\"conversations\":["
      "{\"id\":\"g\",\"kind\":\"group\"," WORD ",\"leave_seq\":4},"
      "{\"id\":\"h\",\"kind\":\"group\"," WORD "}]}";
  test_session *t = session_open();
  (void)s;
  session_online(t); /* all is known up to version 9 */
  pushed(t, known, "");
  pushed(t, newer, "position h"); /* the link brings rows itself */
  ended(t, SEEN_ENDED_LOST, 0);
  drop_said(t);
  pushed(t, known, "");
  pushed(t, newer, "left g\nrow h");
  session_end(t);
}

/* S2: it may be of the history before. */
static void test_walk__a_push_is_no_fresh_row(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  ended(t, SEEN_ENDED_LOST, 0);
  until(t, t->now + 2000);
  opened(t);
  frame(t, "{\"t\":\"welcome\",\"id\":3,\"user\":\"ann\",\"incarnation\":"
           "\"b8\",\"version\":7,\"mode\":\"snapshot\",\"receipts\":true}");
  assert_true(was_said(t, "reset"));
  ended(t, SEEN_ENDED_LOST, 0);
  drop_said(t);
  pushed(t,
         "{\"t\":\"changes\",\"conversations\":["
         "{\"id\":\"g\",\"kind\":\"group\"," WORD "}]}",
         "");
  session_end(t);
}

static void test_walk__a_push_that_is_partly_none_is_not_taken(void **s) {
  test_session *t = session_open();
  static const char *const texts[] = {
      "[{\"t\":\"position\",\"conv\":\"g\"," WORD "},7]", "<html>", "7", ""};
  (void)s;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    seen_error error = SEEN_ERROR_INIT;
    assert_int_equal(
        sn_session_push(t->session, texts[i], strlen(texts[i]), t->now, &error),
        SEEN_EPARSE);
    assert_true(*error.message);
    pull(t);
    expect_said(t, "");
  }
  assert_int_equal(sn_session_push(t->session, "[]", 2, t->now, NULL), SEEN_OK);
  pull(t);
  expect_said(t, "");
  session_end(t);
}

/*
 * Frames with bytes changed at random: what is read can be fed. An input that
 * the engine refuses fails in support/session.c.
 */
static void test_walk__whatever_is_read_can_be_fed(void **s) {
  static const char *const seeds[] = {
      "{\"t\":\"position\",\"conv\":\"g\"," WORD
      ",\"uncountable\":[1,[4,5]],\"from\":1,\"counted\":1,\"floor\":1,"
      "\"mentions\":[{\"seq\":5,\"why\":\"all\"}],\"unread\":1}",
      "{\"t\":\"message\",\"conv\":\"g\",\"seq\":6,\"version\":10,"
      "\"from\":\"bob\",\"kind\":\"recall\",\"countable\":false,"
      "\"target\":5,\"sent_at\":1,\"mentions\":\"me\"}",
      "{\"t\":\"changes\",\"conversations\":[{\"id\":\"g\",\"kind\":"
      "\"direct\"," WORD ",\"join_seq\":1,\"leave_seq\":4,\"muted\":true,"
      "\"roster\":[{\"user\":\"bob\",\"join\":1,\"leave\":7,\"read_seq\":2,"
      "\"bot\":true}]}],\"missing\":[\"i\"]}",
      "{\"t\":\"peer\",\"conv\":\"g\",\"items\":[{\"user\":\"bob\","
      "\"read_seq\":11,\"delivered_seq\":12}]}",
      "{\"t\":\"receipts\",\"conv\":\"g\",\"rows\":[[5,12,79,40]]}",
      "{\"t\":\"members\",\"conv\":\"g\",\"joined\":[{\"user\":\"dan\","
      "\"seq\":1,\"bot\":true}],\"left\":[{\"user\":\"cyd\",\"seq\":2}]}",
      "{\"t\":\"set\",\"conv\":\"g\",\"muted\":true,\"pinned\":false}",
      "{\"t\":\"left\",\"conv\":\"g\",\"leave_seq\":10}"};
  static const char bytes[] = "0123456789-.[]{},:\"eE ntru";
  seen_options by;
  test_random random = {11};
  char text[1024];
  size_t taken = 0;
  (void)s;
  seen_options_init(&by);
  by.seed = 5;
  test_session *t = session_open_engine(&by);
  session_online(t);
  for (size_t i = 0; i < test_scaled(60000); i++) {
    const char *seed = seeds[i % (sizeof seeds / sizeof *seeds)];
    size_t length = strlen(seed);
    memcpy(text, seed, length + 1);
    for (uint64_t k = test_random_below(&random, 3); k > 0; k--)
      text[test_random_below(&random, length)] =
          bytes[test_random_below(&random, sizeof bytes - 1)];
    if (text[0] != '{' ||
        sn_push_check(&t->memory.allocator, text, length, NULL))
      continue;
    frame(t, text);
    taken++;
    drop_said(t);
  }
  assert_true(taken > test_scaled(60000) / 4);
  assert_int_equal(t->state.connection, SEEN_CONNECTION_ONLINE);
  session_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_walk__what_is_said_of_one_conversation),
      cmocka_unit_test(test_walk__a_message_brings_its_text_behind_it),
      cmocka_unit_test(test_walk__rows_that_ended_and_rows_that_are_none),
      cmocka_unit_test(test_walk__acks_of_reports_are_taken_apart),
      cmocka_unit_test(test_walk__acks_of_marks_and_of_read_all),
      cmocka_unit_test(test_walk__a_push_is_taken_without_a_link),
      cmocka_unit_test(test_walk__a_late_push_brings_no_row_back),
      cmocka_unit_test(test_walk__a_push_is_no_fresh_row),
      cmocka_unit_test(test_walk__a_push_that_is_partly_none_is_not_taken),
      cmocka_unit_test(test_walk__whatever_is_read_can_be_fed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
