#include "wire/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

#define WORD                                                                   \
  "\"read\":{\"epoch\":0,\"seq\":3,\"high\":0},\"last_seq\":5,\"version\":9"

typedef struct stage {
  test_alloc memory;
  sn_frame_reader reader;
  const sn_frame *frame;
  seen_error error;
} stage;

static int setup(void **s) {
  static stage on;
  test_alloc_init(&on.memory);
  sn_frame_reader_init(&on.reader, &on.memory.allocator);
  seen_error_init(&on.error);
  *s = &on;
  return 0;
}

static int teardown(void **s) {
  stage *on = *s;
  sn_frame_reader_free(&on->reader);
  test_alloc_check(&on->memory);
  return 0;
}

static int try_read(stage *on, const char *text) {
  return sn_frame_read(&on->reader, text, strlen(text), &on->frame, &on->error);
}

static const sn_frame *read_frame(stage *on, const char *text) {
  if (try_read(on, text)) fail_msg("%s", on->error.message);
  return on->frame;
}

static void test_frame__welcome(void **s) {
  const sn_frame *frame =
      read_frame(*s, "{\"t\":\"welcome\",\"id\":1,\"user\":\"ann\","
                     "\"incarnation\":\"b7\",\"version\":88213,"
                     "\"mode\":\"snapshot\",\"receipts\":true,\"limits\":{"
                     "\"frame_bytes\":65536,\"items\":100,\"new\":[]}}");
  assert_int_equal(frame->type, SN_FRAME_WELCOME);
  assert_true(frame->has_id);
  assert_int_equal(frame->id, 1);
  assert_string_equal(frame->u.welcome.user, "ann");
  assert_string_equal(frame->u.welcome.incarnation, "b7");
  assert_int_equal(frame->u.welcome.version, 88213);
  assert_true(frame->u.welcome.snapshot);
  assert_true(frame->u.welcome.receipts);
  assert_int_equal(frame->u.welcome.frame_bytes, 65536);
  assert_int_equal(frame->u.welcome.items, 100);
}

static void test_frame__changes(void **s) {
  const sn_frame *frame =
      read_frame(*s, "{\"t\":\"changes\",\"from\":3,\"version\":9,"
                     "\"conversations\":[{\"id\":\"g\",\"kind\":\"large\"," WORD
                     "}],\"more\":true}");
  const sn_changes *changes = &frame->u.changes;
  assert_true(changes->dated && changes->more);
  assert_int_equal(changes->from, 3);
  assert_int_equal(changes->version, 9);
  assert_int_equal(changes->count, 1);
  assert_string_equal(changes->rows[0].id, "g");
  assert_int_equal(changes->rows[0].snapshot.kind, SEEN_KIND_LARGE);
  assert_int_equal(changes->rows[0].snapshot.word.last_seq, 5);
  frame = read_frame(*s, "{\"t\":\"changes\",\"id\":6,\"conversations\":[],"
                         "\"missing\":[\"h\",\"i\"]}");
  assert_false(frame->u.changes.dated || frame->u.changes.more);
  assert_int_equal(frame->u.changes.missing_count, 2);
  assert_string_equal(frame->u.changes.missing[1], "i");
}

static void test_frame__changes_are_dated_by_both_numbers(void **s) {
  assert_int_equal(
      try_read(*s, "{\"t\":\"changes\",\"from\":3,\"conversations\":[]}"),
      SEEN_EPARSE);
  assert_int_equal(
      try_read(*s, "{\"t\":\"changes\",\"version\":3,\"conversations\":[]}"),
      SEEN_EPARSE);
}

static void test_frame__message(void **s) {
  const sn_frame *frame = read_frame(
      *s, "{\"t\":\"message\",\"conv\":\"g_1\",\"seq\":1012,\"version\":88214,"
          "\"from\":\"bob\",\"kind\":\"text\",\"countable\":true,"
          "\"mentions\":\"me\",\"sent_at\":1733000000000,\"body\":\"soup?\","
          "\"target\":7}");
  const seen_message *message = &frame->u.message.message;
  const seen_text *text = &frame->u.message.text;
  assert_string_equal(frame->conv, "g_1");
  assert_int_equal(frame->u.message.version, 88214);
  assert_int_equal(message->seq, 1012);
  assert_string_equal(message->from, "bob");
  assert_int_equal(message->kind, SEEN_MESSAGE_TEXT);
  assert_int_equal(message->countable, SEEN_COUNTABLE_YES);
  assert_int_equal(message->mention, SEEN_MENTION_ME);
  assert_int_equal(message->sent_at, 1733000000000);
  assert_int_equal(message->target, 0); /* it quotes */
  assert_int_equal(text->target, 7);
  assert_string_equal(text->body, "soup?");
  assert_int_equal(text->size, sizeof *text);
}

