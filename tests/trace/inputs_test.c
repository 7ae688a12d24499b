#include "trace/verb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/line.h"

#define WORD                                                                   \
  "\"read\":{\"epoch\":2,\"seq\":1000,\"high\":1004},\"last_seq\":1010,"       \
  "\"uncountable\":[1003,[1006,1008]],\"from\":1002,\"counted\":1,"            \
  "\"mentions\":[1005,{\"seq\":1009,\"why\":\"all\"}],\"floor\":900,"          \
  "\"version\":44,\"unread\":6"

static void check_word(const seen_word *word) {
  assert_int_equal(word->read.epoch, 2);
  assert_int_equal(word->read.seq, 1000);
  assert_int_equal(word->read.high, 1004);
  assert_int_equal(word->last_seq, 1010);
  assert_int_equal(word->uncountable_count, 2);
  assert_int_equal(word->from, 1002);
  assert_int_equal(word->counted, 1);
  assert_int_equal(word->mention_count, 2);
  assert_int_equal(word->floor, 900);
  assert_int_equal(word->version, 44);
  assert_int_equal(word->unread, 6);
  assert_int_equal(word->fields, SEEN_WORD_FROM | SEEN_WORD_COUNTED |
                                     SEEN_WORD_FLOOR | SEEN_WORD_UNREAD);
}

static seen_trace_line *input(const char *text, seen_input_type type) {
  seen_trace_line *line = line_parse(text);
  line_check(text);
  assert_int_equal(line->type, SEEN_TRACE_INPUT);
  assert_int_equal(line->u.input.size, sizeof(seen_input));
  assert_int_equal(line->u.input.type, type);
  assert_int_equal(line->u.input.conv, 0);
  if (SEEN_INPUT_HAS_CONV(type))
    assert_string_equal(line->u.input.id, "g_1");
  else
    assert_null(line->u.input.id);
  return line;
}

/* An input of which the type says all. */
static void bare(const char *text, seen_input_type type) {
  seen_trace_line_free(input(text, type));
}

static void test_me__each_field_of_the_policy(void **s) {
  const char *text =
      "{\"at\":0,\"me\":{\"user\":\"u1\",\"device\":\"d1\",\"policy\":{"
      "\"read\":\"on_open\",\"dwell_ms\":1,\"debounce_ms\":2,"
      "\"max_wait_ms\":3,\"fetch_wait_ms\":4,\"reports_per_second\":5,"
      "\"burst\":6,\"cap\":999,\"own_send\":\"reads\",\"receipts\":false,"
      "\"delivered\":true,\"subscriptions\":true}}}";
  seen_trace_line *line = line_parse(text);
  const seen_options *me = &line->u.me;
  (void)s;
  assert_int_equal(line->type, SEEN_TRACE_ME);
  assert_true(line->has_at);
  assert_string_equal(me->user, "u1");
  assert_string_equal(me->device, "d1");
  assert_int_equal(me->read, SEEN_READ_ON_OPEN);
  assert_int_equal(me->dwell_ms, 1);
  assert_int_equal(me->debounce_ms, 2);
  assert_int_equal(me->max_wait_ms, 3);
  assert_int_equal(me->fetch_wait_ms, 4);
  assert_int_equal(me->reports_per_second, 5);
  assert_int_equal(me->burst, 6);
  assert_int_equal(me->cap, 999);
  assert_int_equal(me->own_send, SEEN_OWN_SEND_READS);
  assert_false(me->receipts);
  assert_true(me->delivered);
  assert_true(me->subscriptions);
  seen_trace_line_free(line);
  line_check(text);
}

