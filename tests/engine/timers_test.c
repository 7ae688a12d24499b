#include "engine/timers.h"

#include "support/engine.h"
#include "support/random.h"

enum { CONVS = 200 };

typedef struct bench {
  test_alloc memory;
  sn_timers timers;
  uint32_t places[CONVS];
  uint64_t dues[CONVS]; /* the model: SEEN_NEVER, or when */
} bench;

static void begin(bench *b) {
  *b = (bench){0};
  test_alloc_init(&b->memory);
  for (size_t i = 0; i < CONVS; i++)
    b->dues[i] = SEEN_NEVER;
  assert_int_equal(sn_timers_reserve(&b->memory.allocator, &b->timers, CONVS),
                   SEEN_OK);
}

static void end(bench *b) {
  sn_timers_free(&b->memory.allocator, &b->timers);
  test_alloc_check(&b->memory);
}

static void set(bench *b, size_t i, uint64_t due) {
  b->dues[i] = due;
  sn_timers_set(&b->timers, (seen_conv)i + 1, &b->places[i], due);
}

/* The first of the model by (due, handle); CONVS: none. */
static size_t first_of(const bench *b) {
  size_t first = CONVS;
  for (size_t i = CONVS; i-- > 0;)
    if (b->dues[i] != SEEN_NEVER &&
        (first == CONVS || b->dues[i] <= b->dues[first]))
      first = i;
  return first;
}

static void pop_first(bench *b) {
  size_t first = first_of(b);
  if (first == CONVS) return;
  assert_int_equal(sn_timers_pop(&b->timers), first + 1);
  assert_int_equal(b->places[first], 0);
  b->dues[first] = SEEN_NEVER;
}

static void test_timers__random_times_agree_with_a_search(void **state) {
  test_random random = {1};
  bench b;
  (void)state;
  begin(&b);
  for (uint64_t n = test_scaled(100000); n > 0; n--) {
    size_t i = (size_t)test_random_below(&random, CONVS);
    switch (test_random_below(&random, 8)) {
    case 0: pop_first(&b); break;
    case 1: set(&b, i, SEEN_NEVER); break;
    default: set(&b, i, test_random_below(&random, 50));
    }
    size_t first = first_of(&b);
    assert_int_equal(sn_timers_due(&b.timers),
                     first == CONVS ? SEEN_NEVER : b.dues[first]);
  }
  end(&b);
}

static void test_timers__what_is_due_together_leaves_by_handle(void **state) {
  bench b;
  (void)state;
  begin(&b);
  for (size_t i = CONVS; i-- > 0;)
    set(&b, i, 7);
  for (seen_conv conv = 1; conv <= CONVS; conv++)
    assert_int_equal(sn_timers_pop(&b.timers), conv);
  assert_int_equal(sn_timers_due(&b.timers), SEEN_NEVER);
  end(&b);
}

static void test_timers__a_place_is_the_item_or_none(void **state) {
  test_random random = {2};
  bench b;
  (void)state;
  begin(&b);
  for (size_t n = 0; n < 1000; n++)
    set(&b, (size_t)test_random_below(&random, CONVS),
        test_random_below(&random, 4) ? test_random_below(&random, 9)
                                      : SEEN_NEVER);
  for (size_t i = 0; i < CONVS; i++) {
    if (b.dues[i] == SEEN_NEVER)
      assert_int_equal(b.places[i], 0);
    else
      assert_int_equal(b.timers.items[b.places[i]].conv, i + 1);
  }
  end(&b);
}

static void test_timers__without_memory_nothing_changes(void **state) {
  bench b;
  (void)state;
  begin(&b);
  set(&b, 3, 5);
  test_alloc_fail(&b.memory, 1);
  assert_int_equal(
      sn_timers_reserve(&b.memory.allocator, &b.timers, (size_t)100 * CONVS),
      SEEN_ENOMEM);
  assert_int_equal(sn_timers_pop(&b.timers), 4);
  end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_timers__random_times_agree_with_a_search),
      cmocka_unit_test(test_timers__what_is_due_together_leaves_by_handle),
      cmocka_unit_test(test_timers__a_place_is_the_item_or_none),
      cmocka_unit_test(test_timers__without_memory_nothing_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
