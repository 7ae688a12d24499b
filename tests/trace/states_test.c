#include "trace/verb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/line.h"

static const char whole[] =
    "{\"at\":9,\"state\":{\"conv\":\"g_1\",\"kind\":\"group\",\"gone\":true,"
    "\"waiting\":true,\"muted\":true,\"pinned\":true,\"want_muted\":false,"
    "\"want_pinned\":true,\"read\":{\"epoch\":1,\"seq\":20,\"high\":25},"
    "\"last_seq\":40,\"floor\":2,\"join_seq\":3,\"updated_at\":77,\"tally\":{"
    "\"version\":5,\"last_seq\":38,\"from\":22,\"base\":20,\"counted\":0},"
    "\"uncountable\":[23,[30,32]],\"live\":[[39,40]],\"found\":[24],"
    "\"cleared\":[26],\"mentions\":[26,{\"seq\":27,\"why\":\"all\"}],"
    "\"found_mentions\":[{\"seq\":28,\"why\":\"quote\"}],\"delivered\":{"
    "\"here\":40,\"server\":39},\"wish\":{\"epoch\":2,\"read\":31,\"shown\":18,"
    "\"keep\":true},\"mark\":{\"expected\":{\"epoch\":1,\"seq\":30},\"target\":"
    "18,\"op\":\"ffffffffffffffff\",\"keep\":true},\"acked\":{\"epoch\":1,"
    "\"seq\":20},\"own\":31,\"notes\":[{\"seq\":39,\"target\":33},{\"seq\":40,"
    "\"target\":34,\"why\":\"me\"}],\"senders\":[{\"from\":39,\"to\":40,"
    "\"user\":\"u2\",\"text\":true}],\"members\":[{\"user\":\"u1\"},{\"user\":"
    "\"u2\",\"join\":4,\"leave\":9,\"read_seq\":8}],\"peers\":[{\"user\":"
    "\"u2\",\"read_seq\":8,\"delivered_seq\":9}],\"receipts\":[[12,3,4]]}}";

static void test_record__every_member_survives(void **s) {
  (void)s;
  line_check(whole);
}

static void test_record__each_member_is_where_it_belongs(void **s) {
  seen_trace_line *line = line_parse(whole);
  const seen_record *record = &line->u.record;
  (void)s;
  assert_int_equal(line->type, SEEN_TRACE_RECORD);
  assert_int_equal(record->size, sizeof *record);
  assert_string_equal(record->id, "g_1");
  assert_int_equal(record->kind, SEEN_KIND_GROUP);
  assert_int_equal(record->flags,
                   (SEEN_RECORD_ACKED << 1) - 1 - SEEN_RECORD_WANT_MUTED);
  assert_int_equal(record->read.high, 25);
  assert_int_equal(record->last_seq, 40);
  assert_int_equal(record->floor, 2);
  assert_int_equal(record->join_seq, 3);
  assert_int_equal(record->updated_at, 77);
  assert_int_equal(record->tally_version, 5);
  assert_int_equal(record->tally_last, 38);
  assert_int_equal(record->tally_from, 22);
  assert_int_equal(record->tally_base, 20);
  assert_int_equal(record->tally_counted, 0);
  assert_int_equal(record->delivered_here, 40);
  assert_int_equal(record->delivered_server, 39);
  assert_int_equal(record->wish_epoch, 2);
  assert_int_equal(record->wish_read, 31);
  assert_int_equal(record->wish_shown, 18);
  assert_int_equal(record->mark.expected_epoch, 1);
  assert_int_equal(record->mark.expected_seq, 30);
  assert_int_equal(record->mark.target, 18);
  assert_true(record->mark.op == UINT64_MAX);
  assert_int_equal(record->acked_epoch, 1);
  assert_int_equal(record->acked_seq, 20);
  assert_int_equal(record->own, 31);
  seen_trace_line_free(line);
}

static void test_record__each_list_is_where_it_belongs(void **s) {
  seen_trace_line *line = line_parse(whole);
  const seen_record *record = &line->u.record;
  (void)s;
  assert_int_equal(record->uncountable_count, 2);
  assert_int_equal(record->uncountable[1].lo, 30);
  assert_int_equal(record->live_count, 1);
  assert_int_equal(record->live[0].hi, 40);
  assert_int_equal(record->found[0].lo, 24);
  assert_int_equal(record->found_count, 1);
  assert_int_equal(record->cleared[0].lo, 26);
  assert_int_equal(record->cleared_count, 1);
  assert_int_equal(record->mention_count, 2);
  assert_int_equal(record->mentions[1].why, SEEN_MENTION_ALL);
  assert_int_equal(record->found_mention_count, 1);
  assert_int_equal(record->found_mentions[0].seq, 28);
  assert_int_equal(record->note_count, 2);
  assert_int_equal(record->notes[0].mention, SEEN_MENTION_NONE);
  assert_int_equal(record->notes[1].target, 34);
  assert_int_equal(record->notes[1].mention, SEEN_MENTION_ME);
  assert_int_equal(record->sender_count, 1);
  assert_int_equal(record->senders[0].run.lo, 39);
  assert_int_equal(record->senders[0].run.hi, 40);
  assert_string_equal(record->senders[0].user, "u2");
  assert_true(record->senders[0].text);
  assert_int_equal(record->member_count, 2);
  assert_int_equal(record->members[1].leave_seq, 9);
  assert_int_equal(record->peer_count, 1);
  assert_int_equal(record->peers[0].delivered_seq, 9);
  assert_int_equal(record->receipt_count, 1);
  assert_int_equal(record->receipts[0].audience, 4);
  seen_trace_line_free(line);
}

