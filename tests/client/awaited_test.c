#include "client/events.h"

#include <string.h>

#include "support/events.h"

static void reply(test_events *f, uint64_t number, int code) {
  const seen_reply said = {.size = sizeof said,
                           .request = number,
                           .act = SEEN_ACT_SEND,
                           .code = code,
                           .reason = "",
                           .message = "",
                           .conv = "g",
                           .seq = 9};
  sn_events_reply(&f->events, &said);
}

static void test_awaited__each_request_has_one_reply(void **state) {
  test_events f;
  seen_event event;
  (void)state;
  events_begin(&f);
  assert_int_equal(sn_events_await(&f.events, 1, SEEN_ACT_SEND), SEEN_OK);
  assert_int_equal(sn_events_await(&f.events, 2, SEEN_ACT_SEND), SEEN_OK);
  reply(&f, 2, SEEN_OK);
  reply(&f, 2, SEEN_ECANCELED);
  reply(&f, 7, SEEN_OK); /* nobody asked */
  assert_int_equal(f.events.awaited_count, 2);
  assert_true(events_take(&f, &event));
  assert_int_equal(event.u.reply.request, 2);
  assert_int_equal(event.u.reply.code, SEEN_OK);
  assert_int_equal(event.u.reply.seq, 9);
  assert_string_equal(event.id, "g");
  assert_false(events_take(&f, &event));
  assert_int_equal(f.events.awaited_count, 1);
  events_end(&f);
}

static void test_awaited__without_memory_that_is_the_reply(void **state) {
  test_events f;
  seen_event event;
  (void)state;
  events_begin(&f);
  assert_int_equal(sn_events_await(&f.events, 1, SEEN_ACT_HISTORY), SEEN_OK);
  test_alloc_fail_on(&f.memory, 1);
  reply(&f, 1, SEEN_OK);
  assert_true(events_take(&f, &event));
  assert_int_equal(event.u.reply.request, 1);
  assert_int_equal(event.u.reply.act, SEEN_ACT_HISTORY);
  assert_int_equal(event.u.reply.code, SEEN_ENOMEM);
  assert_string_equal(event.u.reply.conv, "");
  assert_int_equal(sn_events_await(&f.events, 2, SEEN_ACT_SEND), SEEN_ENOMEM);
  test_alloc_fail(&f.memory, 0);
  events_end(&f);
}

static void test_awaited__one_that_was_not_put_is_expected_no_more(void **s) {
  test_events f;
  seen_event event;
  (void)s;
  events_begin(&f);
  assert_int_equal(sn_events_await(&f.events, 1, SEEN_ACT_SEND), SEEN_OK);
  sn_events_expect_none(&f.events, 1);
  sn_events_expect_none(&f.events, 1);
  reply(&f, 1, SEEN_OK);
  assert_false(events_take(&f, &event));
  assert_int_equal(f.events.awaited_count, 0);
  events_end(&f);
}

static void test_awaited__dropped_replies_are_no_longer_awaited(void **state) {
  test_events f;
  (void)state;
  events_begin(&f);
  assert_int_equal(sn_events_await(&f.events, 1, SEEN_ACT_SEND), SEEN_OK);
  assert_int_equal(sn_events_await(&f.events, 2, SEEN_ACT_SEND), SEEN_OK);
  reply(&f, 1, SEEN_OK);
  sn_events_drop(&f.events);
  assert_int_equal(f.events.awaited_count, 1);
  events_end(&f); /* with one without a reply */
}

static void test_awaited__all_that_are_left_end_at_once(void **state) {
  test_events f;
  seen_event event;
  (void)state;
  events_begin(&f);
  for (uint64_t n = 1; n <= 3; n++)
    assert_int_equal(sn_events_await(&f.events, n, SEEN_ACT_SEND), SEEN_OK);
  reply(&f, 2, SEEN_OK);
  sn_events_end_awaited(&f.events, SEEN_ECLOSED);
  assert_true(events_take(&f, &event));
  assert_int_equal(event.u.reply.code, SEEN_OK);
  for (int i = 0; i < 2; i++) {
    assert_true(events_take(&f, &event));
    assert_int_equal(event.u.reply.code, SEEN_ECLOSED);
  }
  assert_false(events_take(&f, &event));
  assert_int_equal(f.events.awaited_count, 0);
  events_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_awaited__each_request_has_one_reply),
      cmocka_unit_test(test_awaited__without_memory_that_is_the_reply),
      cmocka_unit_test(test_awaited__one_that_was_not_put_is_expected_no_more),
      cmocka_unit_test(test_awaited__all_that_are_left_end_at_once),
      cmocka_unit_test(test_awaited__dropped_replies_are_no_longer_awaited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
