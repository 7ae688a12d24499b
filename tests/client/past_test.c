#include "client/past.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/dump.h"
#include "support/line.h"

static int gather(const seen_trace_line *line, void *user_data,
                  seen_error *error) {
  (void)error;
  test_dump_say(user_data, "%s\n", line_write(line));
  return SEEN_OK;
}

static void check(sn_past *past, const char *want) {
  test_dump out = {0};

  assert_int_equal(sn_past_each(past, gather, &out, NULL), SEEN_OK);
  assert_string_equal(out.text, want);
  test_dump_free(&out);
}

static void feed(sn_past *past, uint64_t at, const char *text) {
  seen_trace_line *line = line_parse(text);

  assert_int_equal(sn_past_feed(past, &line->u.input, at, NULL), SEEN_OK);
  seen_trace_line_free(line);
}

static seen_options options_of(const char *user) {
  seen_options options;

  seen_options_init(&options);
  options.user = user;
  options.allocator = seen_allocator_default();
  return options;
}

#define ME(at) "{\"at\":" at ",\"me\":{\"user\":\"u\"}}\n"
#define SESSION(more)                                                          \
  "{\"state\":{\"bucket\":{\"units\":4000,\"at\":5},\"random\":"               \
  "\"9e3779b97f4a7c15\"" more "}}\n"
#define ROW(seq)                                                               \
  "{\"conversation\":{\"id\":\"g\",\"kind\":\"direct\",\"read\":{\"epoch\":0," \
  "\"seq\":" seq "},\"last_seq\":9}}"
#define RECORD(seq)                                                            \
  "\"kind\":\"direct\",\"read\":{\"epoch\":0,\"seq\":" seq                     \
  "},\"last_seq\":9,\"join_seq\":1,\"tally\":{\"last_seq\":9,\"from\":" seq    \
  ",\"base\":" seq ",\"counted\":0}"

/* An engine that was never fed, with its past. */
static seen_engine *begin(sn_past *past, const seen_options *options) {
  seen_engine *engine;

  assert_int_equal(seen_engine_new(options, 5, &engine, NULL), SEEN_OK);
  sn_past_init(past, options);
  assert_int_equal(sn_past_begin(past, engine, NULL, NULL), SEEN_OK);
  return engine;
}

static void test_past__what_changed_says_what_was_written(void **s) {
  seen_options options = options_of("u");
  sn_past past;
  seen_engine *engine = begin(&past, &options);
  (void)s;
  check(&past, ME("5") SESSION(""));
  feed(&past, 10, ROW("1"));
  check(&past,
        ME("10") "{\"state\":{\"conv\":\"g\"," RECORD(
            "1") ",\"working\":{\"unwritten\":true}}}\n" SESSION(",\"dirty_"
                                                                 "since"
                                                                 "\":"
                                                                 "10"));
  feed(&past, 300, "{\"tick\":{}}");
  check(&past,
        ME("300") "{\"state\":{\"conv\":\"g\"," RECORD("1") "}}\n" SESSION(""));
  feed(&past, 310, ROW("2"));
  check(&past, ME("310") "{\"state\":{\"conv\":\"g\"," RECORD(
                   "2") ",\"working\":{\"unwritten\":true},\"written\":"
                        "{" RECORD("1") "}}}"
                                        "\n" SESSION(",\"dirty_since\":310"));
  sn_past_free(&past);
  seen_engine_free(engine);
}

static void test_past__a_conversation_may_have_no_record(void **s) {
  seen_options options = options_of("u");
  sn_past past;
  seen_engine *engine = begin(&past, &options);
  (void)s;
  feed(&past, 10, "{\"message\":{\"conv\":\"x\",\"seq\":1,\"from\":\"u2\"}}");
  check(&past, ME("10") "{\"state\":{\"conv\":\"x\",\"working\":{\"fetched\":"
                        "true}}}\n" SESSION(",\"dirty_since\":10"));
  sn_past_free(&past);
  seen_engine_free(engine);
}

static void test_past__it_can_begin_with_another_past(void **s) {
  seen_options options = options_of("u");
  sn_past past;
  sn_past next;
  seen_engine *engine = begin(&past, &options);
  (void)s;
  feed(&past, 10, ROW("1"));
  feed(&past, 300, "{\"tick\":{}}");
  sn_past_init(&next, &options);
  assert_int_equal(sn_past_begin(&next, past.engine, NULL, NULL), SEEN_OK);
  assert_int_equal(sn_past_now(&next), 300);
  feed(&next, 310, ROW("2"));
  check(&next, ME("310") "{\"state\":{\"conv\":\"g\"," RECORD(
                   "2") ",\"working\":{\"unwritten\":true},\"written\":"
                        "{" RECORD("1") "}}}"
                                        "\n" SESSION(",\"dirty_since\":310"));
  sn_past_free(&next);
  sn_past_free(&past);
  seen_engine_free(engine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_past__what_changed_says_what_was_written),
      cmocka_unit_test(test_past__a_conversation_may_have_no_record),
      cmocka_unit_test(test_past__it_can_begin_with_another_past),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
