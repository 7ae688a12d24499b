#include "trace/pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"
#include "support/line.h"

#define WORD                                                                   \
  "\"read\":{\"epoch\":1,\"seq\":2,\"high\":3},\"last_seq\":9,"                \
  "\"uncountable\":[4,[6,8]],\"from\":4,\"counted\":1,\"mentions\":[5,{"       \
  "\"seq\":7,\"why\":\"all\"}],\"floor\":1,\"version\":77,\"unread\":3"

/* As they are written, without a time. */
static const char *const lines[] = {
    "{\"me\":{\"user\":\"u1\"}}",
    "{\"me\":{\"user\":\"u1\",\"device\":\"d1\",\"policy\":{\"read\":\"on_"
    "open\",\"dwell_ms\":0,\"persist_ms\":4294967295,\"own_send\":\"reads\","
    "\"receipts\":false,\"jitter\":true}}}",
    "{\"conversation\":{\"id\":\"g\",\"kind\":\"direct\",\"read\":{\"epoch\":0,"
    "\"seq\":0},\"last_seq\":0}}",
    "{\"conversation\":{\"id\":\"g\",\"kind\":\"large\"," WORD
    ",\"muted\":true,\"pinned\":false,\"updated_at\":9007199254740991,"
    "\"join_seq\":1,\"leave_seq\":0,\"delivered_seq\":5,\"roster\":[{\"user\":"
    "\"u1\"},{\"user\":\"u2\",\"join\":2,\"leave\":3,\"read_seq\":2,"
    "\"delivered_seq\":3,\"bot\":true}]}}",
    "{\"conversation\":{\"id\":\"g\",\"kind\":\"group\",\"read\":{\"epoch\":0,"
    "\"seq\":0},\"last_seq\":0,\"uncountable\":null,\"roster\":[]}}",
    "{\"message\":{\"conv\":\"g\",\"seq\":1,\"from\":\"u2\"}}",
    "{\"message\":{\"conv\":\"g\",\"seq\":128,\"from\":\"u2\",\"kind\":"
    "\"edit\","
    "\"countable\":true,\"mentions\":\"quote\",\"target\":127,\"sent_at\":5,"
    "\"hidden\":true}}",
    "{\"message\":{\"conv\":\"g\",\"seq\":1,\"from\":\"u2\",\"countable\":"
    "false}}",
    "{\"position\":{\"conv\":\"g\"," WORD "}}",
    "{\"ack\":{\"conv\":\"g\",\"of\":\"read_all\"," WORD "}}",
    "{\"refuse\":{\"conv\":\"g\",\"code\":\"not_member\"}}",
    "{\"refuse\":{\"conv\":\"g\",\"of\":\"mark_unread\",\"code\":"
    "\"rate_limited\",\"retry_ms\":5}}",
    "{\"refuse\":{\"conv\":\"g\",\"code\":\"conflict\"," WORD "}}",
    "{\"found\":{\"conv\":\"g\",\"seq\":5,\"mentions\":\"me\"}}",
    "{\"found\":{\"conv\":\"g\",\"seq\":5,\"countable\":false}}",
    "{\"members\":{\"conv\":\"g\",\"joined\":[{\"user\":\"u2\",\"seq\":3,"
    "\"bot\":true}],\"left\":[{\"user\":\"u3\",\"seq\":4}]}}",
    "{\"peer\":{\"conv\":\"g\",\"user\":\"u2\",\"read_seq\":1}}",
    "{\"receipts\":{\"conv\":\"g\",\"rows\":[[1,2,3],[4,5,6,7]]}}",
    "{\"receipts\":{\"conv\":\"g\",\"rows\":[]}}",
    "{\"set\":{\"conv\":\"g\",\"muted\":false,\"pinned\":true}}",
    "{\"set\":{\"conv\":\"g\"}}",
    "{\"left\":{\"conv\":\"g\"}}",
    "{\"left\":{\"conv\":\"g\",\"leave_seq\":0}}",
    "{\"forget\":{\"conv\":\"g\"}}",
    "{\"open\":{\"conv\":\"g\"}}",
    "{\"visible\":{\"conv\":\"g\"}}",
    "{\"visible\":{\"conv\":\"g\",\"from\":3,\"to\":9}}",
    "{\"close\":{\"conv\":\"g\"}}",
    "{\"mark_read\":{\"conv\":\"g\"}}",
    "{\"mark_unread\":{\"conv\":\"g\",\"target\":0}}",
    "{\"clear_mentions\":{\"conv\":\"g\"}}",
    "{\"mute\":{\"conv\":\"g\",\"on\":true}}",
    "{\"pin\":{\"conv\":\"g\",\"on\":false}}",
    "{\"read_all\":{}}",
    "{\"app\":\"background\"}",
    "{\"app\":\"foreground\"}",
    "{\"focus\":false}",
    "{\"link\":\"up\"}",
    "{\"flush\":{}}",
    "{\"report_now\":{}}",
    "{\"server_reset\":{\"incarnation\":\"\"}}",
    "{\"snapshot_end\":{}}",
    "{\"audit\":{}}",
    "{\"tick\":{}}",
    "{\"restart\":{}}",
    "{\"state\":{\"conv\":\"g\",\"kind\":\"group\",\"want_muted\":false,"
    "\"want_pinned\":true,\"tally\":{\"counted\":0},\"live\":[[3,4]],\"mark\":{"
    "\"expected\":{\"epoch\":1,\"seq\":2},\"target\":1,\"op\":"
    "\"ffffffffffffffff\"},\"notes\":[{\"seq\":3,\"target\":1}],\"senders\":[{"
    "\"from\":3,\"to\":4,\"user\":\"u2\",\"text\":true}],\"peers\":[{\"user\":"
    "\"u2\"}],\"working\":{\"open\":true,\"unwritten\":true,\"advance\":{"
    "\"first\":0,\"last\":5},\"stays\":[{\"from\":3,\"to\":4,\"read\":true}]},"
    "\"written\":{\"kind\":\"group\",\"wish\":{\"epoch\":1,\"read\":3,"
    "\"shown\":2}}}}",
    "{\"state\":{\"conv\":\"g\"}}",
    "{\"state\":{\"link\":\"down\",\"bucket\":{\"units\":7},\"random\":"
    "\"8000000000000000\",\"metrics\":{\"refused\":1}}}",
};
enum { LINES = sizeof lines / sizeof *lines };

