#include "wire/take.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

/* An object that members are taken of, and all that they need. */
typedef struct stage {
  test_alloc memory;
  sn_arena arena;
  seen_error error;
  sn_json *json;
  sn_taking t;
} stage;

static void begin(stage *on, const char *text) {
  test_alloc_init(&on->memory);
  sn_arena_init(&on->arena, &on->memory.allocator);
  seen_error_init(&on->error);
  assert_int_equal(sn_json_parse(text, strlen(text), &on->json, NULL), 0);
  on->t = (sn_taking){&on->arena, "frame", &on->error, SEEN_OK};
}

static void end(stage *on) {
  sn_json_free(on->json);
  sn_arena_free(&on->arena);
  test_alloc_check(&on->memory);
}

static void test_take__members_come_as_they_are(void **s) {
  stage on;
  (void)s;
  begin(&on, "{\"n\":9007199254740991,\"seq\":1,\"on\":true,"
             "\"name\":\"g_1\",\"text\":\"\\u0001\"}");
  assert_int_equal(sn_take_int(&on.t, on.json, "n"), SEEN_SEQ_MAX);
  assert_int_equal(sn_take_seq(&on.t, on.json, "seq"), 1);
  assert_true(sn_take_bool(&on.t, on.json, "on"));
  assert_string_equal(sn_take_name(&on.t, on.json, "name"), "g_1");
  assert_string_equal(sn_take_text(&on.t, on.json, "text"), "\x01");
  assert_int_equal(on.t.status, SEEN_OK);
  end(&on);
}

static void expect_bad_int(const char *text, const char *message) {
  stage on;
  begin(&on, text);
  assert_int_equal(sn_take_seq(&on.t, on.json, "n"), 0);
  assert_int_equal(on.t.status, SEEN_EPARSE);
  assert_string_equal(on.error.message, message);
  end(&on);
}

static void test_take__a_number_is_an_integer_in_range(void **s) {
  (void)s;
  expect_bad_int("{}", "n in frame: missing");
  expect_bad_int("{\"n\":\"1\"}", "n in frame: of the wrong type");
  expect_bad_int("{\"n\":null}", "n in frame: of the wrong type");
  expect_bad_int("{\"n\":0}", "n in frame: a seq is at least 1");
  expect_bad_int("{\"n\":-1}", "n in frame: no integer from 0 to 2^53 - 1");
  expect_bad_int("{\"n\":1.0}", "n in frame: no integer from 0 to 2^53 - 1");
  expect_bad_int("{\"n\":9007199254740992}",
                 "n in frame: no integer from 0 to 2^53 - 1");
}

static void test_take__the_first_that_is_wrong_is_told(void **s) {
  stage on;
  (void)s;
  begin(&on, "{\"a\":1,\"b\":true}");
  assert_null(sn_take_name(&on.t, on.json, "a"));
  assert_false(sn_take_bool(&on.t, on.json, "b"));
  assert_int_equal(sn_take_int(&on.t, on.json, "a"), 0);
  assert_string_equal(on.error.message, "a in frame: of the wrong type");
  end(&on);
}

static void test_take__what_may_be_left_out_is_nothing(void **s) {
  stage on;
  size_t count = 7;
  (void)s;
  begin(&on, "{}");
  assert_int_equal(sn_take_int_if(&on.t, on.json, "n"), 0);
  assert_false(sn_take_bool_if(&on.t, on.json, "b"));
  assert_null(sn_take_text_if(&on.t, on.json, "t"));
  assert_null(
      sn_take_room(&on.t, sn_take_list(&on.t, on.json, "l", false), 8, &count));
  assert_int_equal(count, 0);
  assert_int_equal(on.t.status, SEEN_OK);
  assert_null(sn_take_list(&on.t, on.json, "l", true));
  assert_int_equal(on.t.status, SEEN_EPARSE);
  end(&on);
}

static void test_take__a_name_has_1_to_64_bytes(void **s) {
  char name[66];
  (void)s;
  memset(name, 'x', sizeof name);
  name[65] = '\0';
  assert_false(sn_is_name(name));
  name[64] = '\0';
  assert_true(sn_is_name(name));
  assert_false(sn_is_name(""));
  assert_false(sn_is_name("a\nb"));
  assert_false(sn_is_name("a\x7f"));
  assert_true(sn_is_name("\xc3\xa9 /?"));
  assert_false(sn_is_name("\xc3"));
}

static void test_take__no_memory_is_no_parse_error(void **s) {
  stage on;
  size_t count;
  (void)s;
  begin(&on, "{\"name\":\"g\",\"list\":[1,2]}");
  test_alloc_fail_on(&on.memory, 1);
  assert_null(sn_take_name(&on.t, on.json, "name"));
  assert_int_equal(on.t.status, SEEN_ENOMEM);
  on.t.status = SEEN_OK;
  assert_null(sn_take_room(&on.t, sn_take_list(&on.t, on.json, "list", true), 8,
                           &count));
  assert_int_equal(on.t.status, SEEN_ENOMEM);
  assert_int_equal(count, 0);
  end(&on);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_take__members_come_as_they_are),
      cmocka_unit_test(test_take__a_number_is_an_integer_in_range),
      cmocka_unit_test(test_take__the_first_that_is_wrong_is_told),
      cmocka_unit_test(test_take__what_may_be_left_out_is_nothing),
      cmocka_unit_test(test_take__a_name_has_1_to_64_bytes),
      cmocka_unit_test(test_take__no_memory_is_no_parse_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