static void test_me__what_is_not_said_has_its_default(void **s) {
  seen_trace_line *line = line_parse("{\"me\":{\"user\":\"u1\"}}");
  seen_options defaults;
  (void)s;
  seen_options_init(&defaults);
  assert_int_equal(line->u.me.size, sizeof(seen_options));
  assert_int_equal(line->u.me.dwell_ms, defaults.dwell_ms);
  assert_int_equal(line->u.me.persist_ms, defaults.persist_ms);
  assert_int_equal(line->u.me.cap, defaults.cap);
  assert_true(line->u.me.receipts);
  seen_trace_line_free(line);
  line_check("{\"me\":{\"user\":\"u1\"}}");
  line_check_as("{\"me\":{\"user\":\"u1\",\"policy\":{\"cap\":99}}}",
                "{\"me\":{\"user\":\"u1\"}}");
  line_refused("{\"me\":{\"device\":\"d1\"}}", "missing field 'user' in me");
  line_refused("{\"me\":{\"user\":\"u\",\"policy\":{\"seed\":1}}}",
               "unknown field 'seed' in policy");
}

static void test_conversation__each_field(void **s) {
  seen_trace_line *line =
      input("{\"conversation\":{\"id\":\"g_1\",\"kind\":\"large\"," WORD
            ",\"muted\":true,\"pinned\":false,\"updated_at\":7,\"join_seq\":2,"
            "\"leave_seq\":1009,\"delivered_seq\":1010,\"roster\":[]}}",
            SEEN_INPUT_CONVERSATION);
  const seen_snapshot *row = &line->u.input.u.snapshot;
  (void)s;
  assert_int_equal(row->kind, SEEN_KIND_LARGE);
  check_word(&row->word);
  assert_true(row->muted);
  assert_false(row->pinned);
  assert_int_equal(row->updated_at, 7);
  assert_int_equal(row->join_seq, 2);
  assert_int_equal(row->leave_seq, 1009);
  assert_int_equal(row->delivered_seq, 1010);
  assert_int_equal(row->roster_count, 0);
  assert_int_equal(row->fields, 127);
  seen_trace_line_free(line);
}

static void test_conversation__what_is_not_said_is_not_in_its_fields(void **s) {
  seen_trace_line *line =
      input("{\"conversation\":{\"id\":\"g_1\",\"kind\":\"group\",\"read\":{"
            "\"epoch\":0,\"seq\":8},\"last_seq\":10}}",
            SEEN_INPUT_CONVERSATION);
  (void)s;
  assert_int_equal(line->u.input.u.snapshot.fields, 0);
  assert_int_equal(line->u.input.u.snapshot.word.fields, 0);
  seen_trace_line_free(line);
  line_refused("{\"conversation\":{\"id\":\"g_1\",\"kind\":\"group\"}}",
               "missing field 'read' in conversation");
  line_refused("{\"conversation\":{\"conv\":\"g_1\"}}",
               "unknown field 'conv' in conversation");
}

static void test_message__each_field(void **s) {
  seen_trace_line *line =
      input("{\"message\":{\"conv\":\"g_1\",\"seq\":1011,\"from\":\"u2\","
            "\"kind\":\"edit\",\"countable\":true,\"mentions\":\"quote\","
            "\"target\":1010,\"sent_at\":99,\"hidden\":true}}",
            SEEN_INPUT_MESSAGE);
  const seen_message *said = &line->u.input.u.message;
  (void)s;
  assert_int_equal(said->seq, 1011);
  assert_string_equal(said->from, "u2");
  assert_int_equal(said->kind, SEEN_MESSAGE_EDIT);
  assert_int_equal(said->countable, SEEN_COUNTABLE_YES);
  assert_int_equal(said->mention, SEEN_MENTION_QUOTE);
  assert_int_equal(said->target, 1010);
  assert_int_equal(said->sent_at, 99);
  assert_true(said->hidden);
  seen_trace_line_free(line);
}

static void
test_message__a_target_is_of_a_recall_or_an_edit_below_it(void **s) {
  (void)s;
  line_refused("{\"message\":{\"conv\":\"g\",\"seq\":7,\"from\":\"u\","
               "\"kind\":\"recall\",\"target\":7}}",
               "bad 'target' in message: not below its own seq");
  line_refused("{\"message\":{\"conv\":\"g\",\"seq\":7,\"from\":\"u\","
               "\"kind\":\"reaction\",\"target\":6}}",
               "bad 'target' in message: neither a recall nor an edit");
}

