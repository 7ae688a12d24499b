#include "net/split.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The items, with "|" behind each, and "!" where the array is bad. */
static const char *split(const char *text) {
  static char found[200];
  const char *item;
  size_t length;
  sn_split items;
  sn_split_found what = SN_SPLIT_BAD;

  *found = '\0';
  if (sn_split_begin(text, strlen(text), &items))
    while ((what = sn_split_next(&items, &item, &length)) == SN_SPLIT_ONE) {
      strncat(found, item, length);
      strcat(found, "|");
    }
  if (what == SN_SPLIT_BAD) strcat(found, "!");
  return found;
}

static void test_split__gives_each_item_as_it_stands(void **state) {
  (void)state;
  assert_string_equal(split("[]"), "");
  assert_string_equal(split(" [ ] \n"), "");
  assert_string_equal(split("[{\"a\":1}]"), "{\"a\":1}|");
  assert_string_equal(split("[ {\"a\" : 1} , 2 ]"), "{\"a\" : 1}|2|");
  assert_string_equal(split("[[1,2],{\"a\":[3]}]"), "[1,2]|{\"a\":[3]}|");
}

static void test_split__strings_hide_brackets_and_commas(void **state) {
  (void)state;
  assert_string_equal(split("[\"],[\",\"}\"]"), "\"],[\"|\"}\"|");
  assert_string_equal(split("[\"\\\",]\",1]"), "\"\\\",]\"|1|");
  assert_string_equal(split("[\"\\\\\",1]"), "\"\\\\\"|1|");
}

static void test_split__what_has_no_end_is_bad(void **state) {
  static const char *const bad[] = {
      "",    "{}",    "1",    "[",     "[1",    "[1,",    "[,1]", "[1,]",
      "[{]", "[\"a]", "[1]]", "[1] 2", "[\"\\", "[1,,2]", "[}]",  "<html>"};
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *found = split(bad[i]);
    if (found[strlen(found) - 1] != '!') fail_msg("%s: %s", bad[i], found);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_split__gives_each_item_as_it_stands),
      cmocka_unit_test(test_split__strings_hide_brackets_and_commas),
      cmocka_unit_test(test_split__what_has_no_end_is_bad),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
