#include "base/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <seen/error.h>

#include "support/alloc.h"

/* How many entries with the hash have the value. */
static int found(const sn_table *table, uint32_t hash, uint32_t value) {
  sn_probe probe;
  uint32_t v;
  int times = 0;
  for (v = sn_table_first(table, hash, &probe); v;
       v = sn_table_next(table, &probe))
    times += v == value;
  return times;
}

static void add(test_alloc *memory, sn_table *table, uint32_t hash,
                uint32_t value) {
  assert_int_equal(sn_table_reserve(&memory->allocator, table, 1), SEEN_OK);
  sn_table_add(table, hash, value);
}

static void test_table__an_empty_one_has_nothing(void **state) {
  sn_table table = {NULL, 0, 0};
  (void)state;
  assert_int_equal(found(&table, 0, 0), 0);
  assert_int_equal(found(&table, 77, 1), 0);
}

static void test_table__all_is_found_after_it_grew(void **state) {
  test_alloc memory;
  sn_table table = {NULL, 0, 0};
  uint32_t i;
  (void)state;
  test_alloc_init(&memory);
  for (i = 1; i <= 20000; i++)
    add(&memory, &table, sn_hash_number(3, i), i);
  assert_int_equal(table.count, 20000);
  for (i = 1; i <= 20000; i++)
    assert_int_equal(found(&table, sn_hash_number(3, i), i), 1);
  for (i = 20001; i <= 40000; i++)
    assert_int_equal(found(&table, sn_hash_number(3, i), i), 0);
  sn_table_free(&memory.allocator, &table);
  test_alloc_check(&memory);
}

static void test_table__equal_hashes_are_all_found(void **state) {
  test_alloc memory;
  sn_table table = {NULL, 0, 0};
  uint32_t i;
  (void)state;
  test_alloc_init(&memory);
  for (i = 1; i <= 300; i++)
    add(&memory, &table, 42, i);
  for (i = 1; i <= 300; i++)
    assert_int_equal(found(&table, 42, i), 1);
  assert_int_equal(found(&table, 43, 1), 0);
  sn_table_free(&memory.allocator, &table);
  test_alloc_check(&memory);
}

/* The hashes meet in the last place of the table and go on in the first. */
static void
test_table__different_hashes_in_one_place_are_kept_apart(void **state) {
  test_alloc memory;
  sn_table table = {NULL, 0, 0};
  uint32_t i;
  (void)state;
  test_alloc_init(&memory);
  for (i = 1; i <= 100; i++)
    add(&memory, &table, i << 16 | 0xffff, i);
  for (i = 1; i <= 100; i++) {
    assert_int_equal(found(&table, i << 16 | 0xffff, i), 1);
    assert_int_equal(found(&table, i << 16 | 0xffff, i % 100 + 1), 0);
  }
  sn_table_free(&memory.allocator, &table);
}

static void test_table__what_was_reserved_needs_no_memory(void **state) {
  test_alloc memory;
  sn_table table = {NULL, 0, 0};
  sn_table_entry *entries;
  uint32_t i;
  (void)state;
  test_alloc_init(&memory);
  assert_int_equal(sn_table_reserve(&memory.allocator, &table, 1000), SEEN_OK);
  entries = table.entries;
  for (i = 1; i <= 1000; i++) {
    assert_int_equal(sn_table_reserve(&memory.allocator, &table, 1001 - i),
                     SEEN_OK);
    sn_table_add(&table, sn_hash_number(0, i), i);
  }
  assert_ptr_equal(table.entries, entries);
  assert_int_equal(memory.calls, 1);
  assert_true(table.count <= (table.mask + 1) / 4 * 3);
  sn_table_free(&memory.allocator, &table);
}

static void test_table__to_reserve_nothing_needs_no_memory(void **state) {
  test_alloc memory;
  sn_table table = {NULL, 0, 0};
  (void)state;
  test_alloc_init(&memory);
  assert_int_equal(sn_table_reserve(&memory.allocator, &table, 0), SEEN_OK);
  assert_int_equal(memory.calls, 0);
}

static void test_table__a_failure_changes_nothing(void **state) {
  test_alloc memory;
  sn_table table = {NULL, 0, 0};
  sn_table before;
  (void)state;
  test_alloc_init(&memory);
  add(&memory, &table, 5, 9);
  before = table;
  test_alloc_fail(&memory, 1);
  assert_int_equal(sn_table_reserve(&memory.allocator, &table, 100),
                   SEEN_ENOMEM);
  assert_memory_equal(&table, &before, sizeof table);
  assert_int_equal(found(&table, 5, 9), 1);
  sn_table_free(&memory.allocator, &table);
  test_alloc_check(&memory);
}

