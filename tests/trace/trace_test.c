#include <seen/sys/trace.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>

#include "support/alloc.h"
#include "support/line.h"
#include "support/random.h"

/* One line of each kind, with every type of value in them. */
static const char *const lines[] = {
    "{\"at\":0,\"me\":{\"user\":\"u1\",\"device\":\"d\",\"policy\":{\"cap\":9}"
    "}}",
    "{\"conversation\":{\"id\":\"g_1\",\"kind\":\"group\",\"read\":{\"epoch\":"
    "0,\"seq\":10,\"high\":12},\"last_seq\":20,\"uncountable\":[13,[15,18]],"
    "\"from\":11,\"counted\":1,\"mentions\":[14,{\"seq\":19,\"why\":\"all\"}],"
    "\"floor\":2,\"version\":5,\"unread\":5,\"muted\":true,\"roster\":[{"
    "\"user\":\"u1\"},{\"user\":\"u2\",\"join\":3,\"leave\":9,\"bot\":true}]}}",
    "{\"at\":5,\"message\":{\"conv\":\"g_1\",\"seq\":21,\"from\":\"\xc3\xa4\","
    "\"kind\":\"recall\",\"countable\":false,\"target\":20}}",
    "{\"refuse\":{\"conv\":\"g_1\",\"code\":\"epoch_ahead\",\"read\":{"
    "\"epoch\":1,\"seq\":2},\"last_seq\":3,\"uncountable\":null}}",
    "{\"members\":{\"conv\":\"g_1\",\"joined\":[{\"user\":\"u9\",\"seq\":12}]}"
    "}",
    "{\"receipts\":{\"conv\":\"g_1\",\"rows\":[[1,2,3],[2,3,4,5]]}}",
    "{\"found\":{\"conv\":\"g_1\",\"seq\":4,\"countable\":false}}",
    "{\"at\":7,\"app\":\"background\"}",
    "{\"focus\":false}",
    "{\"mark_unread\":{\"conv\":\"g_1\",\"target\":0}}",
    "{\"server_reset\":{\"incarnation\":\"b\"}}",
    "{\"state\":{\"conv\":\"g_1\",\"kind\":\"group\",\"want_pinned\":true,"
    "\"wish\":{\"epoch\":0,\"read\":3,\"shown\":2},\"mark\":{\"expected\":{"
    "\"epoch\":0,\"seq\":9},\"target\":4,\"op\":\"00000000000000ff\"}}}",
    "{\"state\":{\"link\":\"down\"}}",
    "{\"at\":1149,\"expect\":{\"conv\":\"g_1\",\"unread\":1,\"exact\":true,"
    "\"badge\":\"9+\",\"server_read\":{\"seq\":8}}}",
    "{\"expect_order\":[\"g_1\",\"g_2\"]}",
    "{\"expect_sent\":[{\"report\":{\"conv\":\"g_1\",\"seq\":9,\"cleared\":[4]}"
    "},{\"read_all\":{}}]}",
    "{\"expect_receipt\":{\"conv\":\"g_1\",\"seq\":7,\"state\":\"read\","
    "\"read_by\":[\"u2\"]}}",
    "{\"expect_metric\":{\"refused\":0}}",
};

#define LINE_COUNT (sizeof lines / sizeof *lines)

static void test_line__written_is_as_parsed(void **s) {
  size_t i;
  (void)s;
  for (i = 0; i < LINE_COUNT; i++)
    line_check(lines[i]);
}

static void test_line__order_of_fields_and_spaces_do_not_matter(void **s) {
  (void)s;
  line_check_as(" { \"open\" : { \"conv\" : \"g\" } , \"at\" : 7 } \r\n",
                "{\"at\":7,\"open\":{\"conv\":\"g\"}}");
}

static void blank(const char *text) {
  seen_trace_line *line = line_parse(text);
  assert_int_equal(line->type, SEEN_TRACE_BLANK);
  assert_string_equal(line_write(line), "");
  seen_trace_line_free(line);
}

static void test_line__blank_ones_and_comments_say_nothing(void **s) {
  (void)s;
  blank("");
  blank(" \t\r\n");
  blank("#");
  blank("# {\"at\":0}");
  line_refused(" # not at the beginning", "no JSON in column 2");
}

static void test_line__at_is_a_time_and_there_once(void **s) {
  seen_trace_line *line = line_parse("{\"tick\":{}}");
  (void)s;
  assert_false(line->has_at);
  seen_trace_line_free(line);
  line = line_parse("{\"at\":0,\"tick\":{}}");
  assert_true(line->has_at);
  assert_int_equal(line->at, 0);
  seen_trace_line_free(line);
  line_refused("{\"at\":\"0\",\"tick\":{}}",
               "bad 'at' in the line: not an integer from 0 to "
               "9007199254740991");
  line_refused("{\"at\":-1,\"tick\":{}}",
               "bad 'at' in the line: not an integer from 0 to "
               "9007199254740991");
  line_refused("{\"at\":0,\"tick\":{},\"at\":0}",
               "field 'at' twice in the line");
}

static void test_line__it_has_one_verb(void **s) {
  (void)s;
  line_refused("{}", "no verb in the line");
  line_refused("{\"at\":3}", "no verb in the line");
  line_refused("{\"tick\":{},\"flush\":{}}", "two verbs in one line");
  line_refused("{\"tick\":{},\"tick\":{}}", "two verbs in one line");
  line_refused("{\"tock\":{}}", "unknown verb 'tock' in the line");
  line_refused("{\"Tick\":{}}", "unknown verb 'Tick' in the line");
}

