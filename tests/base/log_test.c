#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct heard {
  int lines;
  seen_log_level level;
  char text[2000];
} heard;

static void hear(seen_log_level level, const char *text, void *user_data) {
  heard *ear = user_data;
  ear->lines++;
  ear->level = level;
  assert_true(strlen(text) < sizeof ear->text);
  memcpy(ear->text, text, strlen(text) + 1);
}

static void test_log__a_line_reaches_the_hook(void **state) {
  heard ear = {0};
  sn_log log = {hear, &ear, SEEN_LOG_WARN};
  (void)state;
  sn_log_write(&log, SEEN_LOG_ERROR, "%s has %u", "g_1", UINT64_C(3));
  assert_int_equal(ear.lines, 1);
  assert_int_equal(ear.level, SEEN_LOG_ERROR);
  assert_string_equal(ear.text, "g_1 has 3");
}

static void test_log__what_is_below_the_level_is_not_said(void **state) {
  heard ear = {0};
  sn_log log = {hear, &ear, SEEN_LOG_WARN};
  (void)state;
  sn_log_write(&log, SEEN_LOG_DEBUG, "a");
  sn_log_write(&log, SEEN_LOG_INFO, "b");
  assert_int_equal(ear.lines, 0);
  sn_log_write(&log, SEEN_LOG_WARN, "c");
  assert_int_equal(ear.lines, 1);
}

static void test_log__without_a_hook_there_is_silence(void **state) {
  sn_log log = {NULL, NULL, SEEN_LOG_DEBUG};
  (void)state;
  sn_log_write(&log, SEEN_LOG_ERROR, "%s", "nobody hears it");
}

static void test_log__a_line_has_no_newline(void **state) {
  heard ear = {0};
  sn_log log = {hear, &ear, SEEN_LOG_DEBUG};
  (void)state;
  sn_log_write(&log, SEEN_LOG_INFO, "id %s", "a\nb");
  assert_string_equal(ear.text, "id a b");
}

static void test_log__a_long_line_is_cut(void **state) {
  heard ear = {0};
  sn_log log = {hear, &ear, SEEN_LOG_DEBUG};
  char id[1501];
  (void)state;
  memset(id, 'x', 1500);
  id[1500] = '\0';
  sn_log_write(&log, SEEN_LOG_INFO, "%s", id);
  assert_int_equal(strlen(ear.text), 1023);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_log__a_line_reaches_the_hook),
      cmocka_unit_test(test_log__what_is_below_the_level_is_not_said),
      cmocka_unit_test(test_log__without_a_hook_there_is_silence),
      cmocka_unit_test(test_log__a_line_has_no_newline),
      cmocka_unit_test(test_log__a_long_line_is_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