static sn_text packed(const char *text) {
  seen_trace_line *line = line_parse(text);
  seen_error error = SEEN_ERROR_INIT;
  sn_text bytes;

  sn_text_growing(&bytes, seen_allocator_default());
  if (sn_pack_line(&bytes, line, &error) != SEEN_OK)
    fail_msg("%s: %s", text, error.message);
  assert_int_equal(bytes.status, SEEN_OK);
  seen_trace_line_free(line);
  return bytes;
}

static void test_pack__each_line_comes_back_as_it_was(void **s) {
  size_t i;
  (void)s;
  for (i = 0; i < LINES; i++) {
    sn_text bytes = packed(lines[i]);
    seen_trace_line *line;
    assert_int_equal(
        sn_unpack_line(bytes.bytes, bytes.length, NULL, &line, NULL), SEEN_OK);
    assert_string_equal(line_write(line), lines[i]);
    seen_trace_line_free(line);
    sn_text_free(&bytes);
  }
}

static void test_pack__a_message_is_few_bytes(void **s) {
  sn_text bytes =
      packed("{\"message\":{\"conv\":\"g_1\",\"seq\":1011,\"from\":\"u2\"}}");
  (void)s;
  /* Verb, fields, "g_1" and "u2" with their lengths, and the seq. */
  assert_int_equal(bytes.length, 1 + 1 + 4 + 3 + 2);
  sn_text_free(&bytes);
}

static void test_pack__what_lacks_an_id_is_refused(void **s) {
  seen_trace_line line = {.type = SEEN_TRACE_INPUT,
                          .u.input = {.type = SEEN_INPUT_OPEN}};
  seen_error error = SEEN_ERROR_INIT;
  sn_text bytes;
  (void)s;
  sn_text_growing(&bytes, seen_allocator_default());
  assert_int_equal(sn_pack_line(&bytes, &line, &error), SEEN_EINVAL);
  assert_string_equal(error.message, "'conv' is missing");
  line.type = SEEN_TRACE_EXPECT;
  assert_int_equal(sn_pack_line(&bytes, &line, &error), SEEN_EINVAL);
  assert_string_equal(error.message, "a line of type 7 is not packed");
  sn_text_free(&bytes);
}