static void test_frame__a_recall_has_its_target(void **s) {
  static const char recall[] =
      "{\"t\":\"message\",\"conv\":\"g\",\"seq\":9,\"version\":1,"
      "\"from\":\"bob\",\"kind\":\"recall\",\"countable\":false,"
      "\"sent_at\":1,\"target\":8}";
  const seen_message *message = &read_frame(*s, recall)->u.message.message;
  char text[sizeof recall];
  assert_int_equal(message->target, 8);
  assert_int_equal(message->countable, SEEN_COUNTABLE_NO);
  memcpy(text, recall, sizeof text);
  *strrchr(text, '8') = '9';
  assert_int_equal(try_read(*s, text), SEEN_EPARSE);
}

static void test_frame__acks(void **s) {
  const sn_frame *frame = read_frame(
      *s, "{\"t\":\"ack\",\"id\":2,\"of\":\"read\",\"items\":["
          "{\"conv\":\"g\",\"result\":\"ok\"," WORD "},"
          "{\"conv\":\"h\",\"result\":\"refused\",\"code\":\"rate_limited\","
          "\"retry_ms\":1500}],\"more\":true}");
  const sn_ack *ack = &frame->u.ack;
  assert_int_equal(ack->of, SN_SAY_READ);
  assert_true(ack->more);
  assert_int_equal(ack->count, 2);
  assert_int_equal(ack->items[0].result, SN_RESULT_OK);
  assert_true(ack->items[0].has_word);
  assert_int_equal(ack->items[0].word.read.seq, 3);
  assert_int_equal(ack->items[1].result, SN_RESULT_REFUSED);
  assert_false(ack->items[1].has_word);
  assert_string_equal(ack->items[1].code, "rate_limited");
  assert_int_equal(ack->items[1].retry_ms, 1500);
}

static void test_frame__acks_of_a_host(void **s) {
  const sn_frame *frame =
      read_frame(*s, "{\"t\":\"ack\",\"id\":10,\"of\":\"send\",\"items\":["
                     "{\"conv\":\"g\",\"result\":\"ok\",\"seq\":6,"
                     "\"sent_at\":17," WORD "}]}");
  assert_int_equal(frame->u.ack.items[0].seq, 6);
  assert_int_equal(frame->u.ack.items[0].sent_at, 17);
  frame =
      read_frame(*s, "{\"t\":\"ack\",\"id\":3,\"of\":\"leave\",\"items\":["
                     "{\"conv\":\"g\",\"result\":\"ok\",\"leave_seq\":9}]}");
  assert_false(frame->u.ack.items[0].has_word);
  frame = read_frame(*s, "{\"t\":\"ack\",\"id\":14,\"of\":\"settings\","
                         "\"receipts\":true,\"version\":8}");
  assert_true(frame->u.ack.receipts);
  assert_int_equal(frame->u.ack.version, 8);
  assert_int_equal(frame->u.ack.count, 0);
}

static void test_frame__an_ack_without_its_word_is_bad(void **s) {
  stage *on = *s;
  assert_int_equal(try_read(on, "{\"t\":\"ack\",\"id\":2,\"of\":\"read\","
                                "\"items\":[{\"conv\":\"g\","
                                "\"result\":\"stale\"}]}"),
                   SEEN_EPARSE);
  assert_string_equal(on->error.message, "read in ack: missing");
  assert_int_equal(try_read(on,
                            "{\"t\":\"ack\",\"id\":2,\"of\":\"mark_unread\","
                            "\"items\":[{\"conv\":\"g\",\"result\":\"refused\","
                            "\"code\":\"conflict\"}]}"),
                   SEEN_EPARSE);
  assert_int_equal(try_read(on, "{\"t\":\"ack\",\"id\":2,\"of\":\"read\","
                                "\"items\":[{\"conv\":\"g\","
                                "\"result\":\"refused\"}]}"),
                   SEEN_EPARSE);
}

