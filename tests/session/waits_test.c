#include "session/waits.h"

#include "support/session.h"

static void test_waits__a_wait_is_anything_up_to_a_window(void **s) {
  test_session *t = session_open();
  uint64_t least = SEEN_NEVER, most = 0;
  (void)s;
  for (int i = 0; i < 10000; i++) {
    uint64_t wait = sn_wait(t->session, 1);
    if (wait < least) least = wait;
    if (wait > most) most = wait;
  }
  assert_true(least < 10);
  assert_in_range(most, 991, 1000);
  session_end(t);
}

static void test_waits__windows_double_up_to_the_longest(void **s) {
  test_session *t = session_open();
  (void)s;
  for (uint32_t failures = 1; failures < 40; failures++) {
    uint64_t window = sn_doubled(1000, failures - 1, 60000), most = 0;
    for (int i = 0; i < 1000; i++) {
      uint64_t wait = sn_wait(t->session, failures);
      assert_true(wait <= window);
      if (wait > most) most = wait;
    }
    assert_true(most > window / 10 * 9);
  }
  session_end(t);
}

static void test_waits__doubling_ends_at_the_most(void **s) {
  (void)s;
  assert_int_equal(sn_doubled(1000, 0, 60000), 1000);
  assert_int_equal(sn_doubled(1000, 5, 60000), 32000);
  assert_int_equal(sn_doubled(1000, 6, 60000), 60000);
  assert_int_equal(sn_doubled(1000, UINT32_MAX, 60000), 60000);
  assert_int_equal(sn_doubled(90000, 0, 60000), 60000);
}

static void test_waits__two_seeds_wait_otherwise(void **s) {
  sn_session_options options = session_options();
  test_session *t = session_open();
  uint64_t first[4];
  bool differs = false;
  (void)s;
  for (int i = 0; i < 4; i++)
    first[i] = sn_wait(t->session, 7);
  session_end(t);
  options.seed++;
  t = session_open_with(&options);
  for (int i = 0; i < 4; i++)
    differs = differs || sn_wait(t->session, 7) != first[i];
  assert_true(differs);
  session_end(t);
}

static void test_waits__never_stays_never(void **s) {
  (void)s;
  assert_int_equal(sn_later(5, 7), 12);
  assert_true(sn_later(SEEN_NEVER, 7) == SEEN_NEVER);
  assert_true(sn_later(SEEN_NEVER - 3, 7) == SEEN_NEVER);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_waits__a_wait_is_anything_up_to_a_window),
      cmocka_unit_test(test_waits__windows_double_up_to_the_longest),
      cmocka_unit_test(test_waits__doubling_ends_at_the_most),
      cmocka_unit_test(test_waits__two_seeds_wait_otherwise),
      cmocka_unit_test(test_waits__never_stays_never),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
