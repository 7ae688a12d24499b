#include "engine/conversation.h"

#include "support/conv.h"

static void
test_conversation__what_is_shown_is_the_wish_or_the_servers(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  t.conv.server = (seen_position){0, 7, 0};
  assert_int_equal(sn_conv_shown(&t.conv), 7);
  conv_wish(&t, 9, 4);
  assert_int_equal(sn_conv_shown(&t.conv), 4);
  conv_end(&t);
}

static void test_conversation__base_is_the_highest_of_three(void **state) {
  sn_conv conv = {.server = {0, 5, 0}, .floor = 3, .join_seq = 1};
  (void)state;
  assert_int_equal(sn_conv_base(&conv), 5);
  conv.floor = 8;
  assert_int_equal(sn_conv_base(&conv), 8);
  conv.join_seq = 12;
  assert_int_equal(sn_conv_base(&conv), 11);
  conv.join_seq = 0;
  assert_int_equal(sn_conv_base(&conv), 8);
}

static void
test_conversation__marked_is_shown_below_what_was_read(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  t.conv.server = (seen_position){1, 5, 5};
  assert_false(sn_conv_marked_unread(&t.conv));
  t.conv.server.high = 9; /* marked by another device */
  assert_true(sn_conv_marked_unread(&t.conv));
  conv_wish(&t, 9, 9);
  assert_false(sn_conv_marked_unread(&t.conv));
  conv_wish(&t, 12, 10); /* marked here, not sent */
  assert_true(sn_conv_marked_unread(&t.conv));
  conv_wish(&t, 10, 10);
  t.conv.reading->mark = (sn_mark){.seq = 12, .set = true}; /* sent */
  assert_true(sn_conv_marked_unread(&t.conv));
  conv_end(&t);
}

static void test_conversation__what_the_person_wants_is_shown(void **state) {
  sn_conv conv = {.flags = SN_MUTED};
  (void)state;
  assert_true(sn_conv_muted(&conv));
  assert_false(sn_conv_pinned(&conv));
  conv.flags |= SN_WANT_MUTE;
  assert_false(sn_conv_muted(&conv));
  conv.flags |= SN_WANT_PIN | SN_WANT_PINNED;
  assert_true(sn_conv_pinned(&conv));
}

static void test_conversation__left_is_a_row_that_is_not_shown(void **state) {
  sn_conv conv = {.flags = SN_ROW};
  (void)state;
  assert_true(sn_conv_shown_in_list(&conv));
  assert_false(sn_conv_silent(&conv));
  conv.flags |= SN_WAITING;
  assert_true(sn_conv_shown_in_list(&conv));
  assert_true(sn_conv_silent(&conv));
  conv.flags |= SN_GONE;
  assert_false(sn_conv_shown_in_list(&conv));
}

static void test_conversation__parts_are_made_once_or_not_at_all(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  sn_facts *facts = t.conv.facts;
  assert_int_equal(sn_conv_need_facts(&t.memory.allocator, &t.conv), SEEN_OK);
  assert_ptr_equal(t.conv.facts, facts);
  sn_conv_free_parts(&t.memory.allocator, &t.conv);
  test_alloc_fail(&t.memory, 1);
  assert_int_equal(sn_conv_need_reading(&t.memory.allocator, &t.conv),
                   SEEN_ENOMEM);
  assert_null(t.conv.reading);
  conv_end(&t);
}

static void test_conversation__a_fresh_reading_waits_for_nothing(void **state) {
  test_conv t;
  (void)state;
  conv_begin(&t);
  const sn_reading *reading = t.conv.reading;
  assert_true(reading->first == SN_NO_TIME && reading->retry_at == SN_NO_TIME);
  assert_int_equal(reading->backoff, 1000);
  assert_true(t.conv.facts->delivered_first == SN_NO_TIME);
  conv_end(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(
          test_conversation__what_is_shown_is_the_wish_or_the_servers),
      cmocka_unit_test(test_conversation__base_is_the_highest_of_three),
      cmocka_unit_test(test_conversation__marked_is_shown_below_what_was_read),
      cmocka_unit_test(test_conversation__what_the_person_wants_is_shown),
      cmocka_unit_test(test_conversation__left_is_a_row_that_is_not_shown),
      cmocka_unit_test(test_conversation__parts_are_made_once_or_not_at_all),
      cmocka_unit_test(test_conversation__a_fresh_reading_waits_for_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
