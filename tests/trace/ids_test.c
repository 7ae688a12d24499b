#include "trace/ids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/line.h"

enum { FOUND_SIZE = 200 };

/* Notes each id by its kind, and puts another in its place. */
static int note(sn_id_kind kind, const char **id, void *user_data) {
  static const char *const others[] = {"C", "P", "D"};
  char *text = user_data;
  size_t size = strlen(text);

  snprintf(text + size, FOUND_SIZE - size, "%s%s%s", size > 0 ? " " : "",
           others[kind], *id);
  *id = others[kind];
  return SEEN_OK;
}

static void check(const char *text, const char *ids, const char *renamed) {
  seen_trace_line *line = line_parse(text);
  char found[FOUND_SIZE] = "";

  assert_int_equal(sn_line_ids(line, note, found), SEEN_OK);
  assert_string_equal(found, ids);
  assert_string_equal(line_write(line), renamed);
  seen_trace_line_free(line);
}

static void test_ids__of_this_user(void **s) {
  (void)s;
  check("{\"me\":{\"user\":\"u1\",\"device\":\"d1\"}}", "Pu1 Dd1",
        "{\"me\":{\"user\":\"P\",\"device\":\"D\"}}");
  check("{\"me\":{\"user\":\"u1\"}}", "Pu1", "{\"me\":{\"user\":\"P\"}}");
}

static void test_ids__of_inputs(void **s) {
  (void)s;
  check("{\"message\":{\"conv\":\"g\",\"seq\":1,\"from\":\"u2\"}}", "Cg Pu2",
        "{\"message\":{\"conv\":\"C\",\"seq\":1,\"from\":\"P\"}}");
  check("{\"members\":{\"conv\":\"g\",\"joined\":[{\"user\":\"u3\",\"seq\":3}],"
        "\"left\":[{\"user\":\"u4\",\"seq\":4}]}}",
        "Cg Pu3 Pu4",
        "{\"members\":{\"conv\":\"C\",\"joined\":[{\"user\":\"P\",\"seq\":3}],"
        "\"left\":[{\"user\":\"P\",\"seq\":4}]}}");
  check("{\"peer\":{\"conv\":\"g\",\"user\":\"u2\"}}", "Cg Pu2",
        "{\"peer\":{\"conv\":\"C\",\"user\":\"P\"}}");
  check("{\"refuse\":{\"conv\":\"g\",\"code\":\"not_member\"}}", "Cg",
        "{\"refuse\":{\"conv\":\"C\",\"code\":\"not_member\"}}");
  check("{\"read_all\":{}}", "", "{\"read_all\":{}}");
  check("{\"link\":\"up\"}", "", "{\"link\":\"up\"}");
}

static void test_ids__of_a_snapshot(void **s) {
  (void)s;
  check("{\"conversation\":{\"id\":\"g\",\"kind\":\"group\",\"read\":{"
        "\"epoch\":0,"
        "\"seq\":0},\"last_seq\":3,\"uncountable\":[1],\"mentions\":[2],"
        "\"roster\":[{\"user\":\"u1\"},{\"user\":\"u2\"}]}}",
        "Cg Pu1 Pu2",
        "{\"conversation\":{\"id\":\"C\",\"kind\":\"group\",\"read\":{"
        "\"epoch\":0,"
        "\"seq\":0},\"last_seq\":3,\"uncountable\":[1],\"mentions\":[2],"
        "\"roster\":[{\"user\":\"P\"},{\"user\":\"P\"}]}}");
}

static void test_ids__of_a_state_and_what_was_written(void **s) {
  (void)s;
  check(
      "{\"state\":{\"conv\":\"g\",\"kind\":\"group\",\"senders\":[{\"from\":1,"
      "\"to\":2,\"user\":\"u2\"}],\"members\":[{\"user\":\"u3\"}],\"peers\":[{"
      "\"user\":\"u4\"}],\"working\":{\"unwritten\":true},\"written\":{"
      "\"kind\":\"group\",\"members\":[{\"user\":\"u5\"}]}}}",
      "Cg Pu2 Pu3 Pu4 Pu5",
      "{\"state\":{\"conv\":\"C\",\"kind\":\"group\",\"senders\":[{\"from\":1,"
      "\"to\":2,\"user\":\"P\"}],\"members\":[{\"user\":\"P\"}],\"peers\":[{"
      "\"user\":\"P\"}],\"working\":{\"unwritten\":true},\"written\":{"
      "\"kind\":\"group\",\"members\":[{\"user\":\"P\"}]}}}");
  check("{\"state\":{\"conv\":\"g\"}}", "Cg", "{\"state\":{\"conv\":\"C\"}}");
  check("{\"state\":{\"link\":\"down\"}}", "",
        "{\"state\":{\"link\":\"down\"}}");
}

static int refuse(sn_id_kind kind, const char **id, void *user_data) {
  (void)kind;
  (void)id;
  ++*(int *)user_data;
  return SEEN_ENOMEM;
}

static void test_ids__a_visit_can_end_it(void **s) {
  seen_trace_line *line =
      line_parse("{\"message\":{\"conv\":\"g\",\"seq\":1,\"from\":\"u2\"}}");
  int visits = 0;
  (void)s;
  assert_int_equal(sn_line_ids(line, refuse, &visits), SEEN_ENOMEM);
  assert_int_equal(visits, 1);
  seen_trace_line_free(line);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ids__of_this_user),
      cmocka_unit_test(test_ids__of_inputs),
      cmocka_unit_test(test_ids__of_a_snapshot),
      cmocka_unit_test(test_ids__of_a_state_and_what_was_written),
      cmocka_unit_test(test_ids__a_visit_can_end_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
