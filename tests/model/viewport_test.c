#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <seen/viewport.h>

enum { HEIGHT = 100 };

/* Whether one row is visible in a viewport of 100. */
static bool shows(double top, double bottom) {
  seen_list_row row = {7, top, bottom};
  seen_run range;
  bool visible = seen_viewport_range(&row, 1, HEIGHT, &range);
  assert_int_equal(range.lo, visible ? 7 : 0);
  assert_int_equal(range.hi, visible ? 7 : 0);
  return visible;
}

static void test_viewport__a_row_inside_is_seen(void **state) {
  (void)state;
  assert_true(shows(10, 30));
  assert_true(shows(0, HEIGHT));
}

static void
test_viewport__a_row_whose_bottom_edge_is_inside_is_seen(void **state) {
  (void)state;
  assert_true(shows(-19, 1)); /* the last twentieth of it */
  assert_true(shows(80, HEIGHT));
  assert_true(shows(-5000, 1));
}

static void
test_viewport__a_row_below_the_edge_is_seen_from_its_half_on(void **state) {
  (void)state;
  assert_true(shows(90, 110));
  assert_false(shows(90.5, 110.5));
  assert_false(shows(99, 101.5));
}

static void test_viewport__a_row_outside_is_not_seen(void **state) {
  (void)state;
  assert_false(shows(-20, -1));
  assert_false(shows(-20, 0)); /* its edge is on the edge */
  assert_false(shows(HEIGHT, 120));
  assert_false(shows(150, 170));
}

static void
test_viewport__a_tall_row_is_seen_where_it_fills_half(void **state) {
  (void)state;
  assert_true(shows(50, 1000));
  assert_false(shows(50.5, 1000));
  assert_true(shows(-500, 500)); /* its edges are far outside */
}

static void
test_viewport__the_range_is_from_the_lowest_to_the_highest(void **state) {
  const seen_list_row rows[] = {{15, 80, 100}, {12, 20, 40}, {13, 40, 60},
                                {11, -20, 0},  {14, 60, 80}, {16, 100, 120}};
  seen_run range;
  (void)state;
  assert_true(seen_viewport_range(rows, 6, HEIGHT, &range));
  assert_int_equal(range.lo, 12);
  assert_int_equal(range.hi, 15);
}

static void test_viewport__rows_without_a_seq_are_skipped(void **state) {
  const seen_list_row rows[] = {{0, 0, 20}, {5, 20, 40}, {0, 40, 60}};
  seen_run range;
  (void)state;
  assert_true(seen_viewport_range(rows, 3, HEIGHT, &range));
  assert_int_equal(range.lo, 5);
  assert_int_equal(range.hi, 5);
  assert_false(seen_viewport_range(rows, 1, HEIGHT, &range));
  assert_int_equal(range.lo, 0);
  assert_int_equal(range.hi, 0);
}

static void test_viewport__rows_that_make_no_sense_are_skipped(void **state) {
  (void)state;
  assert_false(shows(20, 20)); /* of no height */
  assert_false(shows(40, 20)); /* upside down */
  assert_false(shows(NAN, 20));
  assert_false(shows(20, NAN));
  assert_false(shows(NAN, NAN));
  assert_false(shows(INFINITY, INFINITY));
  assert_true(shows(-INFINITY, INFINITY)); /* it fills all */
  assert_false(shows(90, INFINITY));
}

static void test_viewport__one_of_no_height_shows_nothing(void **state) {
  const seen_list_row row = {5, -10, 10};
  seen_run range = {1, 2};
  (void)state;
  assert_false(seen_viewport_range(&row, 1, 0, &range));
  assert_int_equal(range.lo, 0);
  assert_int_equal(range.hi, 0);
  assert_false(seen_viewport_range(&row, 1, -100, &range));
  assert_false(seen_viewport_range(&row, 1, NAN, &range));
}

static void test_viewport__a_list_of_no_rows_shows_nothing(void **state) {
  seen_run range = {1, 2};
  (void)state;
  assert_false(seen_viewport_range(NULL, 0, HEIGHT, &range));
  assert_int_equal(range.lo, 0);
  assert_int_equal(range.hi, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_viewport__a_row_inside_is_seen),
      cmocka_unit_test(
          test_viewport__a_row_whose_bottom_edge_is_inside_is_seen),
      cmocka_unit_test(
          test_viewport__a_row_below_the_edge_is_seen_from_its_half_on),
      cmocka_unit_test(test_viewport__a_row_outside_is_not_seen),
      cmocka_unit_test(test_viewport__a_tall_row_is_seen_where_it_fills_half),
      cmocka_unit_test(
          test_viewport__the_range_is_from_the_lowest_to_the_highest),
      cmocka_unit_test(test_viewport__rows_without_a_seq_are_skipped),
      cmocka_unit_test(test_viewport__rows_that_make_no_sense_are_skipped),
      cmocka_unit_test(test_viewport__one_of_no_height_shows_nothing),
      cmocka_unit_test(test_viewport__a_list_of_no_rows_shows_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