static void test_record__the_least_is_a_conversation_and_its_kind(void **s) {
  seen_trace_line *line =
      line_parse("{\"state\":{\"conv\":\"g\",\"kind\":\"direct\"}}");
  (void)s;
  assert_int_equal(line->u.record.flags, 0);
  assert_int_equal(line->u.record.uncountable_count, 0);
  assert_int_equal(line->working->flags, 0);
  assert_true(line->working->retry_at == SEEN_NEVER);
  assert_null(line->written);
  seen_trace_line_free(line);
  line_check("{\"state\":{\"conv\":\"g\",\"kind\":\"direct\"}}");
}

static void test_record__false_is_as_if_left_out(void **s) {
  (void)s;
  line_check_as("{\"state\":{\"conv\":\"g\",\"kind\":\"large\",\"gone\":false,"
                "\"uncountable\":[]}}",
                "{\"state\":{\"conv\":\"g\",\"kind\":\"large\"}}");
}

static void test_record__its_objects_are_whole(void **s) {
#define STATE(rest) "{\"state\":{\"conv\":\"g\",\"kind\":\"group\"," rest "}}"
  (void)s;
  line_refused(STATE("\"wish\":{\"epoch\":1,\"read\":2}"),
               "missing field 'shown' in wish");
  line_refused(STATE("\"mark\":{\"target\":1}"),
               "missing field 'expected' in mark");
  line_refused(STATE("\"acked\":{}"), "missing field 'epoch' in acked");
  line_refused(STATE("\"notes\":[{\"seq\":1}]"),
               "missing field 'target' in notes");
  line_refused(STATE("\"senders\":[{\"from\":4,\"to\":3,\"user\":\"u\"}]"),
               "bad 'to' in senders: below 'from'");
  line_refused(STATE("\"peers\":[{\"read_seq\":1}]"),
               "missing field 'user' in peers");
  line_refused(STATE("\"x\":1"), "unknown field 'x' in state");
}

static const char unwritten[] =
    "{\"state\":{\"conv\":\"g\",\"kind\":\"group\",\"working\":{\"unwritten\":"
    "true},\"written\":{\"kind\":\"group\",\"last_seq\":3}}}";

static void test_written__it_is_a_record_of_the_same_conversation(void **s) {
  seen_trace_line *line = line_parse(unwritten);
  (void)s;
  assert_string_equal(line->written->id, "g");
  assert_int_equal(line->written->size, sizeof *line->written);
  assert_int_equal(line->written->last_seq, 3);
  assert_int_equal(line->u.record.last_seq, 0);
  seen_trace_line_free(line);
  line_check(unwritten);
  line_refused(STATE("\"written\":{}"), "missing field 'kind' in written");
  line_refused(STATE("\"written\":{\"kind\":\"group\"}"),
               "bad 'written' in state: 'working' does not say 'unwritten'");
}

static void test_working__of_a_conversation_without_a_record(void **s) {
  static const char text[] = "{\"state\":{\"conv\":\"g\",\"working\":{"
                             "\"unwritten\":true},\"written\":{\"kind\":"
                             "\"direct\"}}}";
  seen_trace_line *line = line_parse(text);
  (void)s;
  assert_int_equal(line->type, SEEN_TRACE_WORKING);
  assert_string_equal(line->u.id, "g");
  assert_int_equal(line->working->flags, SEEN_WORKING_UNWRITTEN);
  assert_string_equal(line->written->id, "g");
  seen_trace_line_free(line);
  line_check(text);
  line_check("{\"state\":{\"conv\":\"g\"}}");
  line_refused("{\"state\":{\"conv\":\"g\",\"last_seq\":1}}",
               "unknown field 'last_seq' in state");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_record__every_member_survives),
      cmocka_unit_test(test_record__each_member_is_where_it_belongs),
      cmocka_unit_test(test_record__each_list_is_where_it_belongs),
      cmocka_unit_test(test_record__the_least_is_a_conversation_and_its_kind),
      cmocka_unit_test(test_record__false_is_as_if_left_out),
      cmocka_unit_test(test_record__its_objects_are_whole),
      cmocka_unit_test(test_written__it_is_a_record_of_the_same_conversation),
      cmocka_unit_test(test_working__of_a_conversation_without_a_record),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