static void test_position__a_whole_word(void **s) {
  seen_trace_line *line =
      input("{\"position\":{\"conv\":\"g_1\"," WORD "}}", SEEN_INPUT_POSITION);
  (void)s;
  check_word(&line->u.input.u.word);
  seen_trace_line_free(line);
}

static void
test_position__nothing_may_be_known_of_what_is_uncountable(void **s) {
  seen_trace_line *line =
      input("{\"position\":{\"conv\":\"g_1\",\"read\":{\"epoch\":0,\"seq\":8},"
            "\"last_seq\":10,\"uncountable\":null}}",
            SEEN_INPUT_POSITION);
  (void)s;
  assert_int_equal(line->u.input.u.word.fields, SEEN_WORD_UNCOUNTABLE_UNKNOWN);
  seen_trace_line_free(line);
}

static void test_ack__of_a_report_unless_said(void **s) {
  seen_trace_line *line =
      input("{\"ack\":{\"conv\":\"g_1\"," WORD "}}", SEEN_INPUT_ACK);
  (void)s;
  assert_int_equal(line->u.input.u.answer.of, SEEN_REQUEST_REPORT);
  assert_true(line->u.input.u.answer.has_word);
  check_word(&line->u.input.u.answer.word);
  seen_trace_line_free(line);
  line = input("{\"ack\":{\"conv\":\"g_1\",\"of\":\"read_all\"," WORD "}}",
               SEEN_INPUT_ACK);
  assert_int_equal(line->u.input.u.answer.of, SEEN_REQUEST_READ_ALL);
  seen_trace_line_free(line);
  line_refused("{\"ack\":{\"conv\":\"g_1\"}}", "missing field 'read' in ack");
}

static void test_refuse__with_a_word(void **s) {
  seen_trace_line *line =
      input("{\"refuse\":{\"conv\":\"g_1\",\"of\":\"mark_unread\",\"code\":"
            "\"conflict\"," WORD "}}",
            SEEN_INPUT_REFUSE);
  const seen_answer *answer = &line->u.input.u.answer;
  (void)s;
  assert_int_equal(answer->of, SEEN_REQUEST_MARK_UNREAD);
  assert_int_equal(answer->refusal, SEEN_REFUSAL_CONFLICT);
  assert_true(answer->has_word);
  check_word(&answer->word);
  seen_trace_line_free(line);
}

static void test_refuse__without_a_word(void **s) {
  seen_trace_line *line =
      input("{\"refuse\":{\"conv\":\"g_1\",\"code\":\"rate_limited\","
            "\"retry_ms\":700}}",
            SEEN_INPUT_REFUSE);
  (void)s;
  assert_false(line->u.input.u.answer.has_word);
  assert_int_equal(line->u.input.u.answer.retry_ms, 700);
  /* What is not said is not written either. */
  line->u.input.u.answer.word.floor = 3;
  line->u.input.u.answer.word.fields = SEEN_WORD_FLOOR;
  assert_string_equal(line_write(line),
                      "{\"refuse\":{\"conv\":\"g_1\",\"code\":"
                      "\"rate_limited\",\"retry_ms\":700}}");
  seen_trace_line_free(line);
  bare("{\"refuse\":{\"conv\":\"g_1\",\"code\":\"not_member\"}}",
       SEEN_INPUT_REFUSE);
  bare("{\"refuse\":{\"conv\":\"g_1\",\"code\":\"not_found\"}}",
       SEEN_INPUT_REFUSE);
}

