#include "trace/verb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/line.h"

static void test_expect__each_field(void **s) {
  const char *text =
      "{\"expect\":{\"conv\":\"g_1\",\"unread\":14,\"exact\":true,\"mentions\":"
      "1,\"first_mention\":7,\"badge\":\"\xe2\x80\xa2\",\"read\":5,"
      "\"server_read\":{\"epoch\":1,\"seq\":2,\"high\":3},\"last_seq\":20,"
      "\"first_unread\":6,\"marked_unread\":false,\"pending\":true,\"muted\":"
      "true,\"pinned\":false,\"absent\":false}}";
  seen_trace_line *line = line_parse(text);
  const seen_trace_expect *expect = &line->u.expect;
  (void)s;
  assert_int_equal(line->type, SEEN_TRACE_EXPECT);
  assert_string_equal(expect->conv, "g_1");
  assert_int_equal(expect->fields, (SEEN_EXPECT_ABSENT << 1) - 1);
  assert_int_equal(expect->state.unread, 14);
  assert_true(expect->state.exact);
  assert_int_equal(expect->state.mentions, 1);
  assert_int_equal(expect->state.first_mention, 7);
  assert_string_equal(expect->badge, SEEN_BADGE_DOT);
  assert_int_equal(expect->state.read_seq, 5);
  assert_int_equal(expect->state.server_read.epoch, 1);
  assert_int_equal(expect->state.server_read.seq, 2);
  assert_int_equal(expect->state.server_read.high, 3);
  assert_int_equal(expect->state.last_seq, 20);
  assert_int_equal(expect->state.first_unread, 6);
  assert_false(expect->state.marked_unread);
  assert_true(expect->state.pending);
  assert_true(expect->state.muted);
  assert_false(expect->state.pinned);
  assert_false(expect->absent);
  seen_trace_line_free(line);
  line_check(text);
}

static void test_expect__only_what_was_named(void **s) {
  seen_trace_line *line =
      line_parse("{\"expect\":{\"conv\":\"g\",\"unread\":0,\"badge\":\"\","
                 "\"server_read\":{\"seq\":0}}}");
  (void)s;
  assert_int_equal(line->u.expect.fields, SEEN_EXPECT_UNREAD |
                                              SEEN_EXPECT_BADGE |
                                              SEEN_EXPECT_SERVER_SEQ);
  assert_string_equal(line_write(line),
                      "{\"expect\":{\"conv\":\"g\",\"unread\":0,\"badge\":"
                      "\"\",\"server_read\":{\"seq\":0}}}");
  seen_trace_line_free(line);
}

static void test_expect__numbers_and_booleans_are_not_the_same(void **s) {
  (void)s;
  line_refused("{\"expect\":{\"conv\":\"g\",\"unread\":true}}",
               "bad 'unread' in expect: not an integer from 0 to "
               "9007199254740991");
  line_refused("{\"expect\":{\"conv\":\"g\",\"exact\":1}}",
               "bad 'exact' in expect: not true or false");
  line_refused("{\"expect\":{\"conv\":\"g\",\"badge\":3}}",
               "bad 'badge' in expect: not text");
  line_refused("{\"expect\":{\"unread\":3}}", "missing field 'conv' in expect");
  line_refused("{\"expect\":{\"conv\":\"g\",\"server_read\":{\"x\":3}}}",
               "unknown field 'x' in server_read");
}

static void test_totals__each_field(void **s) {
  seen_trace_line *line =
      line_parse("{\"expect_totals\":{\"unread\":20,\"conversations\":3,"
                 "\"muted\":4,\"mentions\":1}}");
  (void)s;
  assert_int_equal(line->u.totals.fields, 15);
  assert_int_equal(line->u.totals.totals.unread, 20);
  assert_int_equal(line->u.totals.totals.conversations, 3);
  assert_int_equal(line->u.totals.totals.muted, 4);
  assert_int_equal(line->u.totals.totals.mentions, 1);
  seen_trace_line_free(line);
  line_check("{\"expect_totals\":{\"unread\":20,\"conversations\":3,\"muted\":"
             "4,\"mentions\":1}}");
  line_check("{\"expect_totals\":{\"muted\":0}}");
  line_refused("{\"expect_totals\":{\"pinned\":0}}",
               "unknown field 'pinned' in expect_totals");
}

static void test_order__the_list(void **s) {
  seen_trace_line *line = line_parse("{\"expect_order\":[\"g_2\",\"g_1\"]}");
  (void)s;
  assert_int_equal(line->u.order.count, 2);
  assert_string_equal(line->u.order.convs[0], "g_2");
  assert_string_equal(line->u.order.convs[1], "g_1");
  seen_trace_line_free(line);
  line_check("{\"expect_order\":[]}");
}

static void test_sent__each_output(void **s) {
  (void)s;
  line_check(
      "{\"expect_sent\":[{\"resync\":{}},{\"fetch\":{\"conv\":\"a\"}},{"
      "\"mute\":{\"conv\":\"a\",\"on\":true}},{\"pin\":{\"conv\":\"a\",\"on\":"
      "false}},{\"report\":{\"conv\":\"a\",\"epoch\":0,\"seq\":9,\"cleared\":["
      "3,4],\"keep\":true}},{\"mark_unread\":{\"conv\":\"b\",\"expected\":{"
      "\"epoch\":1,\"seq\":9},\"target\":4}},{\"read_all\":{}},{\"delivered\":{"
      "\"conv\":\"a\",\"seq\":9}},{\"unsubscribe\":{\"conv\":\"a\",\"from\":1,"
      "\"to\":2}},{\"subscribe\":{\"conv\":\"a\",\"from\":3,\"to\":4}}]}");
  line_check("{\"at\":1649,\"expect_sent\":[]}");
}

