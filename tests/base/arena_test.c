#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

static void test_arena__pieces_are_zero_and_aligned(void **s) {
  test_alloc memory;
  sn_arena arena;
  size_t i;
  (void)s;
  test_alloc_init(&memory);
  sn_arena_init(&arena, &memory.allocator);
  for (i = 1; i < 200; i++) {
    unsigned char *piece = sn_arena_allocate(&arena, i, 3);
    size_t k;
    assert_non_null(piece);
    assert_int_equal((uintptr_t)piece % sizeof(uint64_t), 0);
    for (k = 0; k < 3 * i; k++)
      assert_int_equal(piece[k], 0);
    memset(piece, 0xff, 3 * i);
  }
  sn_arena_free(&arena);
  test_alloc_check(&memory);
}

static void test_arena__a_piece_may_be_large(void **s) {
  test_alloc memory;
  sn_arena arena;
  char *small;
  char *large;
  (void)s;
  test_alloc_init(&memory);
  sn_arena_init(&arena, &memory.allocator);
  small = sn_arena_copy(&arena, "small");
  large = sn_arena_allocate(&arena, 100000, 8);
  assert_non_null(large);
  memset(large, 1, 800000);
  assert_string_equal(small, "small");
  sn_arena_free(&arena);
  test_alloc_check(&memory);
}

static void test_arena__small_pieces_share_a_block(void **s) {
  test_alloc memory;
  sn_arena arena;
  int i;
  (void)s;
  test_alloc_init(&memory);
  sn_arena_init(&arena, &memory.allocator);
  for (i = 0; i < 50; i++)
    assert_non_null(sn_arena_copy(&arena, "u1"));
  assert_int_equal(memory.blocks, 1);
  sn_arena_free(&arena);
  sn_arena_free(&arena);
  test_alloc_check(&memory);
}

static void test_arena__without_memory_there_is_no_piece(void **s) {
  test_alloc memory;
  sn_arena arena;
  (void)s;
  test_alloc_init(&memory);
  sn_arena_init(&arena, &memory.allocator);
  test_alloc_fail(&memory, 1);
  assert_null(sn_arena_copy(&arena, "u1"));
  assert_non_null(sn_arena_copy(&arena, "u1"));
  assert_null(sn_arena_allocate(&arena, SIZE_MAX / 2, 3));
  assert_null(sn_arena_allocate(&arena, SIZE_MAX - 20, 1));
  sn_arena_free(&arena);
  test_alloc_check(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arena__pieces_are_zero_and_aligned),
      cmocka_unit_test(test_arena__a_piece_may_be_large),
      cmocka_unit_test(test_arena__small_pieces_share_a_block),
      cmocka_unit_test(test_arena__without_memory_there_is_no_piece),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