static void test_refuse__its_word_is_whole_and_fits_the_code(void **s) {
#define REFUSE(rest) "{\"refuse\":{\"conv\":\"g\",\"code\":" rest "}}"
#define READ "\"read\":{\"epoch\":0,\"seq\":8}"
  (void)s;
  line_refused(REFUSE("\"conflict\""), "missing field 'read' in refuse");
  line_refused(REFUSE("\"conflict\"," READ),
               "missing field 'last_seq' in refuse");
  line_refused(REFUSE("\"rate_limited\",\"last_seq\":9"),
               "missing field 'read' in refuse");
  line_refused(REFUSE("\"rate_limited\",\"floor\":9"),
               "missing field 'read' in refuse");
  line_refused(REFUSE("\"not_found\",\"last_seq\":9," READ),
               "bad 'read' in refuse: this code comes without a word");
  line_refused(REFUSE("\"epoch_ahead\",\"retry_ms\":1,\"last_seq\":9," READ),
               "bad 'retry_ms' in refuse: not rate_limited");
  line_refused(REFUSE("\"not_member\",\"of\":\"read_all\""),
               "bad 'of' in refuse: read_all is never refused");
  line_refused(REFUSE("\"forbidden\""), "bad 'code' in refuse: no such word");
}

static void test_found__a_mention_or_a_message_that_does_not_count(void **s) {
  seen_trace_line *line =
      input("{\"found\":{\"conv\":\"g_1\",\"seq\":1009,\"mentions\":\"me\"}}",
            SEEN_INPUT_FOUND);
  (void)s;
  assert_int_equal(line->u.input.u.found.mention, SEEN_MENTION_ME);
  assert_false(line->u.input.u.found.uncountable);
  seen_trace_line_free(line);
  line = input("{\"found\":{\"conv\":\"g_1\",\"seq\":9,\"countable\":false}}",
               SEEN_INPUT_FOUND);
  assert_int_equal(line->u.input.u.found.seq, 9);
  assert_true(line->u.input.u.found.uncountable);
  seen_trace_line_free(line);
}

static void test_found__neither_both_nor_countable(void **s) {
  const char *message = "one of 'mentions' and 'countable' is needed in found";
  (void)s;
  line_refused("{\"found\":{\"conv\":\"g\",\"seq\":9}}", message);
  line_refused("{\"found\":{\"conv\":\"g\",\"seq\":9,\"mentions\":\"me\","
               "\"countable\":false}}",
               message);
  line_refused("{\"found\":{\"conv\":\"g\",\"seq\":9,\"countable\":true}}",
               "bad 'countable' in found: not false");
}

static void test_members__joined_and_left(void **s) {
  seen_trace_line *line =
      input("{\"members\":{\"conv\":\"g_1\",\"joined\":[{\"user\":\"u9\","
            "\"seq\":1012},{\"user\":\"b\",\"seq\":1013,\"bot\":true}],"
            "\"left\":[{\"user\":\"u3\",\"seq\":1011}]}}",
            SEEN_INPUT_MEMBERS);
  const seen_members *members = &line->u.input.u.members;
  (void)s;
  assert_int_equal(members->joined_count, 2);
  assert_string_equal(members->joined[0].user, "u9");
  assert_int_equal(members->joined[0].seq, 1012);
  assert_false(members->joined[0].bot);
  assert_true(members->joined[1].bot);
  assert_int_equal(members->left_count, 1);
  assert_string_equal(members->left[0].user, "u3");
  seen_trace_line_free(line);
  line_refused("{\"members\":{\"conv\":\"g\",\"left\":[{\"user\":\"u\"}]}}",
               "missing field 'seq' in left");
}

static void test_peer__what_was_read_and_received(void **s) {
  seen_trace_line *line =
      input("{\"peer\":{\"conv\":\"g_1\",\"user\":\"u2\",\"read_seq\":1011,"
            "\"delivered_seq\":1012}}",
            SEEN_INPUT_PEER);
  (void)s;
  assert_string_equal(line->u.input.u.peer.user, "u2");
  assert_int_equal(line->u.input.u.peer.read_seq, 1011);
  assert_int_equal(line->u.input.u.peer.delivered_seq, 1012);
  seen_trace_line_free(line);
}

