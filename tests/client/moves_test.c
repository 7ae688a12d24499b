#include "client/moves.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"
#include "support/random.h"

enum { MOST = 64, MANY = 2000 };

/* As a host does it: one step after the other. */
static size_t apply(seen_conv *rows, size_t count, const seen_move *move) {
  if (move->type != SEEN_MOVE_INSERT) {
    assert_true(move->from < count);
    assert_int_equal(rows[move->from], move->conv);
    memmove(rows + move->from, rows + move->from + 1,
            (count - move->from - 1) * sizeof *rows);
    count--;
  }
  if (move->type != SEEN_MOVE_REMOVE) {
    assert_true(move->to <= count);
    memmove(rows + move->to + 1, rows + move->to,
            (count - move->to) * sizeof *rows);
    rows[move->to] = move->conv;
    count++;
  }
  return count;
}

static size_t find(sn_rows before, sn_rows after, seen_move *moves) {
  test_alloc memory;
  size_t count = 0;
  test_alloc_init(&memory);
  assert_int_equal(
      sn_moves_find(before, after, moves, MANY, &count, &memory.allocator),
      SEEN_OK);
  test_alloc_check(&memory);
  return count;
}

/* That they lead from one to the other; how many there are. */
static size_t check(sn_rows before, sn_rows after) {
  seen_move moves[MANY];
  seen_conv rows[2 * MOST + 1];
  size_t count = before.count, steps = find(before, after, moves);
  memcpy(rows, before.convs, count * sizeof *rows);
  for (size_t i = 0; i < steps; i++)
    count = apply(rows, count, &moves[i]);
  assert_int_equal(count, after.count);
  assert_memory_equal(rows, after.convs, count * sizeof *rows);
  return steps;
}

static bool has(sn_rows rows, seen_conv conv) {
  for (size_t i = 0; i < rows.count; i++)
    if (rows.convs[i] == conv) return true;
  return false;
}

/* Rows of both that can stay, by the table of all beginnings. */
static size_t longest_common(sn_rows a, sn_rows b) {
  size_t table[MOST + 1][MOST + 1] = {{0}};
  for (size_t i = 1; i <= a.count; i++)
    for (size_t j = 1; j <= b.count; j++) {
      size_t up = table[i - 1][j], left = table[i][j - 1];
      table[i][j] = a.convs[i - 1] == b.convs[j - 1] ? table[i - 1][j - 1] + 1
                    : up > left                      ? up
                                                     : left;
    }
  return table[a.count][b.count];
}

/* Who is in one list only goes or comes; of the others all but who can stay
 * move. */
static size_t fewest(sn_rows before, sn_rows after) {
  size_t both = 0;
  for (size_t i = 0; i < before.count; i++)
    both += has(after, before.convs[i]);
  return before.count + after.count - both - longest_common(before, after);
}

/* Some of 1 … most, in some order. */
static size_t choose(test_random *random, seen_conv *rows, size_t most) {
  size_t count = 0;
  for (seen_conv conv = 1; conv <= most; conv++)
    if (test_random_below(random, 4)) rows[count++] = conv;
  for (size_t i = count; i > 1; i--) {
    size_t j = (size_t)test_random_below(random, i);
    seen_conv held = rows[i - 1];
    rows[i - 1] = rows[j];
    rows[j] = held;
  }
  return count;
}

/* A few rows somewhere else, as a list does it. */
static size_t disturb(test_random *random, const seen_conv *rows, size_t count,
                      seen_conv *into) {
  memcpy(into, rows, count * sizeof *rows);
  for (uint64_t n = test_random_below(random, 4); n > 0 && count > 1; n--) {
    size_t from = (size_t)test_random_below(random, count);
    size_t to = (size_t)test_random_below(random, count);
    const seen_move move = {
        .type = SEEN_MOVE_MOVE, .from = from, .to = to, .conv = into[from]};
    apply(into, count, &move);
  }
  return count;
}

