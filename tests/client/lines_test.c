#include "client/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"
#include "support/dump.h"
#include "support/line.h"

/* Texts as a source of lines. */
static int each(void *source, sn_take_line take, void *user_data,
                seen_error *error) {
  const char *const *text = source;

  for (; *text != NULL; text++) {
    seen_trace_line *line = line_parse(*text);
    int status = take(line, user_data, error);

    seen_trace_line_free(line);
    if (status != SEEN_OK) return status;
  }
  return SEEN_OK;
}

static int gather(const char *line, size_t length, void *user_data) {
  assert_int_equal(strlen(line), length);
  test_dump_say(user_data, "%s\n", line);
  return SEEN_OK;
}

static const char *texts[] = {"{\"at\":1,\"me\":{\"user\":\"u\"}}",
                              "{\"open\":{\"conv\":\"an id\"}}",
                              "{\"at\":3,\"tick\":{}}", NULL};

static int write(seen_recorder_names names, const seen_allocator *memory,
                 test_dump *out) {
  return sn_lines_write((sn_lines){each, texts}, names, memory, gather, out,
                        NULL);
}

static void test_lines__under_their_own_names(void **s) {
  test_dump out = {0};
  (void)s;
  assert_int_equal(write(SEEN_NAMES_REAL, seen_allocator_default(), &out),
                   SEEN_OK);
  assert_string_equal(out.text, "{\"at\":1,\"me\":{\"user\":\"u\"}}\n"
                                "{\"open\":{\"conv\":\"an id\"}}\n"
                                "{\"at\":3,\"tick\":{}}\n");
  test_dump_free(&out);
}

static void test_lines__under_others(void **s) {
  test_dump out = {0};
  (void)s;
  assert_int_equal(write(SEEN_NAMES_PSEUDONYMS, seen_allocator_default(), &out),
                   SEEN_OK);
  assert_string_equal(out.text, "{\"at\":1,\"me\":{\"user\":\"u1\"}}\n"
                                "{\"open\":{\"conv\":\"c1\"}}\n"
                                "{\"at\":3,\"tick\":{}}\n");
  test_dump_free(&out);
}

static void without_memory(seen_recorder_names names) {
  int status = SEEN_ENOMEM;

  for (uint64_t n = 1; status == SEEN_ENOMEM; n++) {
    test_dump out = {0};
    test_alloc memory;

    test_alloc_init(&memory);
    test_alloc_fail(&memory, n);
    status = write(names, &memory.allocator, &out);
    test_alloc_check(&memory);
    test_dump_free(&out);
  }
  assert_int_equal(status, SEEN_OK);
}

static void test_lines__without_memory_nothing_leaks(void **s) {
  (void)s;
  without_memory(SEEN_NAMES_REAL);
  without_memory(SEEN_NAMES_PSEUDONYMS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines__under_their_own_names),
      cmocka_unit_test(test_lines__under_others),
      cmocka_unit_test(test_lines__without_memory_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
