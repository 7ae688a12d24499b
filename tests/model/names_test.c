#include "model/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A word and its value, both ways. */
#define BOTH_WAYS(noun, type, constant, word)                                  \
  do {                                                                         \
    type value = (type)77;                                                     \
    assert_string_equal(sn_##noun##_name(constant), word);                     \
    assert_true(sn_##noun##_parse(word, &value));                              \
    assert_int_equal(value, constant);                                         \
  } while (0)

/* What is no word leaves the value, and what is no value has no word. */
#define NEITHER_WAY(noun, type, word, beyond)                                  \
  do {                                                                         \
    type value = (type)77;                                                     \
    assert_false(sn_##noun##_parse(word, &value));                             \
    assert_int_equal(value, 77);                                               \
    assert_null(sn_##noun##_name((type)(beyond)));                             \
  } while (0)

static void test_names__of_kinds(void **state) {
  (void)state;
  BOTH_WAYS(kind, seen_kind, SEEN_KIND_DIRECT, "direct");
  BOTH_WAYS(kind, seen_kind, SEEN_KIND_GROUP, "group");
  BOTH_WAYS(kind, seen_kind, SEEN_KIND_LARGE, "large");
  NEITHER_WAY(kind, seen_kind, "Group", SEEN_KIND_LARGE + 1);
  NEITHER_WAY(kind, seen_kind, "", -1);
}

static void test_names__of_message_kinds(void **state) {
  (void)state;
  BOTH_WAYS(message_kind, seen_message_kind, SEEN_MESSAGE_TEXT, "text");
  BOTH_WAYS(message_kind, seen_message_kind, SEEN_MESSAGE_SYSTEM, "system");
  BOTH_WAYS(message_kind, seen_message_kind, SEEN_MESSAGE_RECALL, "recall");
  BOTH_WAYS(message_kind, seen_message_kind, SEEN_MESSAGE_EDIT, "edit");
  BOTH_WAYS(message_kind, seen_message_kind, SEEN_MESSAGE_REACTION, "reaction");
  NEITHER_WAY(message_kind, seen_message_kind, "texts",
              SEEN_MESSAGE_REACTION + 1);
}

static void test_names__of_why_a_message_is_a_mention(void **state) {
  (void)state;
  BOTH_WAYS(mention_why, seen_mention_why, SEEN_MENTION_ME, "me");
  BOTH_WAYS(mention_why, seen_mention_why, SEEN_MENTION_ALL, "all");
  BOTH_WAYS(mention_why, seen_mention_why, SEEN_MENTION_QUOTE, "quote");
  NEITHER_WAY(mention_why, seen_mention_why, "none", SEEN_MENTION_NONE);
  NEITHER_WAY(mention_why, seen_mention_why, "m", SEEN_MENTION_QUOTE + 1);
}

static void test_names__of_refusals(void **state) {
  (void)state;
  BOTH_WAYS(refusal, seen_refusal, SEEN_REFUSAL_CONFLICT, "conflict");
  BOTH_WAYS(refusal, seen_refusal, SEEN_REFUSAL_SEQ_OUT_OF_RANGE,
            "seq_out_of_range");
  BOTH_WAYS(refusal, seen_refusal, SEEN_REFUSAL_EPOCH_AHEAD, "epoch_ahead");
  BOTH_WAYS(refusal, seen_refusal, SEEN_REFUSAL_RATE_LIMITED, "rate_limited");
  BOTH_WAYS(refusal, seen_refusal, SEEN_REFUSAL_NOT_MEMBER, "not_member");
  BOTH_WAYS(refusal, seen_refusal, SEEN_REFUSAL_NOT_FOUND, "not_found");
  NEITHER_WAY(refusal, seen_refusal, "forbidden", 0);
  NEITHER_WAY(refusal, seen_refusal, "not", SEEN_REFUSAL_NOT_FOUND + 1);
}

static void test_names__of_requests(void **state) {
  (void)state;
  BOTH_WAYS(request, seen_request, SEEN_REQUEST_REPORT, "report");
  BOTH_WAYS(request, seen_request, SEEN_REQUEST_MARK_UNREAD, "mark_unread");
  BOTH_WAYS(request, seen_request, SEEN_REQUEST_READ_ALL, "read_all");
  NEITHER_WAY(request, seen_request, "mark_read", SEEN_REQUEST_READ_ALL + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names__of_kinds),
      cmocka_unit_test(test_names__of_message_kinds),
      cmocka_unit_test(test_names__of_why_a_message_is_a_mention),
      cmocka_unit_test(test_names__of_refusals),
      cmocka_unit_test(test_names__of_requests),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
