#include "net/arrivals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

static size_t woken;

static void wake(void *ignored) {
  (void)ignored;
  woken++;
}

static void push(sn_arrivals *to, uint64_t number, size_t length) {
  char *text = calloc(1, length + 1);
  sn_arrival *made =
      sn_arrival_new(to->memory, SEEN_TRANSPORT_FRAME, number, length);
  assert_non_null(text);
  assert_non_null(made);
  memset(text, 'x', length);
  sn_arrival_write(made, text, length);
  free(text);
  sn_arrivals_push(to, made);
}

static void test_arrivals__come_in_order_and_wake_once(void **state) {
  seen_transport_event event;
  test_alloc memory;
  sn_arrivals all;
  bool drained;
  (void)state;
  test_alloc_init(&memory);
  woken = 0;
  assert_int_equal(sn_arrivals_open(&memory.allocator, wake, NULL, &all),
                   SEEN_OK);
  assert_false(sn_arrivals_next(&all, &event, &drained));
  for (uint64_t i = 1; i <= 3; i++)
    push(&all, i, (size_t)i);
  assert_int_equal(woken, 1);
  for (uint64_t i = 1; i <= 3; i++) {
    assert_true(sn_arrivals_next(&all, &event, &drained));
    assert_int_equal(event.number, i);
    assert_int_equal(event.length, i);
    assert_int_equal(strlen(event.text), i);
  }
  assert_false(sn_arrivals_next(&all, &event, &drained));
  push(&all, 4, 0);
  assert_int_equal(woken, 2);
  sn_arrivals_close(&all);
  test_alloc_check(&memory);
}

static void test_arrivals__are_full_until_half_was_pulled(void **state) {
  enum { EACH = 65536 };
  seen_transport_event event;
  sn_arrivals all;
  size_t pushed = 0, pulled = 0;
  bool drained = false;
  (void)state;
  assert_int_equal(sn_arrivals_open(seen_allocator_default(), wake, NULL, &all),
                   SEEN_OK);
  while (!sn_arrivals_full(&all)) {
    push(&all, 1, EACH);
    pushed++;
  }
  assert_true(pushed * EACH <= SN_ARRIVALS_BYTES);
  while (!drained) {
    assert_true(sn_arrivals_next(&all, &event, &drained));
    pulled++;
  }
  assert_true(pulled * EACH >= SN_ARRIVALS_BYTES / 2);
  assert_true(pulled < pushed);
  assert_false(sn_arrivals_full(&all));
  assert_true(sn_arrivals_next(&all, &event, &drained));
  assert_false(drained);
  sn_arrivals_close(&all);
}

static void test_arrivals__many_small_ones_are_much_too(void **state) {
  sn_arrivals all;
  size_t pushed = 0;
  (void)state;
  assert_int_equal(sn_arrivals_open(seen_allocator_default(), wake, NULL, &all),
                   SEEN_OK);
  for (; !sn_arrivals_full(&all); pushed++)
    push(&all, 1, 0);
  assert_true(pushed <= SN_ARRIVALS_BYTES / sizeof(sn_arrival) + 1);
  sn_arrivals_close(&all);
}

static void test_arrivals__words_are_cut_to_their_room(void **state) {
  const seen_allocator *memory = seen_allocator_default();
  sn_arrival *made = sn_arrival_new(memory, SEEN_TRANSPORT_ENDED, 1, 3);
  (void)state;
  assert_non_null(made);
  sn_arrival_write(made, "abcdef", 6);
  assert_string_equal(made->said.text, "abc");
  assert_int_equal(made->said.length, 3);
  memory->release(made, memory->user_data);
  assert_null(sn_arrival_new(memory, SEEN_TRANSPORT_FRAME, 1, SIZE_MAX - 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arrivals__come_in_order_and_wake_once),
      cmocka_unit_test(test_arrivals__are_full_until_half_was_pulled),
      cmocka_unit_test(test_arrivals__many_small_ones_are_much_too),
      cmocka_unit_test(test_arrivals__words_are_cut_to_their_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