static void test_frame__what_is_said_of_one_conversation(void **s) {
  const sn_frame *frame =
      read_frame(*s, "{\"t\":\"position\",\"conv\":\"g\"," WORD "}");
  assert_string_equal(frame->conv, "g");
  assert_int_equal(frame->u.position.version, 9);
  frame = read_frame(*s, "{\"t\":\"peer\",\"conv\":\"d\",\"items\":[{\"user\":"
                         "\"bob\",\"read_seq\":11,\"delivered_seq\":12}]}");
  assert_int_equal(frame->u.peer.count, 1);
  assert_string_equal(frame->u.peer.items[0].user, "bob");
  assert_int_equal(frame->u.peer.items[0].read_seq, 11);
  assert_int_equal(frame->u.peer.items[0].delivered_seq, 12);
  frame = read_frame(*s, "{\"t\":\"receipts\",\"conv\":\"g\",\"rows\":["
                         "[1010,12,79,40],[1011,3,79,41]]}");
  assert_false(frame->has_id);
  assert_int_equal(frame->u.receipts.count, 2);
  assert_int_equal(frame->u.receipts.rows[1].seq, 1011);
  assert_int_equal(frame->u.receipts.rows[1].read, 3);
  assert_int_equal(frame->u.receipts.rows[1].audience, 79);
  assert_int_equal(frame->u.receipts.rows[1].delivered, 41);
  frame = read_frame(*s, "{\"t\":\"members\",\"conv\":\"g\",\"joined\":[{"
                         "\"user\":\"dan\",\"seq\":13,\"bot\":true}],"
                         "\"left\":[{\"user\":\"cyd\",\"seq\":12}]}");
  assert_string_equal(frame->u.members.joined[0].user, "dan");
  assert_true(frame->u.members.joined[0].bot);
  assert_int_equal(frame->u.members.left[0].seq, 12);
  frame = read_frame(*s, "{\"t\":\"set\",\"id\":9,\"conv\":\"g\","
                         "\"muted\":true}");
  assert_true(frame->u.set.has_muted && frame->u.set.muted);
  assert_false(frame->u.set.has_pinned);
  frame = read_frame(*s, "{\"t\":\"left\",\"conv\":\"g\",\"leave_seq\":10}");
  assert_int_equal(frame->u.left, 10);
}

static void test_frame__a_page_of_messages(void **s) {
  const sn_frame *frame = read_frame(
      *s, "{\"t\":\"page\",\"id\":11,\"conv\":\"g\",\"messages\":["
          "{\"seq\":9,\"from\":\"bob\",\"kind\":\"text\",\"countable\":false,"
          "\"sent_at\":1,\"recalled\":true},"
          "{\"seq\":8,\"from\":\"cyd\",\"kind\":\"system\","
          "\"countable\":false,\"sent_at\":1,\"body\":\"add\"}],"
          "\"more\":true}");
  assert_int_equal(frame->u.page.count, 2);
  assert_true(frame->u.page.more);
  assert_true(frame->u.page.messages[0].recalled);
  assert_null(frame->u.page.messages[0].body);
  assert_int_equal(frame->u.page.messages[1].kind, SEEN_MESSAGE_SYSTEM);
}

static void test_frame__what_is_said_of_the_link(void **s) {
  const sn_frame *frame = read_frame(*s, "{\"t\":\"report_now\"}");
  assert_int_equal(frame->type, SN_FRAME_REPORT_NOW);
  frame = read_frame(*s, "{\"t\":\"resync\",\"why\":\"slow\",\"version\":8}");
  assert_false(frame->u.resync.incarnation);
  frame = read_frame(*s, "{\"t\":\"resync\",\"why\":\"incarnation\"}");
  assert_true(frame->u.resync.incarnation);
  frame = read_frame(*s, "{\"t\":\"error\",\"id\":13,\"code\":\"forbidden\","
                         "\"message\":\"only an admin adds members\"}");
  assert_string_equal(frame->u.error.code, "forbidden");
  assert_string_equal(frame->u.error.message, "only an admin adds members");
  frame = read_frame(*s, "{\"t\":\"error\",\"code\":\"rate_limited\","
                         "\"retry_ms\":100}");
  assert_false(frame->has_id);
  assert_int_equal(frame->u.error.retry_ms, 100);
}

static void test_frame__an_unknown_type_is_told_as_such(void **s) {
  assert_int_equal(read_frame(*s, "{\"t\":\"typing\",\"id\":-1}")->type,
                   SN_FRAME_UNKNOWN);
}

static void test_frame__what_is_no_frame_is_refused(void **s) {
  stage *on = *s;
  static const char *const texts[] = {
      "",    "<html>",       "[]",
      "7",   "{\"id\":1}",   "{",
      "{}x", "{\"t\":null}", "{\"t\":\"left\",\"conv\":\"g\"}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_int_equal(try_read(on, texts[i]), SEEN_EPARSE);
    assert_null(on->frame);
  }
}

static void test_frame__each_frame_takes_the_place_of_the_last(void **s) {
  stage *on = *s;
  for (int i = 0; i < 1000; i++) {
    read_frame(on, "{\"t\":\"position\",\"conv\":\"g\"," WORD
                   ",\"uncountable\":[1,2,3,4]}");
    assert_true(on->memory.most_bytes < 4096);
  }
}