static void test_moves__any_order_becomes_any_other_by_the_fewest(void **s) {
  test_random random = {test_fresh_seed()};
  seen_conv before[MOST] = {0}, after[MOST] = {0};
  (void)s;
  for (uint64_t n = test_scaled(20000); n > 0; n--) {
    size_t most = 1 + (size_t)test_random_below(&random, MOST);
    sn_rows a = {before, choose(&random, before, most)};
    sn_rows b = {after, n % 2 ? choose(&random, after, most)
                              : disturb(&random, before, a.count, after)};
    assert_int_equal(check(a, b), fewest(a, b));
  }
}

static void test_moves__one_row_to_the_top_is_one_move(void **state) {
  static const seen_conv before[] = {1, 2, 3, 4, 5}, after[] = {4, 1, 2, 3, 5};
  seen_move moves[MANY];
  (void)state;
  assert_int_equal(find((sn_rows){before, 5}, (sn_rows){after, 5}, moves), 1);
  assert_int_equal(moves[0].type, SEEN_MOVE_MOVE);
  assert_int_equal(moves[0].from, 3);
  assert_int_equal(moves[0].to, 0);
  assert_int_equal(moves[0].conv, 4);
}

static void test_moves__the_same_order_needs_none(void **state) {
  static const seen_conv rows[] = {3, 1, 2};
  seen_move moves[MANY];
  (void)state;
  assert_int_equal(find((sn_rows){rows, 3}, (sn_rows){rows, 3}, moves), 0);
  assert_int_equal(find((sn_rows){NULL, 0}, (sn_rows){NULL, 0}, moves), 0);
}

static void test_moves__rows_come_and_go_one_by_one(void **state) {
  static const seen_conv rows[] = {3, 1, 2};
  seen_move moves[MANY];
  (void)state;
  assert_int_equal(find((sn_rows){NULL, 0}, (sn_rows){rows, 3}, moves), 3);
  assert_int_equal(moves[2].type, SEEN_MOVE_INSERT);
  assert_int_equal(moves[2].to, 2);
  assert_int_equal(find((sn_rows){rows, 3}, (sn_rows){NULL, 0}, moves), 3);
  assert_int_equal(moves[0].type, SEEN_MOVE_REMOVE);
  assert_int_equal(moves[0].from, 2);
}

static void test_moves__more_than_fit_are_counted_all_the_same(void **state) {
  static const seen_conv rows[] = {3, 1, 2};
  seen_move moves[1];
  size_t count = 0;
  (void)state;
  assert_int_equal(sn_moves_find((sn_rows){NULL, 0}, (sn_rows){rows, 3}, moves,
                                 1, &count, seen_allocator_default()),
                   SEEN_OK);
  assert_int_equal(count, 3);
  assert_int_equal(moves[0].conv, 3);
}

static void test_moves__without_memory_nothing_is_kept(void **state) {
  static const seen_conv before[] = {1, 2, 3}, after[] = {3, 2, 1};
  seen_move moves[4];
  size_t count, failed = 0;
  test_alloc memory;
  int status;
  (void)state;
  test_alloc_init(&memory);
  do {
    test_alloc_fail(&memory, ++failed);
    status = sn_moves_find((sn_rows){before, 3}, (sn_rows){after, 3}, moves, 4,
                           &count, &memory.allocator);
    test_alloc_check(&memory);
  } while (status == SEEN_ENOMEM);
  assert_int_equal(status, SEEN_OK);
  assert_int_equal(failed, 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moves__any_order_becomes_any_other_by_the_fewest),
      cmocka_unit_test(test_moves__one_row_to_the_top_is_one_move),
      cmocka_unit_test(test_moves__the_same_order_needs_none),
      cmocka_unit_test(test_moves__rows_come_and_go_one_by_one),
      cmocka_unit_test(test_moves__more_than_fit_are_counted_all_the_same),
      cmocka_unit_test(test_moves__without_memory_nothing_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
