#include "client/entries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void begin(sn_text *text) {
  sn_text_growing(text, seen_allocator_default());
}

static const uint8_t *bytes_of(const sn_text *text) {
  return (const uint8_t *)text->bytes;
}

static sn_entry entry_of(bool has_at, uint64_t at, const char *text) {
  return (sn_entry){has_at, at, (const uint8_t *)text, strlen(text)};
}

static void test_head__its_number_comes_back(void **s) {
  uint64_t number = 0;
  sn_text text;
  size_t i;
  (void)s;
  begin(&text);
  sn_head_add(&text, UINT64_C(0x123456789abcdef));
  assert_int_equal(text.length, SN_HEAD_SIZE);
  assert_true(sn_head_read(bytes_of(&text), text.length, &number));
  assert_true(number == UINT64_C(0x123456789abcdef));
  assert_false(sn_head_read(bytes_of(&text), text.length - 1, &number));
  for (i = 0; i < SN_HEAD_SIZE; i++) {
    text.bytes[i] ^= 1;
    assert_false(sn_head_read(bytes_of(&text), text.length, &number));
    text.bytes[i] ^= 1;
  }
  sn_text_free(&text);
}

static void add_three(sn_text *text) {
  begin(text);
  sn_entry_add(text, 7, entry_of(false, 0, "no time"));
  sn_entry_add(text, 7, (sn_entry){0});
  sn_entry_add(text, 7, entry_of(true, SEEN_SEQ_MAX, "late"));
}

static void test_entry__each_comes_back(void **s) {
  const uint8_t *at;
  const uint8_t *end;
  sn_entry entry;
  sn_text text;
  (void)s;
  add_three(&text);
  at = bytes_of(&text);
  end = at + text.length;
  assert_true(sn_entry_next(&at, end, 7, &entry));
  assert_false(entry.has_at);
  assert_int_equal(entry.size, 7);
  assert_memory_equal(entry.bytes, "no time", 7);
  assert_true(sn_entry_next(&at, end, 7, &entry));
  assert_int_equal(entry.size, 0);
  assert_true(sn_entry_next(&at, end, 7, &entry));
  assert_true(entry.has_at);
  assert_true(entry.at == SEEN_SEQ_MAX);
  assert_memory_equal(entry.bytes, "late", 4);
  assert_false(sn_entry_next(&at, end, 7, &entry));
  sn_text_free(&text);
}

/* How many entries are whole. */
static size_t whole(const uint8_t *at, size_t size, uint64_t number) {
  const uint8_t *end = at + size;
  size_t count = 0;
  sn_entry entry;

  while (sn_entry_next(&at, end, number, &entry))
    count++;
  return count;
}

static void test_entry__a_torn_tail_is_none(void **s) {
  size_t last = 4 + 8 + 1 + 4; /* text, time, size, sum */
  sn_text text;
  size_t size;
  (void)s;
  add_three(&text);
  assert_int_equal(whole(bytes_of(&text), text.length, 7), 3);
  for (size = text.length - last; size < text.length; size++)
    assert_int_equal(whole(bytes_of(&text), size, 7), 2);
  sn_text_free(&text);
}

static void test_entry__a_byte_that_is_wrong_ends_what_can_be_read(void **s) {
  sn_text text;
  size_t i;
  (void)s;
  add_three(&text);
  for (i = 0; i < text.length; i++) {
    text.bytes[i] ^= 4;
    assert_in_range(whole(bytes_of(&text), text.length, 7), 0, 2);
    text.bytes[i] ^= 4;
  }
  sn_text_free(&text);
}

static void test_entry__of_another_file_it_is_none(void **s) {
  sn_text text;
  (void)s;
  add_three(&text);
  assert_int_equal(whole(bytes_of(&text), text.length, 8), 0);
  sn_text_free(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_head__its_number_comes_back),
      cmocka_unit_test(test_entry__each_comes_back),
      cmocka_unit_test(test_entry__a_torn_tail_is_none),
      cmocka_unit_test(test_entry__a_byte_that_is_wrong_ends_what_can_be_read),
      cmocka_unit_test(test_entry__of_another_file_it_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
