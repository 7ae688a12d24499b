#include "client/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/events.h"

static void say_text(test_events *f, const char *body) {
  const seen_text text = {
      .size = sizeof text, .seq = 1, .from = "u2", .body = body};
  sn_events_message(&f->events, "g", &text);
}

static void test_events__a_print_is_of_every_field(void **state) {
  seen_state one = {.size = sizeof one}, other = one;
  uint64_t print = sn_print_of(&one);
  (void)state;
  other.unread = 1;
  assert_int_not_equal(sn_print_of(&other), print);
  other = one;
  other.mentions = 1;
  assert_int_not_equal(sn_print_of(&other), print);
  other = one;
  other.pinned = true;
  assert_int_not_equal(sn_print_of(&other), print);
  other = one;
  other.updated_at = 1;
  assert_int_not_equal(sn_print_of(&other), print);
  other = one;
  other.server_read.high = 1;
  assert_int_not_equal(sn_print_of(&other), print);
  assert_int_equal(sn_print_of(&one), print);
}

static void test_events__what_is_there_at_first_is_no_news(void **state) {
  test_events f;
  (void)state;
  events_begin(&f);
  sn_events_changed(&f.events, events_conv(&f, "g"));
  sn_events_totals(&f.events);
  assert_int_equal(events_count(&f), 0);
  events_end(&f);
}

static void test_events__many_changes_of_a_row_wait_once(void **state) {
  test_events f;
  (void)state;
  events_begin(&f);
  for (uint64_t seq = 10; seq < 510; seq++) {
    say_message(f.t, "g", seq, "u2");
    sn_events_changed(&f.events, events_conv(&f, "g"));
    sn_events_totals(&f.events);
  }
  assert_int_equal(events_count(&f), 2); /* C199 */
  events_end(&f);
}

static void test_events__messages_wait_in_order_up_to_a_bound(void **state) {
  test_events f;
  seen_event event;
  char body[16];
  size_t missed = 0, first = 0, messages = 0;
  (void)state;
  events_begin(&f);
  for (size_t i = 0; i < SN_MESSAGES_MAX + 10; i++) {
    snprintf(body, sizeof body, "%05zu", i);
    say_text(&f, body);
  }
  while (events_take(&f, &event)) {
    missed += event.type == SEEN_EVENT_PROBLEM;
    if (event.type != SEEN_EVENT_MESSAGE) continue;
    if (!messages++) first = (size_t)strtoul(event.u.message.body, NULL, 10);
  }
  assert_int_equal(missed, 1);
  assert_int_equal(first, 10); /* the oldest went */
  assert_int_equal(messages, SN_MESSAGES_MAX);
  assert_int_equal(f.events.message_bytes, 0);
  events_end(&f);
}

static void test_events__long_messages_are_bounded_by_bytes(void **state) {
  static char body[8193];
  test_events f;
  (void)state;
  events_begin(&f);
  memset(body, 'a', sizeof body - 1);
  for (size_t i = 0; i < 1000; i++)
    say_text(&f, body);
  assert_true(f.events.message_bytes <= SN_MESSAGE_BYTES_MAX);
  assert_true(f.memory.bytes < 2 * SN_MESSAGE_BYTES_MAX);
  assert_true(f.events.messages > 400);
  events_end(&f);
}

static void test_events__without_memory_a_change_is_not_lost(void **state) {
  test_events f;
  seen_event event;
  (void)state;
  events_begin(&f);
  say_message(f.t, "g", 10, "u2");
  test_alloc_fail_on(&f.memory, 1);
  sn_events_changed(&f.events, events_conv(&f, "g"));
  sn_events_receipts(&f.events, events_conv(&f, "h"));
  sn_events_refused(&f.events, events_conv(&f, "h"), SEEN_REFUSAL_CONFLICT);
  test_alloc_fail(&f.memory, 0);
  assert_true(sn_events_wait(&f.events));
  assert_true(events_take(&f, &event));
  assert_int_equal(event.type, SEEN_EVENT_CONVERSATION);
  assert_int_equal(event.u.state.unread, 5);
  assert_true(events_take(&f, &event));
  assert_int_equal(event.type, SEEN_EVENT_RECEIPTS);
  assert_string_equal(event.id, "h");
  assert_true(events_take(&f, &event));
  assert_int_equal(event.u.problem.type, SEEN_PROBLEM_REFUSED);
  assert_int_equal(events_count(&f), 0);
  assert_false(sn_events_wait(&f.events));
  events_end(&f);
}

static void test_events__without_memory_a_message_is_missed(void **state) {
  test_events f;
  seen_event event;
  (void)state;
  events_begin(&f);
  test_alloc_fail_on(&f.memory, 1);
  say_text(&f, "hello");
  test_alloc_fail(&f.memory, 0);
  assert_true(events_take(&f, &event));
  assert_int_equal(event.type, SEEN_EVENT_PROBLEM);
  assert_int_equal(event.u.problem.type, SEEN_PROBLEM_MISSED);
  assert_int_equal(events_count(&f), 0);
  events_end(&f);
}

static void test_events__dropped_only_zero_is_told(void **state) {
  test_events f;
  seen_event event;
  (void)state;
  events_begin(&f);
  say_text(&f, "hello");
  sn_events_list(&f.events);
  sn_events_token(&f.events);
  sn_events_drop(&f.events);
  say_text(&f, "of the account that was left");
  say_message(f.t, "g", 10, "u2");
  sn_events_changed(&f.events, events_conv(&f, "g"));
  sn_events_totals(&f.events);
  assert_true(events_take(&f, &event));
  assert_int_equal(event.type, SEEN_EVENT_TOTALS);
  assert_int_equal(event.u.totals.unread, 0);
  assert_int_equal(events_count(&f), 0);
  events_end(&f);
}

static void test_events__nothing_comes_after_the_end(void **state) {
  test_events f;
  seen_event event;
  (void)state;
  events_begin(&f);
  say_text(&f, "hello");
  sn_events_close(&f.events);
  sn_events_close(&f.events);
  say_text(&f, "late");
  sn_events_token(&f.events);
  assert_true(events_take(&f, &event));
  assert_int_equal(event.type, SEEN_EVENT_MESSAGE);
  assert_true(events_take(&f, &event));
  assert_int_equal(event.type, SEEN_EVENT_CLOSED);
  assert_int_equal(events_count(&f), 0);
  events_end(&f);
}

static void test_events__what_waits_is_freed_with_them(void **state) {
  test_events f;
  (void)state;
  events_begin(&f);
  say_text(&f, "hello");
  say_message(f.t, "g", 10, "u2");
  sn_events_changed(&f.events, events_conv(&f, "g"));
  sn_events_list(&f.events);
  events_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_events__a_print_is_of_every_field),
      cmocka_unit_test(test_events__what_is_there_at_first_is_no_news),
      cmocka_unit_test(test_events__many_changes_of_a_row_wait_once),
      cmocka_unit_test(test_events__messages_wait_in_order_up_to_a_bound),
      cmocka_unit_test(test_events__long_messages_are_bounded_by_bytes),
      cmocka_unit_test(test_events__without_memory_a_change_is_not_lost),
      cmocka_unit_test(test_events__without_memory_a_message_is_missed),
      cmocka_unit_test(test_events__dropped_only_zero_is_told),
      cmocka_unit_test(test_events__nothing_comes_after_the_end),
      cmocka_unit_test(test_events__what_waits_is_freed_with_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