static void test_receipts__the_rows(void **s) {
  seen_trace_line *line =
      input("{\"receipts\":{\"conv\":\"g_1\",\"rows\":[[11,12,79,40]]}}",
            SEEN_INPUT_RECEIPTS);
  const seen_receipt_row *row = line->u.input.u.receipts.rows;
  (void)s;
  assert_non_null(row);
  assert_int_equal(line->u.input.u.receipts.count, 1);
  assert_int_equal(row->seq, 11);
  assert_int_equal(row->read, 12);
  assert_int_equal(row->audience, 79);
  assert_int_equal(row->delivered, 40);
  seen_trace_line_free(line);
  line_refused("{\"receipts\":{\"conv\":\"g\"}}",
               "missing field 'rows' in receipts");
}

static void test_set__only_what_was_said(void **s) {
  seen_trace_line *line =
      input("{\"set\":{\"conv\":\"g_1\",\"pinned\":false}}", SEEN_INPUT_SET);
  (void)s;
  assert_false(line->u.input.u.settings.has_muted);
  assert_true(line->u.input.u.settings.has_pinned);
  assert_false(line->u.input.u.settings.pinned);
  seen_trace_line_free(line);
  bare("{\"set\":{\"conv\":\"g_1\",\"muted\":true,\"pinned\":true}}",
       SEEN_INPUT_SET);
}

static void test_seq__it_may_be_left_out_and_0_is_not_that(void **s) {
  seen_trace_line *line =
      input("{\"mark_unread\":{\"conv\":\"g_1\",\"target\":0}}",
            SEEN_INPUT_MARK_UNREAD);
  (void)s;
  assert_true(line->u.input.u.seq.said);
  seen_trace_line_free(line);
  line = input("{\"mark_unread\":{\"conv\":\"g_1\"}}", SEEN_INPUT_MARK_UNREAD);
  assert_false(line->u.input.u.seq.said);
  seen_trace_line_free(line);
  line = input("{\"mark_read\":{\"conv\":\"g_1\",\"seq\":1010}}",
               SEEN_INPUT_MARK_READ);
  assert_int_equal(line->u.input.u.seq.seq, 1010);
  seen_trace_line_free(line);
  bare("{\"mark_read\":{\"conv\":\"g_1\"}}", SEEN_INPUT_MARK_READ);
  bare("{\"left\":{\"conv\":\"g_1\",\"leave_seq\":9}}", SEEN_INPUT_LEFT);
  bare("{\"left\":{\"conv\":\"g_1\"}}", SEEN_INPUT_LEFT);
}

static void test_visible__both_ends_or_none(void **s) {
  seen_trace_line *line =
      input("{\"visible\":{\"conv\":\"g_1\",\"from\":3,\"to\":5}}",
            SEEN_INPUT_VISIBLE);
  (void)s;
  assert_int_equal(line->u.input.u.range.lo, 3);
  assert_int_equal(line->u.input.u.range.hi, 5);
  seen_trace_line_free(line);
  line = input("{\"visible\":{\"conv\":\"g_1\"}}", SEEN_INPUT_VISIBLE);
  assert_int_equal(line->u.input.u.range.hi, 0);
  seen_trace_line_free(line);
  line_refused("{\"visible\":{\"conv\":\"g\",\"from\":3}}",
               "'from' and 'to' go together in visible");
  line_refused("{\"visible\":{\"conv\":\"g\",\"to\":3}}",
               "'from' and 'to' go together in visible");
  line_refused("{\"visible\":{\"conv\":\"g\",\"from\":5,\"to\":3}}",
               "bad 'to' in visible: below 'from'");
}

