#include "session/paging.h"

#include <stdio.h>
#include <string.h>

#include "support/session.h"

#define ROW                                                                    \
  "{\"id\":\"%s\",\"kind\":\"group\",\"read\":{\"epoch\":0,\"seq\":1,"         \
  "\"high\":0},\"last_seq\":3,\"version\":%u}"

/* Opened with what is held; hello has the id 1. */
static test_session *greeted(const char *incarnation, uint64_t version,
                             const char *mode) {
  sn_session_options options = session_options();
  char text[256];
  options.incarnation = incarnation;
  options.version = version;
  test_session *t = session_open_with(&options);
  session_dial(t);
  opened(t);
  drop_said(t);
  snprintf(text, sizeof text,
           "{\"t\":\"welcome\",\"id\":1,\"user\":\"ann\",\"incarnation\":"
           "\"b7\",\"version\":90,\"mode\":\"%s\",\"receipts\":true}",
           mode);
  frame(t, text);
  return t;
}

static const char *page(uint64_t id, uint64_t from, uint64_t version,
                        const char *conv, bool more) {
  static char text[512];
  char row[256];
  snprintf(row, sizeof row, ROW, conv, (unsigned)version);
  snprintf(text, sizeof text,
           "{\"t\":\"changes\",\"id\":%u,\"from\":%u,\"version\":%u,"
           "\"conversations\":[%s],\"more\":%s}",
           (unsigned)id, (unsigned)from, (unsigned)version, row,
           more ? "true" : "false");
  return text;
}

static void test_paging__a_resume_asks_on_by_sync(void **s) {
  test_session *t = greeted("b7", 50, "resume");
  (void)s;
  expect_said(t, "link up\nstate online");
  frame(t, page(1, 50, 60, "g", true));
  expect_said(t, "row g\nserver b7 60\n"
                 "write 1 {\"t\":\"sync\",\"id\":3,\"version\":60}");
  frame(t, page(3, 60, 90, "h", false));
  expect_said(t, "row h\nserver b7 90\nstate online synced");
  session_end(t);
}

/* S2: a conversation that was pushed may have been left since. */
static void test_paging__rows_of_a_push_are_none_of_a_snapshot(void **s) {
  static const char row[] = "{\"t\":\"position\",\"conv\":\"g\",\"read\":"
                            "{\"epoch\":0,\"seq\":1,\"high\":0},"
                            "\"last_seq\":3,\"version\":9}";
  sn_session_options options = session_options();
  (void)s;
  for (int i = 0; i < 2; i++) { /* in this process, and by one before */
    options.rows = i == 1;
    test_session *t = session_open_with(&options);
    if (i == 0)
      assert_int_equal(
          sn_session_push(t->session, row, strlen(row), t->now, NULL), SEEN_OK);
    session_dial(t);
    opened(t);
    drop_said(t);
    frame(t, "{\"t\":\"welcome\",\"id\":1,\"user\":\"ann\",\"incarnation\":"
             "\"b7\",\"version\":90,\"mode\":\"snapshot\","
             "\"receipts\":true}");
    assert_non_null(strstr(t->said, "reset"));
    session_end(t);
  }
}

/* The next link's welcome, as it is asked for by the version held. */
static void welcomed_again(test_session *t, const char *id, const char *mode) {
  char text[256];
  ended(t, SEEN_ENDED_LOST, 0);
  until(t, t->now + 2000);
  opened(t);
  drop_said(t);
  snprintf(text, sizeof text,
           "{\"t\":\"welcome\",\"id\":%s,\"user\":\"ann\",\"incarnation\":"
           "\"b7\",\"version\":95,\"mode\":\"%s\",\"receipts\":true}",
           id, mode);
  frame(t, text);
}

/* S2: what came after an empty snapshot may have been left since. */
static void test_paging__rows_after_an_empty_snapshot_are_in_doubt(void **s) {
  test_session *t = greeted(NULL, 0, "snapshot");
  (void)s;
  frame(t, "{\"t\":\"changes\",\"id\":1,\"from\":0,\"version\":0,"
           "\"conversations\":[],\"more\":false}");
  frame(t, "{\"t\":\"changes\",\"more\":false,\"conversations\":[{\"id\":\"g\","
           "\"kind\":\"group\",\"read\":{\"epoch\":0,\"seq\":0,\"high\":0},"
           "\"last_seq\":3,\"version\":91}]}");
  welcomed_again(t, "3", "snapshot");
  assert_non_null(strstr(t->said, "reset"));
  session_end(t);
}

