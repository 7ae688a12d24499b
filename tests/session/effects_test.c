/* The twin of effects.c: what the engine effects, as frames. */
#include "support/session.h"

#include <stdio.h>
#include <stdlib.h>

static seen_effect report_of(uint64_t seq, uint32_t frame_number) {
  return (seen_effect){
      .size = sizeof(seen_effect),
      .type = SEEN_EFFECT_REPORT,
      .u.report = {.epoch = 0, .seq = seq, .frame = frame_number}};
}

static void test_effects__what_leaves_together_is_one_frame(void **s) {
  test_session *t = session_open();
  seen_effect mark = {
      .size = sizeof mark,
      .type = SEEN_EFFECT_MARK_UNREAD,
      .u.mark = {
          .expected_epoch = 0, .expected_seq = 7, .target = 5, .op = 255}};
  seen_effect what = report_of(3, 1);
  (void)s;
  session_online(t);
  effect(t, &what, "a");
  effect(t, &mark, "b"); /* in between, by id (V10) */
  what = report_of(4, 1);
  effect(t, &what, "c");
  what = report_of(5, 2);
  effect(t, &what, "d");
  pull(t);
  expect_said(t, "write 1 {\"t\":\"read\",\"id\":3,\"items\":["
                 "{\"conv\":\"a\",\"epoch\":0,\"seq\":3},"
                 "{\"conv\":\"c\",\"epoch\":0,\"seq\":4}]}\n"
                 "write 1 {\"t\":\"mark_unread\",\"id\":5,"
                 "\"op\":\"00000000000000ff\",\"conv\":\"b\",\"expected\":"
                 "{\"epoch\":0,\"seq\":7},\"target\":5}\n"
                 "write 1 {\"t\":\"read\",\"id\":7,\"items\":["
                 "{\"conv\":\"d\",\"epoch\":0,\"seq\":5}]}");
  session_end(t);
}

static void test_effects__each_has_its_frame(void **s) {
  test_session *t = session_open();
  const seen_effect fetch = {.size = sizeof fetch, .type = SEEN_EFFECT_FETCH};
  const seen_effect mute = {
      .size = sizeof mute, .type = SEEN_EFFECT_MUTE, .u.on = true};
  const seen_effect pin = {.size = sizeof pin, .type = SEEN_EFFECT_PIN};
  const seen_effect delivered = {
      .size = sizeof delivered, .type = SEEN_EFFECT_DELIVERED, .u.seq = 12};
  const seen_effect leave = {
      .size = sizeof leave, .type = SEEN_EFFECT_UNSUBSCRIBE, .u.range = {3, 9}};
  const seen_effect watch = {
      .size = sizeof watch, .type = SEEN_EFFECT_SUBSCRIBE, .u.range = {5, 11}};
  (void)s;
  session_online(t);
  effect(t, &fetch, "g");
  effect(t, &fetch, "h");
  effect(t, &mute, "g");
  effect(t, &pin, "h");
  effect(t, &delivered, "g");
  effect(t, &delivered, "h");
  effect(t, &leave, "g");
  effect(t, &watch, "h");
  pull(t);
  expect_said(
      t, "write 1 {\"t\":\"fetch\",\"id\":3,\"convs\":[\"g\",\"h\"]}\n"
         "write 1 {\"t\":\"set\",\"id\":5,\"conv\":\"g\",\"muted\":true}\n"
         "write 1 {\"t\":\"set\",\"id\":7,\"conv\":\"h\",\"pinned\":false}\n"
         "write 1 {\"t\":\"delivered\",\"id\":9,\"items\":["
         "{\"conv\":\"g\",\"seq\":12},{\"conv\":\"h\",\"seq\":12}]}\n"
         "write 1 {\"t\":\"unsubscribe\",\"id\":11,\"conv\":\"g\","
         "\"from\":3,\"to\":9}\n"
         "write 1 {\"t\":\"subscribe\",\"id\":13,\"conv\":\"h\","
         "\"from\":5,\"to\":11}");
  session_end(t);
}

/* The highest version of words and messages, or what was resumed from. */
static void test_effects__read_all_is_as_of_what_was_seen(void **s) {
  test_session *t = session_open();
  const seen_effect all = {.size = sizeof all, .type = SEEN_EFFECT_READ_ALL};
  (void)s;
  session_online(t);
  effect(t, &all, NULL);
  pull(t);
  expect_said(t, "write 1 {\"t\":\"read_all\",\"id\":3,\"as_of\":9}");
  frame(t, "{\"t\":\"message\",\"conv\":\"g\",\"seq\":5,\"version\":23,"
           "\"from\":\"bob\",\"kind\":\"text\",\"countable\":true,"
           "\"sent_at\":1}");
  frame(t, "{\"t\":\"position\",\"conv\":\"g\",\"read\":{\"epoch\":0,"
           "\"seq\":1,\"high\":0},\"last_seq\":3,\"version\":21}");
  drop_said(t);
  effect(t, &all, NULL);
  pull(t);
  expect_said(t, "write 1 {\"t\":\"read_all\",\"id\":5,\"as_of\":23}");
  session_end(t);
}