static void test_switch__on_or_off(void **s) {
  const struct {
    const char *text;
    seen_input_type type;
    bool on;
  } lines[] = {
      {"{\"app\":\"foreground\"}", SEEN_INPUT_APP, true},
      {"{\"app\":\"background\"}", SEEN_INPUT_APP, false},
      {"{\"link\":\"up\"}", SEEN_INPUT_LINK, true},
      {"{\"link\":\"down\"}", SEEN_INPUT_LINK, false},
      {"{\"focus\":true}", SEEN_INPUT_FOCUS, true},
      {"{\"focus\":false}", SEEN_INPUT_FOCUS, false},
      {"{\"mute\":{\"conv\":\"g_1\",\"on\":true}}", SEEN_INPUT_MUTE, true},
      {"{\"pin\":{\"conv\":\"g_1\",\"on\":false}}", SEEN_INPUT_PIN, false},
  };
  size_t i;
  (void)s;
  for (i = 0; i < sizeof lines / sizeof *lines; i++) {
    seen_trace_line *line = input(lines[i].text, lines[i].type);
    assert_int_equal(line->u.input.u.on, lines[i].on);
    seen_trace_line_free(line);
  }
}

static void test_bare__the_verb_says_all(void **s) {
  seen_trace_line *line;
  (void)s;
  bare("{\"open\":{\"conv\":\"g_1\"}}", SEEN_INPUT_OPEN);
  bare("{\"close\":{\"conv\":\"g_1\"}}", SEEN_INPUT_CLOSE);
  bare("{\"forget\":{\"conv\":\"g_1\"}}", SEEN_INPUT_FORGET);
  bare("{\"clear_mentions\":{\"conv\":\"g_1\"}}", SEEN_INPUT_CLEAR_MENTIONS);
  bare("{\"read_all\":{}}", SEEN_INPUT_READ_ALL);
  bare("{\"flush\":{}}", SEEN_INPUT_FLUSH);
  bare("{\"report_now\":{}}", SEEN_INPUT_REPORT_NOW);
  bare("{\"snapshot_end\":{}}", SEEN_INPUT_SNAPSHOT_END);
  bare("{\"audit\":{}}", SEEN_INPUT_AUDIT);
  bare("{\"tick\":{}}", SEEN_INPUT_TICK);
  line = line_parse("{\"restart\":{}}");
  assert_int_equal(line->type, SEEN_TRACE_RESTART);
  seen_trace_line_free(line);
  line_check("{\"restart\":{}}");
}

static void test_server_reset__it_names_an_incarnation(void **s) {
  seen_trace_line *line = input("{\"server_reset\":{\"incarnation\":\"b\"}}",
                                SEEN_INPUT_SERVER_RESET);
  (void)s;
  assert_string_equal(line->incarnation, "b");
  seen_trace_line_free(line);
  line_refused("{\"server_reset\":{}}",
               "missing field 'incarnation' in server_reset");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_me__each_field_of_the_policy),
      cmocka_unit_test(test_me__what_is_not_said_has_its_default),
      cmocka_unit_test(test_conversation__each_field),
      cmocka_unit_test(
          test_conversation__what_is_not_said_is_not_in_its_fields),
      cmocka_unit_test(test_message__each_field),
      cmocka_unit_test(
          test_message__a_target_is_of_a_recall_or_an_edit_below_it),
      cmocka_unit_test(test_position__a_whole_word),
      cmocka_unit_test(
          test_position__nothing_may_be_known_of_what_is_uncountable),
      cmocka_unit_test(test_ack__of_a_report_unless_said),
      cmocka_unit_test(test_refuse__with_a_word),
      cmocka_unit_test(test_refuse__without_a_word),
      cmocka_unit_test(test_refuse__its_word_is_whole_and_fits_the_code),
      cmocka_unit_test(test_found__a_mention_or_a_message_that_does_not_count),
      cmocka_unit_test(test_found__neither_both_nor_countable),
      cmocka_unit_test(test_members__joined_and_left),
      cmocka_unit_test(test_peer__what_was_read_and_received),
      cmocka_unit_test(test_receipts__the_rows),
      cmocka_unit_test(test_set__only_what_was_said),
      cmocka_unit_test(test_seq__it_may_be_left_out_and_0_is_not_that),
      cmocka_unit_test(test_visible__both_ends_or_none),
      cmocka_unit_test(test_switch__on_or_off),
      cmocka_unit_test(test_bare__the_verb_says_all),
      cmocka_unit_test(test_server_reset__it_names_an_incarnation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
