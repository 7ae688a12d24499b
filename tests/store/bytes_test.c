#include "store/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

enum { SEED = 7 };

static const uint64_t NUMBERS[] = {0,
                                   1,
                                   127,
                                   128,
                                   16383,
                                   16384,
                                   UINT32_MAX,
                                   UINT64_C(1) << 53,
                                   UINT64_MAX - 1,
                                   UINT64_MAX};
enum { COUNT = sizeof NUMBERS / sizeof *NUMBERS };

static sn_bytes with_numbers(const seen_allocator *memory) {
  sn_bytes bytes;
  sn_bytes_init(&bytes, memory);
  for (size_t i = 0; i < COUNT; i++)
    sn_bytes_number(&bytes, NUMBERS[i]);
  sn_bytes_sum(&bytes, 0, SEED);
  return bytes;
}

static void test_bytes__numbers_come_back(void **state) {
  sn_bytes bytes = with_numbers(seen_allocator_default());
  sn_reader reader = sn_reader_of(bytes.at, bytes.size, SEED);
  (void)state;
  for (size_t i = 0; i < COUNT; i++)
    assert_true(sn_read_number(&reader) == NUMBERS[i]);
  assert_false(reader.bad);
  assert_ptr_equal(reader.at, reader.end);
  sn_bytes_free(&bytes);
}

static void test_bytes__nothing_is_read_past_the_end(void **state) {
  sn_bytes bytes = with_numbers(seen_allocator_default());
  sn_reader reader = sn_reader_of(bytes.at, bytes.size, SEED);
  (void)state;
  for (size_t i = 0; i < COUNT; i++)
    sn_read_number(&reader);
  assert_int_equal(sn_read_number(&reader), 0);
  assert_true(reader.bad);
  sn_bytes_free(&bytes);
}

/* Reads what a piece of these bytes says, its sum being right. */
static sn_reader reader_of(sn_bytes *bytes, const char *text, size_t size) {
  sn_bytes_init(bytes, seen_allocator_default());
  sn_bytes_add(bytes, text, size);
  sn_bytes_sum(bytes, 0, SEED);
  return sn_reader_of(bytes->at, bytes->size, SEED);
}

static void number_is_refused(const char *text, size_t size) {
  sn_bytes bytes;
  sn_reader reader = reader_of(&bytes, text, size);
  assert_false(reader.bad);
  assert_int_equal(sn_read_number(&reader), 0);
  assert_true(reader.bad);
  sn_bytes_free(&bytes);
}