static void test_line__it_is_one_object_of_json(void **s) {
  (void)s;
  line_refused("[]", "the line is not an object");
  line_refused("7", "the line is not an object");
  line_refused("{\"tick\":{}", "no JSON in column 10");
  line_refused("{\"tick\":{}} {}", "no JSON in column 13");
  line_refused("{\"open\":{\"conv\":\"\xff\"}}",
               "text that is no UTF-8, which ends in column 19");
}

static void test_line__its_length_has_a_bound(void **s) {
  const char head[] = "{\"tick\":{}}";
  size_t size = SEEN_TRACE_LINE_MAX;
  char *text = malloc(size + 1);
  seen_error error = SEEN_ERROR_INIT;
  seen_trace_line *line;
  (void)s;
  assert_non_null(text);
  memset(text, ' ', size + 1);
  memcpy(text, head, sizeof head - 1);
  assert_int_equal(seen_trace_parse(text, size, NULL, &line, &error), SEEN_OK);
  seen_trace_line_free(line);
  assert_int_equal(seen_trace_parse(text, size + 1, NULL, &line, &error),
                   SEEN_EPARSE);
  assert_string_equal(error.message, "the line has more than 16777216 bytes");
  free(text);
}

static void test_line__what_has_no_verb_can_t_be_written(void **s) {
  seen_trace_line line;
  (void)s;
  memset(&line, 0, sizeof line);
  line.type = SEEN_TRACE_INPUT;
  line.u.input.type = (seen_input_type)99;
  line_unwritable(&line, "no verb for a line of type 2");
  line.type = (seen_trace_type)50;
  line_unwritable(&line, "no verb for a line of type 50");
}

static void test_line__to_free_none_is_fine(void **s) {
  (void)s;
  seen_trace_line_free(NULL);
}

static void test_memory__whichever_is_missing_nothing_leaks(void **s) {
  test_alloc memory;
  size_t i;
  (void)s;
  test_alloc_init(&memory);
  for (i = 0; i < LINE_COUNT; i++) {
    seen_trace_line *line = NULL;
    uint64_t n = 0;
    int status;
    do {
      test_alloc_fail(&memory, ++n);
      status = seen_trace_parse(lines[i], strlen(lines[i]), &memory.allocator,
                                &line, NULL);
      assert_true(status == SEEN_OK || status == SEEN_ENOMEM);
      assert_true((line != NULL) == (status == SEEN_OK));
    } while (status != SEEN_OK);
    assert_string_equal(line_write(line), lines[i]);
    seen_trace_line_free(line);
    assert_true(n > 1);
    test_alloc_check(&memory);
  }
}

/* A line in which a few bytes were changed, inserted or taken away. */
static size_t mutate(test_random *random, char *text, size_t size) {
  static const char likely[] = "{}[]\",:0129-.eE\\untrfals \xc3\xff";
  uint64_t times = 1 + test_random_below(random, 4);

  for (; times > 0 && size > 1; times--) {
    size_t at = (size_t)test_random_below(random, size);
    char byte = test_random_below(random, 4) == 0
                    ? (char)test_random_next(random)
                    : likely[test_random_below(random, sizeof likely)];
    switch (test_random_below(random, 3)) {
    case 0: text[at] = byte; break;
    case 1:
      memmove(text + at + 1, text + at, size++ - at);
      text[at] = byte;
      break;
    default: memmove(text + at, text + at + 1, size-- - at - 1);
    }
  }
  return size;
}

/* Whatever is taken can be written and is taken again as the same. */
static void check_taken(const seen_trace_line *line) {
  static char first[1 << 12];
  seen_trace_line *again = NULL;

  snprintf(first, sizeof first, "%s", line_write(line));
  if (line->type == SEEN_TRACE_BLANK) return;
  again = line_parse(first);
  assert_string_equal(line_write(again), first);
  seen_trace_line_free(again);
}

static void test_mutations__are_refused_with_a_message_or_make_sense(void **s) {
  test_random random = {20240817};
  uint64_t count = test_scaled(200000);
  uint64_t taken = 0;
  test_alloc memory;
  uint64_t i;
  (void)s;
  test_alloc_init(&memory);
  for (i = 0; i < count; i++) {
    const char *from = lines[i % LINE_COUNT];
    seen_error error = SEEN_ERROR_INIT;
    seen_trace_line *line;
    char text[1 << 10];
    size_t size = strlen(from);
    int status;
    memcpy(text, from, size + 1);
    size = mutate(&random, text, size);
    status = seen_trace_parse(text, size, &memory.allocator, &line, &error);
    if (status == SEEN_OK) {
      taken++;
      check_taken(line);
      seen_trace_line_free(line);
    } else {
      assert_int_equal(status, SEEN_EPARSE);
      assert_null(line);
      assert_true(error.message[0] != '\0');
    }
  }
  test_alloc_check(&memory);
  /* Both happen, or the mutations are no good. */
  assert_true(taken > 0 && taken < count);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_line__written_is_as_parsed),
      cmocka_unit_test(test_line__order_of_fields_and_spaces_do_not_matter),
      cmocka_unit_test(test_line__blank_ones_and_comments_say_nothing),
      cmocka_unit_test(test_line__at_is_a_time_and_there_once),
      cmocka_unit_test(test_line__it_has_one_verb),
      cmocka_unit_test(test_line__it_is_one_object_of_json),
      cmocka_unit_test(test_line__its_length_has_a_bound),
      cmocka_unit_test(test_line__what_has_no_verb_can_t_be_written),
      cmocka_unit_test(test_line__to_free_none_is_fine),
      cmocka_unit_test(test_memory__whichever_is_missing_nothing_leaks),
      cmocka_unit_test(
          test_mutations__are_refused_with_a_message_or_make_sense),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
