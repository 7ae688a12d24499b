#include "engine/viewport.h"

#include "support/engine.h"
#include "support/random.h"

enum { ROWS = 64, DWELL = 10 };

/* The model: each row for itself. */
typedef struct model_row {
  bool dwells;
  uint64_t since;
  bool read;
} model_row;

typedef struct bench {
  test_alloc memory;
  sn_viewport *viewport;
  model_row rows[ROWS + 1];
  seen_run range;
  uint64_t now;
  bool active;
} bench;

static void begin(bench *b) {
  *b = (bench){.active = true};
  test_alloc_init(&b->memory);
  assert_int_equal(sn_viewport_need(&b->memory.allocator, &b->viewport),
                   SEEN_OK);
  b->viewport->open = true;
}

static void end(bench *b) {
  sn_viewport_free(&b->memory.allocator, b->viewport);
  test_alloc_check(&b->memory);
}

static bool on_screen(const bench *b, uint64_t row) {
  return b->range.lo && b->range.lo <= row && row <= b->range.hi;
}

static void show(bench *b, uint64_t lo, uint64_t hi) {
  b->range = (seen_run){lo, hi};
  for (uint64_t row = 1; row <= ROWS; row++) {
    if (!on_screen(b, row) || !b->active)
      b->rows[row] = (model_row){0};
    else if (!b->rows[row].dwells)
      b->rows[row] = (model_row){true, b->now, false};
  }
  assert_int_equal(sn_viewport_reserve(&b->memory.allocator, b->viewport, 0),
                   SEEN_OK);
  sn_viewport_show(b->viewport, b->range, b->now, b->active);
}

static void set_active(bench *b, bool active) {
  b->active = active;
  for (uint64_t row = 1; row <= ROWS; row++)
    b->rows[row] = active && on_screen(b, row)
                       ? (model_row){true, b->now, false}
                       : (model_row){0};
  sn_viewport_restart(b->viewport, b->now, active);
}

static void cut(bench *b, uint64_t last) {
  for (uint64_t row = last + 1; row <= ROWS; row++)
    b->rows[row] = (model_row){0};
  if (b->range.hi > last) b->range.hi = last;
  if (b->range.lo > last) b->range = (seen_run){0, 0};
  sn_viewport_cut(b->viewport, last);
}

/* As the reader does when dwells end. */
static void read_ready(bench *b) {
  for (size_t i = 0; i < b->viewport->count; i++)
    if (b->viewport->stays[i].since + DWELL <= b->now)
      b->viewport->stays[i].read = true;
  for (uint64_t row = 1; row <= ROWS; row++)
    if (b->rows[row].dwells && b->rows[row].since + DWELL <= b->now)
      b->rows[row].read = true;
}

static void assert_same(const bench *b) {
  uint64_t due = SEEN_NEVER, row = 1;
  for (size_t i = 0; i < b->viewport->count; i++) {
    const seen_stay *stay = &b->viewport->stays[i];
    for (; row < stay->rows.lo; row++)
      assert_false(b->rows[row].dwells);
    for (; row <= stay->rows.hi; row++) {
      assert_true(b->rows[row].dwells);
      assert_int_equal(b->rows[row].read, stay->read);
      if (!stay->read) assert_int_equal(b->rows[row].since, stay->since);
    }
  }
  for (; row <= ROWS; row++)
    assert_false(b->rows[row].dwells);
  for (row = 1; row <= ROWS; row++)
    if (b->rows[row].dwells && !b->rows[row].read &&
        b->rows[row].since + DWELL < due)
      due = b->rows[row].since + DWELL;
  assert_int_equal(sn_viewport_due(b->viewport, DWELL), due);
}

static void step(bench *b, test_random *random) {
  b->now += test_random_below(random, 4);
  uint64_t lo = 1 + test_random_below(random, ROWS);
  switch (test_random_below(random, 16)) {
  case 0: set_active(b, !b->active); break;
  case 1: show(b, 0, 0); break;
  case 2: cut(b, test_random_below(random, ROWS + 1)); break;
  case 3:
  case 4: read_ready(b); break;
  default: show(b, lo, lo + test_random_below(random, ROWS - lo + 1));
  }
}

static void
test_viewport__random_scrolls_agree_with_each_row_alone(void **state) {
  test_random random = {6};
  bench b;
  (void)state;
  begin(&b);
  for (uint64_t n = test_scaled(100000); n > 0; n--) {
    step(&b, &random);
    assert_same(&b);
  }
  end(&b);
}

static void test_viewport__the_same_range_again_costs_no_memory(void **state) {
  bench b;
  (void)state;
  begin(&b);
  show(&b, 1, 20);
  show(&b, 1, 20);
  uint64_t calls = b.memory.calls;
  for (size_t i = 0; i < 100; i++) {
    b.now++;
    show(&b, 1, 20);
  }
  assert_int_equal(b.memory.calls, calls);
  assert_int_equal(b.viewport->stays[0].since, 0);
  end(&b);
}

static void test_viewport__a_long_slow_scroll_stays_small(void **state) {
  bench b;
  (void)state;
  begin(&b);
  for (uint64_t lo = 1; lo < 100000; lo++) {
    b.now += DWELL;
    assert_int_equal(sn_viewport_reserve(&b.memory.allocator, b.viewport, 0),
                     SEEN_OK);
    sn_viewport_show(b.viewport, (seen_run){lo, lo + 9}, b.now, true);
    read_ready(&b);
  }
  assert_true(b.viewport->count <= 3);
  end(&b);
}

static void
test_viewport__closed_it_shows_nothing_but_stays_subscribed(void **state) {
  bench b;
  (void)state;
  begin(&b);
  show(&b, 3, 5);
  b.viewport->subscribed = (seen_run){3, 5};
  b.viewport->blocked = true;
  sn_viewport_close(b.viewport);
  assert_false(b.viewport->open || b.viewport->blocked);
  assert_int_equal(b.viewport->range.hi, 0);
  assert_int_equal(sn_viewport_due(b.viewport, DWELL), SEEN_NEVER);
  assert_int_equal(b.viewport->subscribed.hi, 5);
  sn_viewport_restart(b.viewport, 9, true);
  assert_int_equal(b.viewport->count, 0);
  end(&b);
}

static void test_viewport__without_memory_the_stays_are_kept(void **state) {
  bench b;
  (void)state;
  begin(&b);
  show(&b, 1, 5);
  for (uint64_t n = 1; n <= 2; n++) {
    test_alloc_fail(&b.memory, n);
    assert_int_equal(sn_viewport_reserve(&b.memory.allocator, b.viewport, 100),
                     SEEN_ENOMEM);
  }
  assert_int_equal(sn_viewport_reserve(&b.memory.allocator, b.viewport, 100),
                   SEEN_OK);
  assert_same(&b);
  end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_viewport__random_scrolls_agree_with_each_row_alone),
      cmocka_unit_test(test_viewport__the_same_range_again_costs_no_memory),
      cmocka_unit_test(test_viewport__a_long_slow_scroll_stays_small),
      cmocka_unit_test(
          test_viewport__closed_it_shows_nothing_but_stays_subscribed),
      cmocka_unit_test(test_viewport__without_memory_the_stays_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