static void test_bytes__a_number_that_does_not_end_is_bad(void **state) {
  (void)state;
  number_is_refused("\xff\xff", 2);
  number_is_refused("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
}

static void test_bytes__a_number_of_65_bits_is_bad(void **state) {
  (void)state;
  number_is_refused("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", 10);
}

static void test_bytes__a_number_is_bounded(void **state) {
  sn_bytes bytes;
  sn_reader reader = reader_of(&bytes, "\x05\x06", 2);
  (void)state;
  assert_int_equal(sn_read_up_to(&reader, 5), 5);
  assert_int_equal(sn_read_up_to(&reader, 5), 0);
  assert_true(reader.bad);
  sn_bytes_free(&bytes);
}

static void test_bytes__text_comes_back_where_it_lies(void **state) {
  sn_bytes bytes;
  sn_reader reader;
  const char *text;
  (void)state;
  sn_bytes_init(&bytes, seen_allocator_default());
  sn_bytes_text(&bytes, "");
  sn_bytes_text(&bytes, "conversation");
  sn_bytes_sum(&bytes, 0, SEED);
  reader = sn_reader_of(bytes.at, bytes.size, SEED);
  assert_string_equal(sn_read_text(&reader), "");
  text = sn_read_text(&reader);
  assert_string_equal(text, "conversation");
  assert_in_range((uintptr_t)text, (uintptr_t)bytes.at,
                  (uintptr_t)bytes.at + bytes.size);
  assert_false(reader.bad);
  sn_bytes_free(&bytes);
}

static void text_is_refused(const char *piece, size_t size) {
  sn_bytes bytes;
  sn_reader reader = reader_of(&bytes, piece, size);
  assert_string_equal(sn_read_text(&reader), "");
  assert_true(reader.bad);
  sn_bytes_free(&bytes);
}

static void test_bytes__text_without_its_end_is_bad(void **state) {
  (void)state;
  text_is_refused("\x03"
                  "abcd",
                  5);
  text_is_refused("\x03"
                  "abc",
                  4);
  text_is_refused("\x03"
                  "ab",
                  3);
}

static void test_bytes__text_with_a_nul_inside_is_bad(void **state) {
  (void)state;
  text_is_refused("\x03"
                  "a\0c\0",
                  5);
}

static void test_bytes__text_that_is_too_long_is_not_written(void **state) {
  char text[SN_ID_MAX + 2];
  sn_bytes bytes;
  (void)state;
  memset(text, 'x', sizeof text);
  text[SN_ID_MAX + 1] = '\0';
  sn_bytes_init(&bytes, seen_allocator_default());
  sn_bytes_text(&bytes, text + 1);
  assert_int_equal(bytes.status, SEEN_OK);
  sn_bytes_text(&bytes, text);
  assert_int_equal(bytes.status, SEEN_EINVAL);
  sn_bytes_empty(&bytes);
  assert_int_equal(bytes.status, SEEN_OK);
  sn_bytes_free(&bytes);
}

static void test_bytes__each_wrong_bit_is_found(void **state) {
  sn_bytes bytes = with_numbers(seen_allocator_default());
  (void)state;
  for (size_t bit = 0; bit < bytes.size * 8; bit++) {
    bytes.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
    assert_true(sn_reader_of(bytes.at, bytes.size, SEED).bad);
    bytes.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  assert_false(sn_reader_of(bytes.at, bytes.size, SEED).bad);
  sn_bytes_free(&bytes);
}

static void test_bytes__each_shorter_piece_is_bad(void **state) {
  sn_bytes bytes = with_numbers(seen_allocator_default());
  (void)state;
  for (size_t size = 0; size < bytes.size; size++)
    assert_true(sn_reader_of(bytes.at, size, SEED).bad);
  assert_true(sn_reader_of(NULL, 0, SEED).bad);
  sn_bytes_free(&bytes);
}

static void test_bytes__another_seed_is_another_sum(void **state) {
  sn_bytes bytes = with_numbers(seen_allocator_default());
  (void)state;
  assert_true(sn_reader_of(bytes.at, bytes.size, SEED + 1).bad);
  sn_bytes_free(&bytes);
}

/* It is kept in files: another sum would make every file corrupt. */
static void test_bytes__the_sum_is_the_same_everywhere(void **state) {
  (void)state;
  assert_true(sn_sum(1, "conversation", 12) == UINT64_C(0x1ab149c6547842d3));
  assert_true(sn_sum(0, "", 0) == UINT64_C(0x0));
}

static void test_bytes__without_memory_nothing_more_is_written(void **state) {
  test_alloc memory;
  sn_bytes bytes;
  (void)state;
  test_alloc_init(&memory);
  test_alloc_fail(&memory, 1);
  bytes = with_numbers(&memory.allocator);
  assert_int_equal(bytes.status, SEEN_ENOMEM);
  assert_int_equal(bytes.size, 0);
  sn_bytes_free(&bytes);
  test_alloc_check(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes__numbers_come_back),
      cmocka_unit_test(test_bytes__nothing_is_read_past_the_end),
      cmocka_unit_test(test_bytes__a_number_that_does_not_end_is_bad),
      cmocka_unit_test(test_bytes__a_number_of_65_bits_is_bad),
      cmocka_unit_test(test_bytes__a_number_is_bounded),
      cmocka_unit_test(test_bytes__text_comes_back_where_it_lies),
      cmocka_unit_test(test_bytes__text_without_its_end_is_bad),
      cmocka_unit_test(test_bytes__text_with_a_nul_inside_is_bad),
      cmocka_unit_test(test_bytes__text_that_is_too_long_is_not_written),
      cmocka_unit_test(test_bytes__each_wrong_bit_is_found),
      cmocka_unit_test(test_bytes__each_shorter_piece_is_bad),
      cmocka_unit_test(test_bytes__another_seed_is_another_sum),
      cmocka_unit_test(test_bytes__the_sum_is_the_same_everywhere),
      cmocka_unit_test(test_bytes__without_memory_nothing_more_is_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
