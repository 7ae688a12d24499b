#include "client/inbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

typedef struct fixture {
  test_alloc memory;
  sn_inbox inbox;
} fixture;

static void begin(fixture *t) {
  test_alloc_init(&t->memory);
  assert_int_equal(sn_inbox_init(&t->inbox, &t->memory.allocator), SEEN_OK);
}

static void end(fixture *t) {
  sn_inbox_free(&t->inbox);
  test_alloc_check(&t->memory);
}

static int put(fixture *t, uint64_t number, const char *text) {
  const sn_said said = {.type = SN_ACT_CANCEL, .u.number = number};
  return sn_inbox_put(&t->inbox, &said, text);
}

static void test_inbox__acts_come_out_in_order_with_their_time(void **state) {
  fixture t;
  uint64_t before = sn_platform_clock(), number = 0;
  char text[8];
  (void)state;
  begin(&t);
  strcpy(text, "conv");
  assert_int_equal(put(&t, 1, text), SEEN_OK);
  memset(text, 0, sizeof text); /* it was copied */
  assert_int_equal(put(&t, 2, NULL), SEEN_OK);
  for (sn_act *act = sn_inbox_take(&t.inbox), *next; act; act = next) {
    next = act->next;
    assert_int_equal(act->said.u.number, ++number);
    assert_true(act->at >= before && act->at <= sn_platform_clock());
    assert_string_equal(act->text, number == 1 ? "conv" : "");
    sn_act_free(&t.memory.allocator, act);
  }
  assert_int_equal(number, 2);
  assert_null(sn_inbox_take(&t.inbox));
  assert_true(sn_inbox_is_empty(&t.inbox));
  end(&t);
}

static void test_inbox__what_was_not_taken_is_freed(void **state) {
  fixture t;
  const sn_ask what = {
      .act = SEEN_ACT_HISTORY, .conv = "g", .before = 0, .limit = 10};
  sn_said said = {.type = SN_ACT_REQUEST};
  (void)state;
  begin(&t);
  assert_int_equal(
      sn_request_new(&what, 1, &t.memory.allocator, &said.u.request, NULL),
      SEEN_OK);
  assert_int_equal(sn_inbox_put(&t.inbox, &said, NULL), SEEN_OK);
  assert_int_equal(put(&t, 1, "g"), SEEN_OK);
  end(&t);
}

static void test_inbox__closed_it_takes_nothing_more(void **state) {
  fixture t;
  (void)state;
  begin(&t);
  assert_int_equal(put(&t, 1, NULL), SEEN_OK);
  assert_false(sn_inbox_is_closed(&t.inbox));
  assert_true(sn_inbox_close(&t.inbox));
  assert_false(sn_inbox_close(&t.inbox));
  assert_true(sn_inbox_is_closed(&t.inbox));
  assert_int_equal(put(&t, 2, NULL), SEEN_ECLOSED);
  assert_false(sn_inbox_is_empty(&t.inbox)); /* what was said before counts */
  end(&t);
}

static void test_inbox__holds_so_many_and_says_when_it_is_full(void **state) {
  fixture t;
  (void)state;
  begin(&t);
  for (size_t i = 0; i < SN_ACTS_MAX; i++)
    assert_int_equal(put(&t, i, NULL), SEEN_OK);
  assert_int_equal(put(&t, 0, NULL), SEEN_EFULL);
  end(&t);
}

static void test_inbox__without_memory_nothing_is_put(void **state) {
  fixture t;
  (void)state;
  begin(&t);
  test_alloc_fail(&t.memory, 1);
  assert_int_equal(put(&t, 1, "g"), SEEN_ENOMEM);
  assert_null(sn_inbox_take(&t.inbox));
  end(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inbox__acts_come_out_in_order_with_their_time),
      cmocka_unit_test(test_inbox__what_was_not_taken_is_freed),
      cmocka_unit_test(test_inbox__closed_it_takes_nothing_more),
      cmocka_unit_test(test_inbox__holds_so_many_and_says_when_it_is_full),
      cmocka_unit_test(test_inbox__without_memory_nothing_is_put),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