/* No page from version 0 on the same link names what was left either. */
static void test_paging__a_resync_of_rows_in_doubt_is_a_new_link(void **s) {
  test_session *t = greeted(NULL, 0, "snapshot");
  (void)s;
  frame(t, "{\"t\":\"changes\",\"id\":1,\"from\":0,\"version\":0,"
           "\"conversations\":[],\"more\":false}");
  drop_said(t);
  frame(t, "{\"t\":\"resync\",\"why\":\"slow\",\"version\":93}");
  assert_non_null(strstr(t->said, "close 1 1000"));
  session_end(t);
}

/* A push while the first page is on its way: the next resume has all. */
static void test_paging__a_resume_is_no_reset_whatever_was_pushed(void **s) {
  static const char word[] = "{\"t\":\"position\",\"conv\":\"g\",\"read\":"
                             "{\"epoch\":0,\"seq\":1,\"high\":0},"
                             "\"last_seq\":3,\"version\":9}";
  test_session *t = greeted(NULL, 0, "snapshot");
  (void)s;
  assert_int_equal(
      sn_session_push(t->session, word, strlen(word), t->now, NULL), SEEN_OK);
  pull(t);
  frame(t, page(1, 0, 90, "g", false));
  welcomed_again(t, "3", "resume");
  assert_null(strstr(t->said, "reset"));
  session_end(t);
}

static void test_paging__a_first_snapshot_asks_on_by_http(void **s) {
  test_session *t = greeted(NULL, 0, "snapshot");
  (void)s;
  expect_said(t, "link up\nstate online");
  frame(t, page(1, 0, 60, "g", true));
  expect_said(t, "row g\nserver b7 60\n"
                 "get 2 /im/conversations?after=60&limit=200");
  answer(t, 200, page(0, 60, 80, "h", true));
  expect_said(t, "row h\nserver b7 80\n"
                 "get 3 /im/conversations?after=80&limit=200");
  answer(t, 200, page(0, 80, 95, "i", false));
  /* What came on the link meanwhile may be newer: from the welcome on again. */
  expect_said(t, "row i\nserver b7 90\n"
                 "write 1 {\"t\":\"sync\",\"id\":3,\"version\":90}");
  frame(t, page(3, 90, 97, "h", false));
  expect_said(t, "row h\nserver b7 97\nstate online synced");
  session_end(t);
}

static void test_paging__where_http_fails_it_goes_on_by_sync(void **s) {
  static const struct {
    uint32_t status;
    const char *body;
  } answers[] = {{0, NULL},
                 {503, "{\"t\":\"error\",\"code\":\"storage\"}"},
                 {401, "{\"t\":\"error\",\"code\":\"unauthorized\"}"},
                 {200, "<html>"},
                 {200, "{\"t\":\"report_now\"}"}};
  (void)s;
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    test_session *t = greeted(NULL, 0, "snapshot");
    frame(t, page(1, 0, 60, "g", true));
    drop_said(t);
    answer(t, answers[i].status, answers[i].body);
    expect_said(t, "write 1 {\"t\":\"sync\",\"id\":3,\"version\":60}");
    session_end(t);
  }
}

static void test_paging__a_page_of_another_version_is_none(void **s) {
  test_session *t = greeted(NULL, 0, "snapshot");
  (void)s;
  frame(t, page(1, 0, 60, "g", true));
  drop_said(t);
  answer(t, 200, page(0, 70, 80, "h", true));
  expect_said(t, "write 1 {\"t\":\"sync\",\"id\":3,\"version\":60}");
  session_end(t);
}

/* Neither a word nor rows out of turn move what is resumed from (S2). */
static void test_paging__only_what_was_asked_for_moves_the_version(void **s) {
  test_session *t = session_open();
  char row[256], text[512];
  (void)s;
  session_online(t);
  snprintf(row, sizeof row, ROW, "g", 70u);
  snprintf(text, sizeof text, "{\"t\":\"changes\",\"conversations\":[%s]}",
           row);
  frame(t, text);
  expect_said(t, "row g");
  frame(t, page(77, 9, 80, "h", false));
  expect_said(t, "row h");
  frame(t, "{\"t\":\"position\",\"conv\":\"g\",\"read\":{\"epoch\":0,"
           "\"seq\":1,\"high\":0},\"last_seq\":3,\"version\":90}");
  expect_said(t, "position g");
  ended(t, SEEN_ENDED_LOST, 0);
  until(t, t->now + 1000);
  opened(t);
  assert_true(was_said(t, "\"version\":9}"));
  session_end(t);
}

static void test_paging__a_break_between_pages_goes_on_from_the_last(void **s) {
  test_session *t = greeted(NULL, 0, "snapshot");
  (void)s;
  frame(t, page(1, 0, 60, "g", true));
  drop_said(t);
  ended(t, SEEN_ENDED_LOST, 0);
  expect_said(t, "link down\ncancel 2\nstate waiting");
  until(t, t->now + 1000);
  opened(t);
  assert_true(was_said(t, "\"incarnation\":\"b7\",\"version\":60}"));
  answer_to(t, 2, 200, page(0, 60, 90, "h", false));
  assert_false(was_said(t, "row h"));
  session_end(t);
}

