#include "engine/order.h"

#include <stdio.h>

#include "support/engine.h"
#include "support/random.h"

enum { ROWS = 10000, PAGE = 37 };

typedef struct bench {
  test_alloc memory;
  sn_registry registry;
  sn_order order;
  seen_conv sorted[ROWS]; /* the model: rows in order */
  size_t count;
} bench;

static bench *begin(size_t rows) {
  static bench b;
  char id[16];
  b = (bench){0};
  test_alloc_init(&b.memory);
  assert_int_equal(sn_order_reserve(&b.memory.allocator, &b.order, rows),
                   SEEN_OK);
  for (size_t i = 0; i < rows; i++) {
    int size = snprintf(id, sizeof id, "%zu", i);
    assert_true(sn_registry_add(&b.memory.allocator, &b.registry, id,
                                (size_t)size) > 0);
  }
  return &b;
}

static void end(bench *b) {
  sn_order_free(&b->memory.allocator, &b->order);
  sn_registry_free(&b->memory.allocator, &b->registry);
  test_alloc_check(&b->memory);
}

static sn_conv *row(const bench *b, size_t i) {
  return sn_registry_at(&b->registry, (seen_conv)i + 1);
}

/* Where a row stands or would stand in the model. */
static size_t place(const bench *b, const sn_conv *conv) {
  size_t lo = 0, hi = b->count;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (sn_order_before(sn_registry_at(&b->registry, b->sorted[mid]), conv))
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static void model_take(bench *b, const sn_conv *conv) {
  size_t at = place(b, conv);
  assert_int_equal(b->sorted[at], conv->handle);
  memmove(b->sorted + at, b->sorted + at + 1,
          (--b->count - at) * sizeof *b->sorted);
}

static void model_put(bench *b, const sn_conv *conv) {
  size_t at = place(b, conv);
  memmove(b->sorted + at + 1, b->sorted + at,
          (b->count++ - at) * sizeof *b->sorted);
  b->sorted[at] = conv->handle;
}

static void change(bench *b, size_t i, test_random *random) {
  sn_conv *conv = row(b, i);
  if (sn_conv_shown_in_list(conv)) model_take(b, conv);
  switch (test_random_below(random, 8)) {
  case 0: sn_conv_flag(conv, SN_ROW, false); break;
  case 1: sn_conv_flag(conv, SN_PINNED, !sn_conv_pinned(conv)); break;
  default:
    sn_conv_flag(conv, SN_ROW, true);
    conv->updated_at = test_random_below(random, 1000);
  }
  if (sn_conv_shown_in_list(conv)) model_put(b, conv);
  sn_order_touch(&b->order, conv);
}

static void assert_same(bench *b) {
  static seen_conv rows[ROWS];
  sn_order_settle(&b->order, &b->registry);
  assert_int_equal(b->order.count, b->count);
  assert_int_equal(sn_order_page(&b->order, 0, ROWS, rows), b->count);
  if (b->count) assert_memory_equal(rows, b->sorted, b->count * sizeof *rows);
}

/* Neighbours are more than half a block, so there is always a block left. */
static void assert_bounded(const bench *b) {
  const sn_order *order = &b->order;
  size_t rows = 0;
  for (size_t at = 0; at < order->used; at++) {
    assert_in_range(order->index[at].count, 1, SN_BLOCK);
    if (at)
      assert_true(order->index[at - 1].count + order->index[at].count >
                  SN_BLOCK / 2);
    rows += order->index[at].count;
  }
  assert_int_equal(rows, order->count);
  assert_true(order->used < order->block_capacity);
}

static void test_order__random_changes_agree_with_a_sorted_array(void **state) {
  test_random random = {3};
  bench *b = begin(ROWS);
  (void)state;
  for (size_t i = 0; i < ROWS; i++)
    change(b, i, &random);
  assert_same(b);
  for (uint64_t n = test_scaled(60000); n > 0; n--) {
    change(b, (size_t)test_random_below(&random, ROWS), &random);
    if (test_random_below(&random, 400)) continue;
    assert_same(b);
    assert_bounded(b);
  }
  assert_same(b);
  end(b);
}

static void test_order__blocks_stay_bounded_while_rows_go(void **state) {
  test_random random = {4};
  bench *b = begin(ROWS);
  (void)state;
  for (size_t i = 0; i < ROWS; i++)
    change(b, i, &random);
  sn_order_settle(&b->order, &b->registry);
  for (size_t i = 0; i < ROWS; i++) {
    sn_conv *conv = row(b, (i * 7919) % ROWS);
    sn_conv_flag(conv, SN_ROW, false);
    sn_order_touch(&b->order, conv);
    if (i % 50) continue;
    sn_order_settle(&b->order, &b->registry);
    assert_bounded(b);
  }
  sn_order_settle(&b->order, &b->registry);
  assert_int_equal(b->order.count, 0);
  assert_int_equal(b->order.used, 0);
  end(b);
}

static void test_order__every_page_is_part_of_the_whole(void **state) {
  test_random random = {5};
  seen_conv page[PAGE];
  bench *b = begin(1000);
  (void)state;
  for (size_t i = 0; i < 1000; i++)
    change(b, i, &random);
  sn_order_settle(&b->order, &b->registry);
  for (size_t offset = 0; offset < b->count + 2; offset++) {
    size_t rest = offset < b->count ? b->count - offset : 0;
    size_t got = sn_order_page(&b->order, offset, PAGE, page);
    assert_int_equal(got, rest < PAGE ? rest : PAGE);
    if (got) assert_memory_equal(page, b->sorted + offset, got * sizeof *page);
  }
  end(b);
}

static void
test_order__a_row_moves_once_however_often_it_is_touched(void **state) {
  bench *b = begin(2);
  (void)state;
  for (size_t i = 0; i < 2; i++)
    sn_conv_flag(row(b, i), SN_ROW, true);
  assert_true(sn_order_touch(&b->order, row(b, 0)));
  assert_false(sn_order_touch(&b->order, row(b, 0)));
  assert_int_equal(b->order.moved_count, 1);
  sn_order_settle(&b->order, &b->registry);
  assert_true(sn_order_touch(&b->order, row(b, 0)));
  sn_order_settle(&b->order, &b->registry);
  assert_int_equal(b->order.count, 1);
  end(b);
}

static void test_order__pinned_then_newest_then_id_by_bytes(void **state) {
  sn_conv pinned = {.id = "z", .flags = SN_PINNED, .updated_at = 1};
  sn_conv newer = {.id = "y", .updated_at = 9};
  sn_conv lower = {.id = "A", .updated_at = 5};
  sn_conv higher = {.id = "\xc3\xa4", .updated_at = 5};
  sn_conv wanted = {.id = "x", .flags = SN_WANT_PIN | SN_WANT_PINNED};
  (void)state;
  assert_true(sn_order_before(&pinned, &newer));
  assert_true(sn_order_before(&newer, &lower));
  assert_true(sn_order_before(&lower, &higher));
  assert_false(sn_order_before(&higher, &lower));
  assert_true(sn_order_before(&wanted, &newer));
  assert_false(sn_order_before(&lower, &lower));
}

static void
test_order__without_memory_there_is_the_room_there_was(void **state) {
  seen_conv rows[2];
  bench *b = begin(1);
  (void)state;
  for (size_t i = 0; i < 3; i++) { /* its three arrays, one by one */
    test_alloc_fail(&b->memory, i ? 2 : 1);
    assert_int_equal(sn_order_reserve(&b->memory.allocator, &b->order, ROWS),
                     SEEN_ENOMEM);
  }
  sn_conv_flag(row(b, 0), SN_ROW, true);
  sn_order_touch(&b->order, row(b, 0));
  sn_order_settle(&b->order, &b->registry);
  assert_int_equal(sn_order_page(&b->order, 0, 2, rows), 1);
  end(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order__random_changes_agree_with_a_sorted_array),
      cmocka_unit_test(test_order__blocks_stay_bounded_while_rows_go),
      cmocka_unit_test(test_order__every_page_is_part_of_the_whole),
      cmocka_unit_test(
          test_order__a_row_moves_once_however_often_it_is_touched),
      cmocka_unit_test(test_order__pinned_then_newest_then_id_by_bytes),
      cmocka_unit_test(test_order__without_memory_there_is_the_room_there_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
