#include "client/pseudonyms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"
#include "support/line.h"

static void collect(sn_pseudonyms *names, const char *text) {
  seen_trace_line *line = line_parse(text);

  assert_int_equal(sn_pseudonyms_collect(names, line, NULL), SEEN_OK);
  seen_trace_line_free(line);
}

static void check(const sn_pseudonyms *names, const char *text,
                  const char *want) {
  seen_trace_line *line = line_parse(text);
  seen_trace_line *renamed;

  assert_int_equal(sn_pseudonyms_rename(names, line, &renamed, NULL), SEEN_OK);
  assert_string_equal(line_write(renamed), want);
  seen_trace_line_free(renamed);
  seen_trace_line_free(line);
}

static const char me[] = "{\"at\":5,\"me\":{\"user\":\"bob\",\"device\":"
                         "\"bob\"}}";
static const char one[] =
    "{\"at\":6,\"message\":{\"conv\":\"bob\",\"seq\":1,\"from\":\"alice\"}}";
static const char two[] =
    "{\"peer\":{\"conv\":\"B\",\"user\":\"bob\",\"read_seq\":1}}";

static void test_names__each_kind_has_its_own_in_order(void **s) {
  sn_pseudonyms names;
  (void)s;
  sn_pseudonyms_init(&names, seen_allocator_default());
  collect(&names, me);
  collect(&names, one);
  collect(&names, two);
  assert_int_equal(sn_pseudonyms_number(&names, NULL), SEEN_OK);
  check(&names, me, "{\"at\":5,\"me\":{\"user\":\"u2\",\"device\":\"d1\"}}");
  check(&names, one,
        "{\"at\":6,\"message\":{\"conv\":\"c2\",\"seq\":1,\"from\":\"u1\"}}");
  check(&names, two,
        "{\"peer\":{\"conv\":\"c1\",\"user\":\"u2\",\"read_seq\":1}}");
  sn_pseudonyms_free(&names);
}

/* Ids of many lengths, whose order by bytes is none of numbers. */
static void test_names__they_sort_as_the_real_ones(void **s) {
  char last[300] = "";
  char ids[120][16];
  sn_pseudonyms names;
  size_t i;
  size_t k;
  (void)s;
  sn_pseudonyms_init(&names, seen_allocator_default());
  for (i = 0; i < 120; i++) {
    char text[300];
    snprintf(ids[i], sizeof ids[i], "g%zu", i * 7);
    snprintf(text, sizeof text, "{\"open\":{\"conv\":\"%s\"}}", ids[i]);
    collect(&names, text);
    collect(&names, text);
  }
  assert_int_equal(sn_pseudonyms_number(&names, NULL), SEEN_OK);
  assert_int_equal(names.lists[SN_ID_CONVERSATION].count, 120);
  for (i = 0; i < 120; i++) /* by bytes */
    for (k = i + 1; k < 120; k++)
      if (strcmp(ids[k], ids[i]) < 0) {
        char other[16];
        memcpy(other, ids[i], 16);
        memcpy(ids[i], ids[k], 16);
        memcpy(ids[k], other, 16);
      }
  for (i = 0; i < 120; i++) {
    char text[300];
    char want[300];
    snprintf(text, sizeof text, "{\"open\":{\"conv\":\"%s\"}}", ids[i]);
    snprintf(want, sizeof want, "{\"open\":{\"conv\":\"c%03zu\"}}", i + 1);
    check(&names, text, want);
    assert_true(strcmp(last, want) < 0);
    snprintf(last, sizeof last, "%s", want);
  }
  sn_pseudonyms_free(&names);
}

static int all(sn_pseudonyms *names) {
  seen_trace_line *line = line_parse(one);
  seen_trace_line *renamed = NULL;
  int status = sn_pseudonyms_collect(names, line, NULL);

  if (status == SEEN_OK) status = sn_pseudonyms_number(names, NULL);
  if (status == SEEN_OK)
    status = sn_pseudonyms_rename(names, line, &renamed, NULL);
  seen_trace_line_free(renamed);
  seen_trace_line_free(line);
  return status;
}

static void test_names__without_memory_nothing_leaks(void **s) {
  int status = SEEN_ENOMEM;
  uint64_t n;
  (void)s;
  for (n = 1; status == SEEN_ENOMEM; n++) {
    sn_pseudonyms names;
    test_alloc memory;
    test_alloc_init(&memory);
    test_alloc_fail(&memory, n);
    sn_pseudonyms_init(&names, &memory.allocator);
    status = all(&names);
    sn_pseudonyms_free(&names);
    test_alloc_check(&memory);
  }
  assert_int_equal(status, SEEN_OK);
  assert_true(n > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names__each_kind_has_its_own_in_order),
      cmocka_unit_test(test_names__they_sort_as_the_real_ones),
      cmocka_unit_test(test_names__without_memory_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
