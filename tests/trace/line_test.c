#include "trace/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

static void test_line__it_is_blank_and_ends_with_its_arena(void **s) {
  test_alloc memory;
  sn_arena *arena;
  seen_trace_line *line;
  (void)s;
  test_alloc_init(&memory);
  line = sn_line_new(&memory.allocator, &arena);
  assert_non_null(line);
  assert_int_equal(line->size, sizeof *line);
  assert_int_equal(line->type, SEEN_TRACE_BLANK);
  assert_false(line->has_at);
  assert_string_equal(sn_arena_copy(arena, "id"), "id");
  seen_trace_line_free(line);
  test_alloc_check(&memory);
}

static void test_line__without_memory_there_is_none(void **s) {
  test_alloc memory;
  sn_arena *arena;
  (void)s;
  test_alloc_init(&memory);
  test_alloc_fail(&memory, 1);
  assert_null(sn_line_new(&memory.allocator, &arena));
  test_alloc_check(&memory);
}

static void test_line__the_default_allocator_is_null(void **s) {
  sn_arena *arena;
  seen_trace_line *line = sn_line_new(NULL, &arena);
  (void)s;
  assert_ptr_equal(arena->memory, seen_allocator_default());
  seen_trace_line_free(line);
  seen_trace_line_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_line__it_is_blank_and_ends_with_its_arena),
      cmocka_unit_test(test_line__without_memory_there_is_none),
      cmocka_unit_test(test_line__the_default_allocator_is_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