static void test_paging__another_incarnation_is_a_reset_to_its_end(void **s) {
  test_session *t = greeted("b6", 500, "snapshot");
  (void)s;
  expect_said(t, "reset\nserver b7 0\nlink up\nstate online");
  frame(t, page(1, 0, 60, "g", true));
  /* Who is killed now begins anew again: there is no version. */
  expect_said(t, "row g\nget 2 /im/conversations?after=60&limit=200");
  answer(t, 200, page(0, 60, 90, "h", false));
  expect_said(t, "row h\nsnapshot_end\nserver b7 90\n"
                 "write 1 {\"t\":\"sync\",\"id\":3,\"version\":90}");
  frame(t, "{\"t\":\"changes\",\"id\":3,\"from\":90,\"version\":90,"
           "\"conversations\":[],\"more\":false}");
  expect_said(t, "server b7 90\nstate online synced");
  session_end(t);
}

static void
test_paging__a_reset_that_breaks_goes_on_on_the_next_link(void **s) {
  test_session *t = greeted("b6", 500, "snapshot");
  (void)s;
  frame(t, page(1, 0, 60, "g", true));
  ended(t, SEEN_ENDED_LOST, 0);
  until(t, t->now + 1000);
  opened(t);
  assert_true(was_said(t, "\"incarnation\":\"b7\",\"version\":60}"));
  drop_said(t);
  frame(t, "{\"t\":\"welcome\",\"id\":3,\"user\":\"ann\",\"incarnation\":"
           "\"b7\",\"version\":90,\"mode\":\"resume\",\"receipts\":true}");
  frame(t, page(3, 60, 90, "h", false));
  expect_said(t, "link up\nstate online\nrow h\nsnapshot_end\n"
                 "server b7 90\nstate online synced");
  session_end(t);
}

/* A server that is behind what it said has lost a part of its history. */
static void test_paging__a_snapshot_in_place_of_a_resume_is_a_reset(void **s) {
  test_session *t = greeted("b7", 500, "snapshot");
  (void)s;
  expect_said(t, "reset\nserver b7 0\nlink up\nstate online");
  frame(t, page(1, 0, 90, "g", false));
  expect_said(t, "row g\nsnapshot_end\nserver b7 90\nstate online synced");
  session_end(t);
}

/* Killed in the middle of a reset: rows may still wait for theirs. */
static void test_paging__an_incarnation_without_a_version_is_a_reset(void **s) {
  test_session *t = greeted("b7", 0, "resume");
  (void)s;
  expect_said(t, "reset\nserver b7 0\nlink up\nstate online");
  frame(t, page(1, 0, 90, "g", false));
  expect_said(t, "row g\nsnapshot_end\nserver b7 90\nstate online synced");
  session_end(t);
}

/* But a first connection that broke before its first page is none. */
static void test_paging__a_first_link_that_broke_is_no_reset(void **s) {
  test_session *t = greeted(NULL, 0, "snapshot");
  (void)s;
  ended(t, SEEN_ENDED_LOST, 0);
  until(t, t->now + 1000);
  opened(t);
  drop_said(t);
  frame(t, "{\"t\":\"welcome\",\"id\":3,\"user\":\"ann\",\"incarnation\":"
           "\"b7\",\"version\":90,\"mode\":\"resume\",\"receipts\":true}");
  expect_said(t, "link up\nstate online");
  session_end(t);
}

static void test_paging__a_first_snapshot_is_no_reset(void **s) {
  test_session *t = greeted(NULL, 0, "snapshot");
  (void)s;
  drop_said(t);
  frame(t, page(1, 0, 90, "g", false));
  expect_said(t, "row g\nserver b7 90\nstate online synced");
  session_end(t);
}

static void test_paging__too_slow_asks_from_what_is_held(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  frame(t, "{\"t\":\"resync\",\"why\":\"slow\",\"version\":70}");
  expect_said(t, "state online\n"
                 "write 1 {\"t\":\"sync\",\"id\":3,\"version\":9}");
  /* And again, while the first is in flight: only the last one counts. */
  frame(t, "{\"t\":\"resync\",\"why\":\"slow\",\"version\":80}");
  expect_said(t, "write 1 {\"t\":\"sync\",\"id\":5,\"version\":9}");
  frame(t, page(3, 9, 70, "g", false));
  expect_said(t, "row g");
  frame(t, page(5, 9, 80, "h", false));
  expect_said(t, "row h\nserver b7 80\nstate online synced");
  session_end(t);
}

