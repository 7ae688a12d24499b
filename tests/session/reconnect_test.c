/* A link that breaks and comes again, with an engine: what is shown. */
#include <stdio.h>

#include "support/session.h"

#define ROW(read, last, version)                                               \
  "{\"id\":\"g\",\"kind\":\"group\",\"read\":{\"epoch\":0,\"seq\":" #read      \
  ",\"high\":0},\"last_seq\":" #last ",\"version\":" #version "}"
#define WELCOME                                                                \
  "{\"t\":\"welcome\",\"id\":3,\"user\":\"ann\",\"incarnation\":\"b7\","       \
  "\"version\":90,\"mode\":\"resume\",\"receipts\":true}"

static test_session *begin(void) {
  seen_options by;
  seen_options_init(&by);
  by.seed = 5;
  test_session *t = session_open_engine(&by);
  session_online(t);
  frame(t, "{\"t\":\"changes\",\"conversations\":[" ROW(5, 9, 12) "]}");
  drop_said(t);
  return t;
}

static void reconnect(test_session *t) {
  until(t, t->now + 1000);
  opened(t);
  drop_said(t);
  frame(t, WELCOME);
}

static seen_state shown(test_session *t) {
  seen_state state;
  assert_int_equal(
      seen_engine_state(t->engine, seen_engine_find(t->engine, "g"), &state),
      SEEN_OK);
  return state;
}

static uint64_t unread(test_session *t) {
  return shown(t).unread;
}

static void mark_read(test_session *t) {
  person(t, &(seen_input){.size = sizeof(seen_input),
                          .type = SEEN_INPUT_MARK_READ,
                          .id = "g"});
}

/* C250: what was read offline leaves before the rows come, and an older row
 * shows nothing of the past. */
static void test_reconnect__a_report_leaves_before_rows_come(void **s) {
  test_session *t = begin();
  (void)s;
  ended(t, SEEN_ENDED_LOST, 0);
  mark_read(t);
  assert_int_equal(unread(t), 0);
  reconnect(t);
  assert_true(was_said(t, "\"conv\":\"g\",\"epoch\":0,\"seq\":9"));
  assert_int_equal(unread(t), 0);
  frame(t, "{\"t\":\"changes\",\"id\":3,\"from\":9,\"version\":12,"
           "\"conversations\":[" ROW(5, 9, 12) "]}");
  assert_int_equal(unread(t), 0);
  session_end(t);
}

/* C251: what came in the gap is there once it says that it is synced. */
static void test_reconnect__synced_means_that_the_gap_is_closed(void **s) {
  test_session *t = begin();
  (void)s;
  ended(t, SEEN_ENDED_LOST, 0);
  reconnect(t);
  assert_int_equal(t->state.connection, SEEN_CONNECTION_ONLINE);
  assert_false(t->state.synced);
  frame(t, "{\"t\":\"changes\",\"id\":3,\"from\":9,\"version\":30,"
           "\"conversations\":[" ROW(5, 12, 30) "]}");
  assert_true(t->state.synced);
  assert_int_equal(unread(t), 7);
  assert_int_equal(t->version, 30);
  session_end(t);
}

/* C020: a link that comes and goes adds nothing. */
static void test_reconnect__rows_again_and_again_are_the_same(void **s) {
  test_session *t = begin();
  char text[512];
  (void)s;
  for (unsigned i = 0; i < 5; i++) {
    ended(t, SEEN_ENDED_LOST, 0);
    wait_for_dial(t);
    opened(t);
    frame(t, WELCOME);
    snprintf(text, sizeof text,
             "{\"t\":\"changes\",\"id\":%u,\"from\":9,\"version\":12,"
             "\"conversations\":[" ROW(5, 9, 12) "]}",
             3 + 2 * i);
    frame(t, text);
    assert_true(t->state.synced);
    assert_int_equal(unread(t), 4);
  }
  session_end(t);
}

/* A report whose answer was lost goes again, as often as it takes. */
static void test_reconnect__an_answer_that_was_lost_is_asked_for(void **s) {
  test_session *t = begin();
  char text[256];
  (void)s;
  mark_read(t);
  assert_int_equal(t->reads, 1);
  ended(t, SEEN_ENDED_LOST, 0);
  reconnect(t);
  assert_int_equal(t->reads, 2);
  assert_true(shown(t).pending);
  snprintf(text, sizeof text,
           "{\"t\":\"ack\",\"id\":%u,\"of\":\"read\",\"items\":[{\"conv\":"
           "\"g\",\"result\":\"stale\",\"read\":{\"epoch\":0,\"seq\":9,"
           "\"high\":0},\"last_seq\":9,\"version\":13}]}",
           (unsigned)last_id(t));
  frame(t, text);
  assert_false(shown(t).pending);
  until(t, t->now + 20000);
  assert_int_equal(t->reads, 2);
  session_end(t);
}

/* C210: receipts off keep the position for the user's own devices. */
static void test_reconnect__with_receipts_off_reports_go_on(void **s) {
  test_session *t = begin();
  (void)s;
  ask(t, 1, &(sn_ask){.act = SEEN_ACT_SETTINGS, .on = false});
  frame(t, "{\"t\":\"ack\",\"id\":2,\"of\":\"settings\","
           "\"receipts\":false,\"version\":13}");
  assert_false(t->state.receipts);
  mark_read(t);
  assert_int_equal(t->reads, 1);
  session_end(t);
}

/* S7: turned off here or on another device, a host knows how it stands. */
static void test_reconnect__each_welcome_says_how_receipts_are(void **s) {
  test_session *t = begin();
  (void)s;
  assert_true(t->state.receipts);
  ended(t, SEEN_ENDED_LOST, 0);
  until(t, t->now + 1000);
  opened(t);
  frame(t, "{\"t\":\"welcome\",\"id\":3,\"user\":\"ann\",\"incarnation\":"
           "\"b7\",\"version\":90,\"mode\":\"resume\",\"receipts\":false}");
  assert_int_equal(t->state.connection, SEEN_CONNECTION_ONLINE);
  assert_false(t->state.receipts);
  session_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reconnect__a_report_leaves_before_rows_come),
      cmocka_unit_test(test_reconnect__synced_means_that_the_gap_is_closed),
      cmocka_unit_test(test_reconnect__rows_again_and_again_are_the_same),
      cmocka_unit_test(test_reconnect__an_answer_that_was_lost_is_asked_for),
      cmocka_unit_test(test_reconnect__with_receipts_off_reports_go_on),
      cmocka_unit_test(test_reconnect__each_welcome_says_how_receipts_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