static void test_frame__several_are_read_one_by_one(void **s) {
  stage *on = *s;
  static const char text[] = "[{\"t\":\"report_now\"},{\"t\":\"left\","
                             "\"conv\":\"g\",\"leave_seq\":1},7]";
  assert_int_equal(sn_frames_open(&on->reader, text, strlen(text), &on->error),
                   SEEN_OK);
  assert_int_equal(sn_frames_next(&on->reader, &on->frame, NULL), SEEN_OK);
  assert_int_equal(on->frame->type, SN_FRAME_REPORT_NOW);
  assert_int_equal(sn_frames_next(&on->reader, &on->frame, NULL), SEEN_OK);
  assert_string_equal(on->frame->conv, "g");
  assert_int_equal(sn_frames_next(&on->reader, &on->frame, NULL), SEEN_EPARSE);
  assert_int_equal(sn_frames_next(&on->reader, &on->frame, NULL), SEEN_OK);
  assert_null(on->frame);
  assert_int_equal(sn_frames_open(&on->reader, "[]", 2, NULL), SEEN_OK);
  assert_int_equal(sn_frames_next(&on->reader, &on->frame, NULL), SEEN_OK);
  assert_null(on->frame);
}

/* A frame as long as can be, of the cheapest items there are. */
static void test_frame__a_long_list_takes_bounded_memory(void **s) {
  static char text[65537];
  stage *on = *s;
  strcpy(text,
         "{\"t\":\"position\",\"conv\":\"g\"," WORD ",\"uncountable\":[1");
  size_t at = strlen(text);
  for (; at < sizeof text - 5; at += 2) {
    text[at] = ',';
    text[at + 1] = '1';
  }
  strcpy(text + at, "]}");
  assert_int_equal(read_frame(on, text)->u.position.uncountable[9].lo, 1);
  assert_true(on->memory.most_bytes < 600000);
}

static void test_frame__without_memory_nothing_is_read(void **s) {
  stage *on = *s;
  static const char text[] =
      "{\"t\":\"changes\",\"conversations\":[{\"id\":\"g\",\"kind\":"
      "\"large\"," WORD ",\"uncountable\":[1]}],\"missing\":[\"h\"]}";
  test_alloc_fail(&on->memory, 1);
  assert_int_equal(try_read(on, text), SEEN_ENOMEM);
  assert_null(on->frame);
  assert_int_equal(try_read(on, text), SEEN_OK);
}

static void test_frame__who_has_a_message(void **s) {
  stage *on = *s;
  const sn_audience *audience;
  static const char text[] =
      "{\"conv\":\"g\",\"seq\":11,\"read\":12,\"audience\":79,"
      "\"delivered\":40,\"hidden\":2,\"users\":[\"bob\",\"cyd\"],"
      "\"cursor\":\"Zy4x\",\"as_of\":88213}";
  static const char last[] = "{\"conv\":\"g\",\"seq\":11,\"read\":12,"
                             "\"audience\":79,\"cursor\":null}";
  assert_int_equal(
      sn_audience_read(&on->reader, text, strlen(text), &audience, NULL),
      SEEN_OK);
  assert_int_equal(audience->read, 12);
  assert_int_equal(audience->audience, 79);
  assert_int_equal(audience->delivered, 40);
  assert_int_equal(audience->hidden, 2);
  assert_int_equal(audience->count, 2);
  assert_string_equal(audience->users[1], "cyd");
  assert_string_equal(audience->cursor, "Zy4x");
  assert_int_equal(
      sn_audience_read(&on->reader, last, strlen(last), &audience, NULL),
      SEEN_OK);
  assert_int_equal(audience->count, 0);
  assert_null(audience->cursor);
  assert_int_equal(sn_audience_read(&on->reader, "{}", 2, &audience, NULL),
                   SEEN_EPARSE);
  assert_null(audience);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_frame__welcome),
      TEST(test_frame__changes),
      TEST(test_frame__changes_are_dated_by_both_numbers),
      TEST(test_frame__message),
      TEST(test_frame__a_recall_has_its_target),
      TEST(test_frame__acks),
      TEST(test_frame__acks_of_a_host),
      TEST(test_frame__an_ack_without_its_word_is_bad),
      TEST(test_frame__what_is_said_of_one_conversation),
      TEST(test_frame__a_page_of_messages),
      TEST(test_frame__what_is_said_of_the_link),
      TEST(test_frame__an_unknown_type_is_told_as_such),
      TEST(test_frame__what_is_no_frame_is_refused),
      TEST(test_frame__each_frame_takes_the_place_of_the_last),
      TEST(test_frame__several_are_read_one_by_one),
      TEST(test_frame__a_long_list_takes_bounded_memory),
      TEST(test_frame__without_memory_nothing_is_read),
      TEST(test_frame__who_has_a_message),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
