#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

static void
test_memory__the_default_allocator_gives_resizes_and_takes(void **state) {
  const seen_allocator *memory = seen_allocator_default();
  char *block = memory->allocate(4, memory->user_data);
  (void)state;
  assert_non_null(block);
  memcpy(block, "abc", 4);
  block = memory->resize(block, 4000, memory->user_data);
  assert_non_null(block);
  assert_string_equal(block, "abc");
  memory->release(block, memory->user_data);
  memory->release(NULL, memory->user_data);
}

static void test_memory__zeroed_memory_is_zero(void **state) {
  test_alloc memory;
  unsigned char *block;
  size_t i;
  (void)state;
  test_alloc_init(&memory);
  block = sn_allocate_zero(&memory.allocator, 100);
  for (i = 0; i < 100; i++)
    assert_int_equal(block[i], 0);
  sn_release(&memory.allocator, block);
  test_alloc_check(&memory);
}

static void test_memory__a_size_of_0_is_never_asked_for(void **state) {
  test_alloc memory;
  void *block;
  (void)state;
  test_alloc_init(&memory);
  block = sn_allocate(&memory.allocator, 0);
  assert_non_null(block);
  sn_release(&memory.allocator, block);
  sn_release(&memory.allocator, NULL);
  test_alloc_check(&memory);
}

static void test_memory__what_fails_is_null(void **state) {
  test_alloc memory;
  (void)state;
  test_alloc_init(&memory);
  test_alloc_fail_on(&memory, 1);
  assert_null(sn_allocate(&memory.allocator, 1));
  assert_null(sn_allocate_zero(&memory.allocator, 1));
  assert_null(sn_copy_text(&memory.allocator, "a", 1));
  assert_int_equal(memory.failures, 3);
}

static void test_memory__a_copy_of_text_ends_with_a_nul(void **state) {
  test_alloc memory;
  char *some;
  char *none;
  (void)state;
  test_alloc_init(&memory);
  some = sn_copy_text(&memory.allocator, "abcdef", 3);
  none = sn_copy_text(&memory.allocator, NULL, 0);
  assert_string_equal(some, "abc");
  assert_string_equal(none, "");
  assert_null(sn_copy_text(&memory.allocator, "abc", SIZE_MAX));
  sn_release(&memory.allocator, some);
  sn_release(&memory.allocator, none);
  test_alloc_check(&memory);
}

static void test_reserve__appending_is_amortised(void **state) {
  test_alloc memory;
  uint32_t *items = NULL;
  size_t capacity = 0;
  uint32_t i;
  (void)state;
  test_alloc_init(&memory);
  for (i = 0; i < 10000; i++) {
    assert_int_equal(
        SN_RESERVE(&memory.allocator, &items, &capacity, (size_t)i + 1),
        SEEN_OK);
    items[i] = i;
  }
  for (i = 0; i < 10000; i++)
    assert_int_equal(items[i], i);
  assert_in_range(memory.calls, 1, 42); /* log 10000 to the base 1.25 */
  assert_true(capacity <= 12502);
  sn_release(&memory.allocator, items);
  test_alloc_check(&memory);
}

static void test_reserve__room_that_is_there_costs_nothing(void **state) {
  test_alloc memory;
  uint32_t *items = NULL;
  size_t capacity = 0;
  (void)state;
  test_alloc_init(&memory);
  assert_int_equal(SN_RESERVE(&memory.allocator, &items, &capacity, 100),
                   SEEN_OK);
  assert_int_equal(
      sn_reserve(&memory.allocator, (void **)&items, 4, &capacity, 100),
      SEEN_OK);
  assert_int_equal(memory.calls, 1);
  sn_release(&memory.allocator, items);
}

static void test_reserve__a_failure_changes_nothing(void **state) {
  test_alloc memory;
  uint32_t *items = NULL;
  uint32_t *before;
  size_t capacity = 0;
  size_t had;
  (void)state;
  test_alloc_init(&memory);
  assert_int_equal(SN_RESERVE(&memory.allocator, &items, &capacity, 3),
                   SEEN_OK);
  items[2] = 7;
  before = items;
  had = capacity;
  test_alloc_fail(&memory, 1);
  assert_int_equal(SN_RESERVE(&memory.allocator, &items, &capacity, 1000),
                   SEEN_ENOMEM);
  assert_ptr_equal(items, before);
  assert_int_equal(capacity, had);
  assert_int_equal(items[2], 7);
  sn_release(&memory.allocator, items);
  test_alloc_check(&memory);
}

static void test_reserve__a_size_that_overflows_is_refused(void **state) {
  test_alloc memory;
  uint64_t *items = NULL;
  size_t capacity = 0;
  (void)state;
  test_alloc_init(&memory);
  assert_int_equal(
      SN_RESERVE(&memory.allocator, &items, &capacity, SIZE_MAX / 8 + 1),
      SEEN_ENOMEM);
  assert_int_equal(memory.calls, 0);
  assert_null(items);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(
          test_memory__the_default_allocator_gives_resizes_and_takes),
      cmocka_unit_test(test_memory__zeroed_memory_is_zero),
      cmocka_unit_test(test_memory__a_size_of_0_is_never_asked_for),
      cmocka_unit_test(test_memory__what_fails_is_null),
      cmocka_unit_test(test_memory__a_copy_of_text_ends_with_a_nul),
      cmocka_unit_test(test_reserve__appending_is_amortised),
      cmocka_unit_test(test_reserve__room_that_is_there_costs_nothing),
      cmocka_unit_test(test_reserve__a_failure_changes_nothing),
      cmocka_unit_test(test_reserve__a_size_that_overflows_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