static size_t count(const char *text, const char *piece) {
  size_t found = 0;
  while ((text = strstr(text, piece)) != NULL) {
    found++;
    text += strlen(piece);
  }
  return found;
}

static void test_effects__a_frame_holds_a_hundred_items(void **s) {
  test_session *t = session_open();
  char id[16];
  (void)s;
  session_online(t);
  for (unsigned i = 0; i < 250; i++) {
    const seen_effect what = report_of(i + 1, 1);
    snprintf(id, sizeof id, "g%u", i);
    effect(t, &what, id);
  }
  pull(t);
  assert_int_equal(count(t->said, "\"t\":\"read\""), 3);
  assert_int_equal(count(t->said, "\"conv\""), 250);
  session_end(t);
}

/* Items that name many mentions fill a frame before there are a hundred. */
static void test_effects__a_frame_is_cut_by_bytes_too(void **s) {
  test_session *t = session_open();
  uint64_t cleared[256];
  char id[16];
  const char *line;
  (void)s;
  session_online(t);
  for (size_t i = 0; i < 256; i++)
    cleared[i] = SEEN_SEQ_MAX - 256 + i;
  for (unsigned i = 0; i < 60; i++) {
    seen_effect what = report_of(SEEN_SEQ_MAX, 1);
    what.u.report.cleared = cleared;
    what.u.report.cleared_count = i == 30 ? 250 : 200;
    snprintf(id, sizeof id, "g%u", i);
    effect(t, &what, id);
    if (i % 15 == 14) {
      pull(t);
      for (line = strtok(t->said, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= 65536 + strlen("write 1 "));
      drop_said(t);
    }
  }
  session_end(t);
}

static void test_effects__a_server_may_have_smaller_limits(void **s) {
  test_session *t = session_open();
  (void)s;
  session_dial(t);
  opened(t);
  frame(t, "{\"t\":\"welcome\",\"id\":1,\"user\":\"ann\",\"incarnation\":"
           "\"b7\",\"version\":9,\"mode\":\"resume\",\"receipts\":true,"
           "\"limits\":{\"frame_bytes\":200,\"items\":2}}");
  drop_said(t);
  for (unsigned i = 0; i < 3; i++) {
    const seen_effect what = report_of(i + 1, 1);
    effect(t, &what, "g");
  }
  pull(t);
  assert_int_equal(count(t->said, "\"t\":\"read\""), 2);
  session_end(t);
}

/* The engine says it again on the next link (V5). */
static void test_effects__without_a_link_they_are_dropped(void **s) {
  test_session *t = session_open();
  const seen_effect what = report_of(3, 1);
  (void)s;
  effect(t, &what, "g");
  session_online(t);
  ended(t, SEEN_ENDED_LOST, 0);
  effect(t, &what, "g");
  assert_int_equal(t->reads, 0);
  until(t, t->now + 900);
  session_end(t);
}

static void test_effects__a_name_that_is_none_is_left_out(void **s) {
  test_session *t = session_open();
  const seen_effect what = report_of(3, 1);
  char long_name[80];
  (void)s;
  session_online(t);
  memset(long_name, 'x', sizeof long_name);
  long_name[65] = '\0';
  effect(t, &what, long_name);
  pull(t);
  expect_said(t, "");
  session_end(t);
}

/* No memory for a frame: the connection is given up, so nothing is lost. */
static void test_effects__no_memory_gives_the_connection_up(void **s) {
  (void)s;
  for (uint64_t n = 1; n <= 6; n++) {
    test_session *t = session_open();
    session_online(t);
    uint64_t failures;
    test_alloc_fail(&t->memory, n);
    for (unsigned i = 0; i < 40; i++) {
      const seen_effect what = report_of(i + 1, 1);
      effect(t, &what, "g");
    }
    failures = t->memory.failures;
    test_alloc_fail(&t->memory, 0);
    pull(t);
    assert_int_equal(failures, 1);
    expect_said(t, "link down\nclose 1 1011\nstate waiting");
    until(t, t->now + 1000);
    assert_true(was_said(t, "dial 2 socket"));
    session_end(t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_effects__what_leaves_together_is_one_frame),
      cmocka_unit_test(test_effects__each_has_its_frame),
      cmocka_unit_test(test_effects__read_all_is_as_of_what_was_seen),
      cmocka_unit_test(test_effects__a_frame_holds_a_hundred_items),
      cmocka_unit_test(test_effects__a_frame_is_cut_by_bytes_too),
      cmocka_unit_test(test_effects__a_server_may_have_smaller_limits),
      cmocka_unit_test(test_effects__without_a_link_they_are_dropped),
      cmocka_unit_test(test_effects__a_name_that_is_none_is_left_out),
      cmocka_unit_test(test_effects__no_memory_gives_the_connection_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