/* What comes of bytes that may be no line has at least to be a line. */
static bool unpacks(const char *bytes, size_t size) {
  char *exact = malloc(size > 0 ? size : 1); /* a byte too far is noticed */
  seen_trace_line *line = NULL;
  seen_error error = SEEN_ERROR_INIT;
  size_t length;
  int status;

  assert_non_null(exact);
  memcpy(exact, bytes, size);
  status = sn_unpack_line(exact, size, NULL, &line, &error);
  if (status != SEEN_OK) {
    assert_int_equal(status, SEEN_EPARSE);
    assert_null(line);
    assert_string_equal(error.message, "bytes that are no line");
  }
  if (line != NULL) (void)seen_trace_write(line, NULL, 0, &length, NULL);
  seen_trace_line_free(line);
  free(exact);
  return status == SEEN_OK;
}

static void test_unpack__what_was_cut_off_is_no_line(void **s) {
  size_t i;
  size_t size;
  (void)s;
  for (i = 0; i < LINES; i++) {
    sn_text bytes = packed(lines[i]);
    for (size = 0; size < bytes.length; size++)
      assert_false(unpacks(bytes.bytes, size));
    sn_text_add(&bytes, "x");
    assert_false(unpacks(bytes.bytes, bytes.length));
    sn_text_free(&bytes);
  }
}

static void test_unpack__any_byte_may_be_wrong(void **s) {
  size_t i;
  size_t at;
  unsigned bit;
  (void)s;
  for (i = 0; i < LINES; i++) {
    sn_text bytes = packed(lines[i]);
    for (at = 0; at < bytes.length; at++)
      for (bit = 0; bit < 8; bit++) {
        bytes.bytes[at] = (char)(bytes.bytes[at] ^ 1 << bit);
        (void)unpacks(bytes.bytes, bytes.length);
        bytes.bytes[at] = (char)(bytes.bytes[at] ^ 1 << bit);
      }
    sn_text_free(&bytes);
  }
}

static void test_unpack__without_memory_nothing_leaks(void **s) {
  size_t i;
  (void)s;
  for (i = 0; i < LINES; i++) {
    sn_text bytes = packed(lines[i]);
    test_alloc memory;
    uint64_t n;
    int status = SEEN_ENOMEM;
    test_alloc_init(&memory);
    for (n = 1; status == SEEN_ENOMEM; n++) {
      seen_trace_line *line;
      test_alloc_fail(&memory, n);
      status = sn_unpack_line(bytes.bytes, bytes.length, &memory.allocator,
                              &line, NULL);
      seen_trace_line_free(line);
      test_alloc_check(&memory);
    }
    assert_int_equal(status, SEEN_OK);
    sn_text_free(&bytes);
  }
}

static void test_number__each_size_of_it(void **s) {
  const uint64_t numbers[] = {0,     1,         127,          128,       16383,
                              16384, 1u << 31u, SEEN_SEQ_MAX, UINT64_MAX};
  size_t i;
  (void)s;
  for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const uint8_t *at;
    uint64_t number;
    sn_text bytes;
    sn_text_growing(&bytes, seen_allocator_default());
    sn_pack_number(&bytes, numbers[i]);
    at = (const uint8_t *)bytes.bytes;
    assert_true(sn_unpack_number(&at, at + bytes.length, &number));
    assert_true(number == numbers[i]);
    assert_ptr_equal(at, bytes.bytes + bytes.length);
    at = (const uint8_t *)bytes.bytes;
    assert_false(sn_unpack_number(&at, at + bytes.length - 1, &number));
    sn_text_free(&bytes);
  }
}

static void test_number__more_than_64_bits_is_none(void **s) {
  const uint8_t bytes[] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 2};
  const uint8_t *at = bytes;
  uint64_t number;
  (void)s;
  assert_false(sn_unpack_number(&at, bytes + sizeof bytes, &number));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pack__each_line_comes_back_as_it_was),
      cmocka_unit_test(test_pack__a_message_is_few_bytes),
      cmocka_unit_test(test_pack__what_lacks_an_id_is_refused),
      cmocka_unit_test(test_unpack__what_was_cut_off_is_no_line),
      cmocka_unit_test(test_unpack__any_byte_may_be_wrong),
      cmocka_unit_test(test_unpack__without_memory_nothing_leaks),
      cmocka_unit_test(test_number__each_size_of_it),
      cmocka_unit_test(test_number__more_than_64_bits_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