static void test_sent__each_names_only_what_matters(void **s) {
  seen_trace_line *line =
      line_parse("{\"expect_sent\":[{\"report\":{\"seq\":9}},{\"mark_unread\":{"
                 "\"expected\":{\"seq\":7}}},{\"report\":{\"cleared\":[]}}]}");
  const seen_trace_output *outputs = line->u.sent.outputs;
  (void)s;
  assert_int_equal(line->u.sent.count, 3);
  assert_int_equal(outputs[0].effect.type, SEEN_EFFECT_REPORT);
  assert_int_equal(outputs[0].fields, SEEN_SENT_SEQ);
  assert_int_equal(outputs[0].effect.u.report.seq, 9);
  assert_null(outputs[0].conv);
  assert_int_equal(outputs[1].effect.type, SEEN_EFFECT_MARK_UNREAD);
  assert_int_equal(outputs[1].fields, SEEN_SENT_EXPECTED_SEQ);
  assert_int_equal(outputs[1].effect.u.mark.expected_seq, 7);
  assert_int_equal(outputs[2].fields, SEEN_SENT_CLEARED);
  seen_trace_line_free(line);
}

static void test_sent__what_is_no_output_is_refused(void **s) {
  (void)s;
  line_refused("{\"expect_sent\":[{\"store\":{}}]}",
               "unknown output 'store' in expect_sent");
  line_refused("{\"expect_sent\":[{}]}",
               "bad item in expect_sent: not an object with one output");
  line_refused("{\"expect_sent\":[{\"resync\":{},\"fetch\":{}}]}",
               "bad item in expect_sent: not an object with one output");
  line_refused("{\"expect_sent\":[[]]}",
               "bad item in expect_sent: not an object with one output");
  line_refused("{\"expect_sent\":[{\"report\":{\"frame\":1}}]}",
               "unknown field 'frame' in report");
  line_refused("{\"expect_sent\":[{\"read_all\":{\"conv\":\"a\"}}]}",
               "unknown field 'conv' in read_all");
}

static void test_sent__an_effect_that_is_no_output_can_t_be_written(void **s) {
  seen_trace_output output;
  seen_trace_line line;
  (void)s;
  memset(&output, 0, sizeof output);
  output.effect.type = SEEN_EFFECT_STORE;
  memset(&line, 0, sizeof line);
  line.type = SEEN_TRACE_EXPECT_SENT;
  line.u.sent.outputs = &output;
  line.u.sent.count = 1;
  line_unwritable(&line, "effect 11 is no output");
}

static void test_receipt__each_field(void **s) {
  const char *text =
      "{\"expect_receipt\":{\"conv\":\"g\",\"seq\":7,\"state\":\"read\","
      "\"read\":2,\"delivered\":3,\"audience\":4,\"read_by\":[\"a\",\"b\"],"
      "\"unread_by\":[]}}";
  seen_trace_line *line = line_parse(text);
  const seen_trace_receipt *receipt = &line->u.receipt;
  (void)s;
  assert_int_equal(receipt->fields, 63);
  assert_int_equal(receipt->seq, 7);
  assert_int_equal(receipt->receipt.state, SEEN_RECEIPT_READ);
  assert_int_equal(receipt->receipt.read, 2);
  assert_int_equal(receipt->receipt.delivered, 3);
  assert_int_equal(receipt->receipt.audience, 4);
  assert_int_equal(receipt->read_by_count, 2);
  assert_string_equal(receipt->read_by[1], "b");
  assert_int_equal(receipt->unread_by_count, 0);
  seen_trace_line_free(line);
  line_check(text);
  line_refused("{\"expect_receipt\":{\"conv\":\"g\"}}",
               "missing field 'seq' in expect_receipt");
  line_refused("{\"expect_receipt\":{\"conv\":\"g\",\"seq\":1,\"state\":"
               "\"unread\"}}",
               "bad 'state' in expect_receipt: no such word");
}

static void test_metric__each_field(void **s) {
  const char *text =
      "{\"expect_metric\":{\"advances\":1,\"reports_sent\":2,"
      "\"report_frames\":3,\"reports_merged\":4,\"stale_positions\":5,"
      "\"refused\":6,\"unread_drift\":7}}";
  seen_trace_line *line = line_parse(text);
  const seen_metrics *metrics = &line->u.metrics.metrics;
  (void)s;
  assert_int_equal(line->u.metrics.fields, 127);
  assert_int_equal(metrics->advances, 1);
  assert_int_equal(metrics->reports_sent, 2);
  assert_int_equal(metrics->report_frames, 3);
  assert_int_equal(metrics->reports_merged, 4);
  assert_int_equal(metrics->stale_positions, 5);
  assert_int_equal(metrics->refused, 6);
  assert_int_equal(metrics->unread_drift, 7);
  seen_trace_line_free(line);
  line_check(text);
  line_refused("{\"expect_metric\":{\"reports\":1}}",
               "unknown field 'reports' in expect_metric");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_expect__each_field),
      cmocka_unit_test(test_expect__only_what_was_named),
      cmocka_unit_test(test_expect__numbers_and_booleans_are_not_the_same),
      cmocka_unit_test(test_totals__each_field),
      cmocka_unit_test(test_order__the_list),
      cmocka_unit_test(test_sent__each_output),
      cmocka_unit_test(test_sent__each_names_only_what_matters),
      cmocka_unit_test(test_sent__what_is_no_output_is_refused),
      cmocka_unit_test(test_sent__an_effect_that_is_no_output_can_t_be_written),
      cmocka_unit_test(test_receipt__each_field),
      cmocka_unit_test(test_metric__each_field),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
