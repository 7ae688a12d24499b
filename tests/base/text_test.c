#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

static void test_fixed__what_fits_is_whole(void **state) {
  char bytes[8];
  sn_text text;
  (void)state;
  sn_text_fixed(&text, bytes, sizeof bytes);
  assert_string_equal(bytes, "");
  sn_text_add(&text, "abc");
  sn_text_add_bytes(&text, "defg.", 4);
  assert_string_equal(bytes, "abcdefg");
  assert_int_equal(text.length, 7);
  assert_int_equal(text.status, SEEN_OK);
}

static void test_fixed__what_does_not_fit_is_cut_and_counted(void **state) {
  char bytes[8];
  sn_text text;
  (void)state;
  sn_text_fixed(&text, bytes, sizeof bytes);
  sn_text_add(&text, "abcd");
  sn_text_add(&text, "efghij");
  assert_string_equal(bytes, "abcdefg");
  sn_text_add(&text, "k");
  assert_string_equal(bytes, "abcdefg");
  assert_int_equal(text.length, 11);
}

static void test_fixed__a_full_text_is_not_cut(void **state) {
  char bytes[4];
  sn_text text;
  (void)state;
  sn_text_fixed(&text, bytes, sizeof bytes);
  sn_text_add(&text, "abc");
  sn_text_add(&text, "");
  assert_string_equal(bytes, "abc");
  sn_text_add(&text, "d");
  assert_string_equal(bytes, "abc");
  assert_int_equal(text.length, 4);
}

static void
test_fixed__a_character_is_not_cut_nor_what_follows_added(void **state) {
  char bytes[6];
  sn_text text;
  (void)state;
  sn_text_fixed(&text, bytes, sizeof bytes);
  sn_text_add(&text, "abc\xe2\x82\xac"); /* the euro needs three bytes */
  sn_text_add(&text, "d");
  assert_string_equal(bytes, "abc");
  assert_int_equal(text.length, 7);
}

static void test_fixed__nothing_is_written_outside(void **state) {
  char bytes[6] = "12345";
  sn_text text;
  (void)state;
  sn_text_fixed(&text, bytes + 2, 0);
  sn_text_add(&text, "abc");
  assert_string_equal(bytes, "12345");
  assert_int_equal(text.length, 3);
  sn_text_fixed(&text, bytes + 2, 1);
  sn_text_add(&text, "abc");
  assert_memory_equal(bytes,
                      "12\0"
                      "45",
                      6);
  assert_int_equal(text.length, 3);
}

static void test_growing__it_holds_whatever_is_added(void **state) {
  test_alloc memory;
  sn_text text;
  size_t i;
  (void)state;
  test_alloc_init(&memory);
  sn_text_growing(&text, &memory.allocator);
  for (i = 0; i < 1000; i++)
    sn_text_add(&text, "abc");
  assert_int_equal(text.status, SEEN_OK);
  assert_int_equal(text.length, 3000);
  assert_int_equal(strlen(text.bytes), 3000);
  for (i = 0; i < 3000; i++)
    assert_int_equal(text.bytes[i], "abc"[i % 3]);
  assert_true(memory.calls < 30);
  sn_text_free(&text);
  test_alloc_check(&memory);
}

static void test_growing__once_failed_it_stays_failed(void **state) {
  test_alloc memory;
  sn_text text;
  (void)state;
  test_alloc_init(&memory);
  sn_text_growing(&text, &memory.allocator);
  sn_text_add(&text, "abc");
  test_alloc_fail(&memory, 1);
  sn_text_add(&text, "a text that is longer than what there is room for");
  assert_int_equal(text.status, SEEN_ENOMEM);
  sn_text_add(&text, "d");
  assert_int_equal(text.status, SEEN_ENOMEM);
  assert_string_equal(text.bytes, "abc");
  assert_int_equal(text.length, 3);
  sn_text_free(&text);
  test_alloc_check(&memory);
}

static void test_growing__one_that_nothing_was_added_to_is_free(void **state) {
  test_alloc memory;
  sn_text text;
  (void)state;
  test_alloc_init(&memory);
  sn_text_growing(&text, &memory.allocator);
  sn_text_one_line(&text);
  sn_text_free(&text);
  assert_int_equal(memory.calls, 0);
}

static void test_number__every_size_of_it(void **state) {
  char bytes[80];
  sn_text text;
  (void)state;
  sn_text_fixed(&text, bytes, sizeof bytes);
  sn_text_add_number(&text, 0);
  sn_text_add(&text, " ");
  sn_text_add_number(&text, 10);
  sn_text_add(&text, " ");
  sn_text_add_number(&text, UINT64_MAX);
  assert_string_equal(bytes, "0 10 18446744073709551615");
}

static void test_format__it_takes_strings_numbers_and_percents(void **state) {
  char bytes[80];
  sn_text text;
  (void)state;
  sn_text_fixed(&text, bytes, sizeof bytes);
  sn_text_format(&text, "%s: seq %u of %u, %u%%", "g_1", UINT64_C(7),
                 UINT64_C(9007199254740991), UINT64_C(0));
  assert_string_equal(bytes, "g_1: seq 7 of 9007199254740991, 0%");
  sn_text_format(&text, "");
  sn_text_format(&text, "%");
  assert_string_equal(bytes, "g_1: seq 7 of 9007199254740991, 0%%");
}

static void test_one_line__control_characters_become_spaces(void **state) {
  char bytes[20];
  sn_text text;
  (void)state;
  sn_text_fixed(&text, bytes, sizeof bytes);
  sn_text_add(&text, "a\nb\tc\x7f\xc3\xa4\r");
  sn_text_one_line(&text);
  assert_string_equal(bytes, "a b c \xc3\xa4 ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fixed__what_fits_is_whole),
      cmocka_unit_test(test_fixed__what_does_not_fit_is_cut_and_counted),
      cmocka_unit_test(test_fixed__a_full_text_is_not_cut),
      cmocka_unit_test(
          test_fixed__a_character_is_not_cut_nor_what_follows_added),
      cmocka_unit_test(test_fixed__nothing_is_written_outside),
      cmocka_unit_test(test_growing__it_holds_whatever_is_added),
      cmocka_unit_test(test_growing__once_failed_it_stays_failed),
      cmocka_unit_test(test_growing__one_that_nothing_was_added_to_is_free),
      cmocka_unit_test(test_number__every_size_of_it),
      cmocka_unit_test(test_format__it_takes_strings_numbers_and_percents),
      cmocka_unit_test(test_one_line__control_characters_become_spaces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