/* An answer that was dropped with the rest is not waited for. */
static void test_paging__an_earlier_question_is_forgotten(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  frame(t, "{\"t\":\"resync\",\"why\":\"slow\",\"version\":70}");
  frame(t, "{\"t\":\"resync\",\"why\":\"slow\",\"version\":80}");
  frame(t, page(5, 9, 80, "h", false));
  for (int i = 0; i < 8; i++) {
    until(t, t->now + 10000);
    alive(t);
  }
  assert_int_equal(t->state.connection, SEEN_CONNECTION_ONLINE);
  session_end(t);
}

/* What lies between was never said. */
static void test_paging__a_page_from_further_on_moves_nothing(void **s) {
  test_session *t = greeted("b7", 50, "resume");
  (void)s;
  drop_said(t);
  frame(t, page(1, 60, 70, "g", false));
  expect_said(t, "row g\nserver b7 50\nstate online synced");
  session_end(t);
}

static void test_paging__another_history_is_another_connection(void **s) {
  test_session *t = session_open();
  (void)s;
  session_online(t);
  frame(t, "{\"t\":\"resync\",\"why\":\"incarnation\",\"version\":70}");
  expect_said(t, "link down\nclose 1 1000\nstate waiting");
  session_end(t);
}

/* The engine asks for everything anew. */
static void test_paging__all_rows_again_are_a_sync_from_0(void **s) {
  const seen_effect resync = {.size = sizeof resync,
                              .type = SEEN_EFFECT_RESYNC};
  test_session *t = session_open();
  (void)s;
  session_online(t);
  effect(t, &resync, NULL);
  pull(t);
  expect_said(t, "server b7 0\nstate online\n"
                 "write 1 {\"t\":\"sync\",\"id\":3,\"version\":0}");
  frame(t, page(3, 0, 5, "g", true));
  expect_said(t, "row g\nwrite 1 {\"t\":\"sync\",\"id\":5,\"version\":5}");
  frame(t, page(5, 5, 12, "h", false));
  expect_said(t, "row h\nsnapshot_end\nserver b7 12\nstate online synced");
  session_end(t);
}

static void test_paging__pages_that_come_no_further_end_it(void **s) {
  test_session *t = greeted("b7", 50, "resume");
  (void)s;
  drop_said(t);
  frame(t, page(1, 50, 50, "g", true));
  expect_said(t, "row g\nserver b7 50\nlink down\nclose 1 1002\n"
                 "state waiting");
  session_end(t);
}

static void test_paging__rows_that_never_come_end_it(void **s) {
  test_session *t = greeted("b7", 50, "resume");
  (void)s;
  for (int i = 0; i < 6; i++) {
    until(t, t->now + 10000);
    alive(t);
  }
  assert_true(was_said(t, "link down\nclose 1 1001"));
  session_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_paging__a_resume_asks_on_by_sync),
      cmocka_unit_test(test_paging__rows_of_a_push_are_none_of_a_snapshot),
      cmocka_unit_test(test_paging__rows_after_an_empty_snapshot_are_in_doubt),
      cmocka_unit_test(test_paging__a_resync_of_rows_in_doubt_is_a_new_link),
      cmocka_unit_test(test_paging__a_resume_is_no_reset_whatever_was_pushed),
      cmocka_unit_test(test_paging__a_first_snapshot_asks_on_by_http),
      cmocka_unit_test(test_paging__where_http_fails_it_goes_on_by_sync),
      cmocka_unit_test(test_paging__a_page_of_another_version_is_none),
      cmocka_unit_test(test_paging__only_what_was_asked_for_moves_the_version),
      cmocka_unit_test(
          test_paging__a_break_between_pages_goes_on_from_the_last),
      cmocka_unit_test(test_paging__another_incarnation_is_a_reset_to_its_end),
      cmocka_unit_test(
          test_paging__a_reset_that_breaks_goes_on_on_the_next_link),
      cmocka_unit_test(test_paging__a_snapshot_in_place_of_a_resume_is_a_reset),
      cmocka_unit_test(
          test_paging__an_incarnation_without_a_version_is_a_reset),
      cmocka_unit_test(test_paging__a_first_link_that_broke_is_no_reset),
      cmocka_unit_test(test_paging__a_first_snapshot_is_no_reset),
      cmocka_unit_test(test_paging__too_slow_asks_from_what_is_held),
      cmocka_unit_test(test_paging__an_earlier_question_is_forgotten),
      cmocka_unit_test(test_paging__a_page_from_further_on_moves_nothing),
      cmocka_unit_test(test_paging__another_history_is_another_connection),
      cmocka_unit_test(test_paging__all_rows_again_are_a_sync_from_0),
      cmocka_unit_test(test_paging__pages_that_come_no_further_end_it),
      cmocka_unit_test(test_paging__rows_that_never_come_end_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
