#include "trace/verb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/line.h"

static const char in_work[] =
    "{\"state\":{\"conv\":\"g\",\"kind\":\"group\",\"working\":{\"open\":true,"
    "\"blocked\":true,\"in_flight\":true,\"mark_in_flight\":true,"
    "\"now_due\":true,\"pass_limit\":true,\"fetched\":true,"
    "\"unwritten\":true,\"sent\":{\"epoch\":1,\"seq\":2,\"cleared\":[[3,4]]},"
    "\"advance\":{\"first\":0,\"last\":5},\"retry_at\":6,\"backoff\":2000,"
    "\"gaps\":[{\"from\":7,\"to\":8},{\"from\":9,\"to\":9,\"since\":10}],"
    "\"delivered\":{\"sent\":11,\"first\":12,\"last\":13},\"on_screen\":{"
    "\"from\":14,\"to\":15},\"subscribed\":{\"from\":16,\"to\":17},"
    "\"first_unread\":18,\"stays\":[{\"from\":14,\"to\":14,\"since\":19,"
    "\"read\":true},{\"from\":15,\"to\":15}]},\"written\":{\"kind\":\"group\","
    "\"last_seq\":3}}}";

static void test_working__every_member_survives(void **s) {
  (void)s;
  line_check(in_work);
}

static void test_working__each_member_is_where_it_belongs(void **s) {
  seen_trace_line *line = line_parse(in_work);
  const seen_working *working = line->working;
  (void)s;
  assert_int_equal(working->size, sizeof *working);
  assert_int_equal(working->flags, (SEEN_WORKING_UNWRITTEN << 1) - 1);
  assert_int_equal(working->sent_epoch, 1);
  assert_int_equal(working->sent_seq, 2);
  assert_int_equal(working->sent_cleared_count, 1);
  assert_int_equal(working->sent_cleared[0].hi, 4);
  assert_int_equal(working->first_advance, 0);
  assert_int_equal(working->last_advance, 5);
  assert_int_equal(working->retry_at, 6);
  assert_int_equal(working->backoff, 2000);
  assert_int_equal(working->gap_count, 2);
  assert_int_equal(working->gaps[0].run.lo, 7);
  assert_int_equal(working->gaps[0].since, 0);
  assert_int_equal(working->gaps[1].since, 10);
  assert_int_equal(working->delivered_sent, 11);
  assert_int_equal(working->delivered_first, 12);
  assert_int_equal(working->delivered_last, 13);
  assert_int_equal(working->on_screen.hi, 15);
  assert_int_equal(working->subscribed.lo, 16);
  assert_int_equal(working->first_unread, 18);
  assert_int_equal(working->stay_count, 2);
  assert_int_equal(working->stays[0].since, 19);
  assert_true(working->stays[0].read);
  assert_false(working->stays[1].read);
  seen_trace_line_free(line);
}

static void test_working__what_is_left_out_did_not_happen(void **s) {
  seen_trace_line *line = line_parse(
      "{\"state\":{\"conv\":\"g\",\"kind\":\"group\",\"working\":{}}}");
  (void)s;
  assert_true(line->working->first_advance == SEEN_NEVER);
  assert_true(line->working->last_advance == SEEN_NEVER);
  assert_true(line->working->retry_at == SEEN_NEVER);
  assert_true(line->working->delivered_first == SEEN_NEVER);
  assert_true(line->working->delivered_last == SEEN_NEVER);
  assert_int_equal(line->working->backoff, 1000);
  assert_string_equal(line_write(line),
                      "{\"state\":{\"conv\":\"g\",\"kind\":\"group\"}}");
  seen_trace_line_free(line);
}

static void test_session__what_it_is_in(void **s) {
  seen_trace_line *line = line_parse(
      "{\"at\":70,\"state\":{\"link\":\"down\",\"app\":\"background\","
      "\"focus\":"
      "false,\"bucket\":{\"units\":5,\"at\":60},\"random\":"
      "\"fedcba9876543210\",\"dirty_since\":66,\"metrics\":{\"advances\":1,"
      "\"reports_sent\":2,\"report_frames\":3,\"reports_merged\":4,"
      "\"stale_positions\":5,\"refused\":6,\"unread_drift\":7}}}");
  const seen_session *session = &line->u.session;
  (void)s;
  assert_int_equal(line->type, SEEN_TRACE_SESSION);
  assert_int_equal(session->size, sizeof *session);
  assert_int_equal(session->now, 70);
  assert_false(session->link);
  assert_false(session->foreground);
  assert_false(session->focus);
  assert_int_equal(session->units, 5);
  assert_int_equal(session->units_at, 60);
  assert_true(session->random == UINT64_C(0xfedcba9876543210));
  assert_int_equal(session->dirty_since, 66);
  assert_int_equal(session->metrics.advances, 1);
  assert_int_equal(session->metrics.unread_drift, 7);
  seen_trace_line_free(line);
}

static void test_session__what_is_left_out_is_as_a_trace_begins(void **s) {
  seen_trace_line *line = line_parse("{\"state\":{}}");
  (void)s;
  assert_true(line->u.session.link);
  assert_true(line->u.session.foreground);
  assert_true(line->u.session.focus);
  assert_true(line->u.session.units == SEEN_NEVER);
  assert_true(line->u.session.dirty_since == SEEN_NEVER);
  seen_trace_line_free(line);
  line_check("{\"state\":{}}");
  line_check("{\"state\":{\"link\":\"down\",\"bucket\":{\"units\":0},"
             "\"random\":\"0000000000000001\"}}");
  line_check_as(
      "{\"state\":{\"link\":\"up\",\"app\":\"foreground\",\"focus\":true}}",
      "{\"state\":{}}");
  line_refused("{\"state\":{\"kind\":\"group\"}}",
               "unknown field 'kind' in state");
  line_refused("{\"state\":[]}", "state is not an object");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_working__every_member_survives),
      cmocka_unit_test(test_working__each_member_is_where_it_belongs),
      cmocka_unit_test(test_working__what_is_left_out_did_not_happen),
      cmocka_unit_test(test_session__what_it_is_in),
      cmocka_unit_test(test_session__what_is_left_out_is_as_a_trace_begins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