static void test_table__more_than_there_can_be_is_refused(void **state) {
  test_alloc memory;
  sn_table table = {NULL, 0, 0};
  (void)state;
  test_alloc_init(&memory);
  add(&memory, &table, 1, 1);
  assert_int_equal(sn_table_reserve(&memory.allocator, &table, SIZE_MAX),
                   SEEN_ENOMEM);
  assert_int_equal(sn_table_reserve(&memory.allocator, &table, UINT32_MAX),
                   SEEN_ENOMEM);
  assert_int_equal(memory.calls, 1);
  sn_table_free(&memory.allocator, &table);
}

static void
test_table__a_cleared_one_is_empty_and_keeps_its_room(void **state) {
  test_alloc memory;
  sn_table table = {NULL, 0, 0};
  (void)state;
  test_alloc_init(&memory);
  sn_table_clear(&table);
  add(&memory, &table, 1, 1);
  sn_table_clear(&table);
  assert_int_equal(table.count, 0);
  assert_int_equal(found(&table, 1, 1), 0);
  add(&memory, &table, 2, 2);
  assert_int_equal(memory.calls, 1);
  assert_int_equal(found(&table, 2, 2), 1);
  sn_table_free(&memory.allocator, &table);
  test_alloc_check(&memory);
}

static void test_hash__every_byte_the_size_and_the_seed_matter(void **state) {
  unsigned char bytes[32] = {0};
  uint32_t seen[200];
  size_t count = 0;
  size_t size;
  size_t i;
  size_t j;
  (void)state;
  for (size = 0; size <= 32; size++)
    seen[count++] = sn_hash_bytes(0, bytes, size);
  for (i = 0; i < 32; i++) {
    bytes[i] = 1;
    seen[count++] = sn_hash_bytes(0, bytes, 32);
    bytes[i] = 0;
  }
  for (i = 1; i <= 32; i++)
    seen[count++] = sn_hash_bytes(i, bytes, 32);
  for (i = 1; i <= 32; i++)
    seen[count++] = sn_hash_number(i << 32, 0);
  for (i = 1; i <= 32; i++)
    seen[count++] = sn_hash_number(0, i);
  for (i = 0; i < count; i++)
    for (j = 0; j < i; j++)
      assert_int_not_equal(seen[i], seen[j]);
}

static void test_hash__the_same_bytes_anywhere_are_the_same(void **state) {
  char here[] = "conversation";
  char there[] = ".conversation";
  (void)state;
  assert_int_equal(sn_hash_bytes(7, here, 12), sn_hash_bytes(7, there + 1, 12));
}

/* The longest row of entries that a look-up has to walk. */
static uint32_t longest_row(const sn_table *table) {
  uint32_t longest = 0;
  uint32_t row = 0;
  uint32_t i;
  for (i = 0; i <= table->mask; i++) {
    row = table->entries[i].value ? row + 1 : 0;
    if (row > longest) longest = row;
  }
  return longest;
}

static void test_hash__ids_that_differ_little_are_spread(void **state) {
  test_alloc memory;
  sn_table table = {NULL, 0, 0};
  char id[] = "g_000000";
  uint32_t i;
  uint32_t n;
  int at;
  (void)state;
  test_alloc_init(&memory);
  for (i = 1; i <= 98304; i++) { /* 3/4 of 2^17 */
    for (n = i, at = 7; at >= 2; at--, n /= 10)
      id[at] = (char)('0' + n % 10);
    add(&memory, &table, sn_hash_bytes(1, id, 8), i);
  }
  assert_in_range(longest_row(&table), 1, 250);
  sn_table_clear(&table);
  for (i = 1; i <= 98304; i++)
    sn_table_add(&table, sn_hash_number(1, i), i);
  assert_in_range(longest_row(&table), 1, 250);
  sn_table_free(&memory.allocator, &table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table__an_empty_one_has_nothing),
      cmocka_unit_test(test_table__all_is_found_after_it_grew),
      cmocka_unit_test(test_table__equal_hashes_are_all_found),
      cmocka_unit_test(
          test_table__different_hashes_in_one_place_are_kept_apart),
      cmocka_unit_test(test_table__what_was_reserved_needs_no_memory),
      cmocka_unit_test(test_table__to_reserve_nothing_needs_no_memory),
      cmocka_unit_test(test_table__a_failure_changes_nothing),
      cmocka_unit_test(test_table__more_than_there_can_be_is_refused),
      cmocka_unit_test(test_table__a_cleared_one_is_empty_and_keeps_its_room),
      cmocka_unit_test(test_hash__every_byte_the_size_and_the_seed_matter),
      cmocka_unit_test(test_hash__the_same_bytes_anywhere_are_the_same),
      cmocka_unit_test(test_hash__ids_that_differ_little_are_spread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
