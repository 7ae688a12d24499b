#define _POSIX_C_SOURCE 200809L

#include "base/platform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <poll.h>
#include <sys/resource.h>

#include <cmocka.h>

static bool is_readable(const sn_signal *raised) {
  struct pollfd wanted = {(int)sn_platform_signal_descriptor(raised), POLLIN,
                          0};
  return poll(&wanted, 1, 0) == 1;
}

static void test_signal__is_raised_until_a_wait_has_seen_it(void **state) {
  sn_signal raised;
  (void)state;
  assert_int_equal(sn_platform_signal_open(&raised, NULL), SEEN_OK);
  assert_false(is_readable(&raised));
  assert_false(sn_platform_signal_wait(&raised, 0));
  sn_platform_signal_raise(&raised);
  assert_true(is_readable(&raised));
  assert_true(sn_platform_signal_wait(&raised, SN_FOREVER));
  assert_false(is_readable(&raised));
  assert_false(sn_platform_signal_wait(&raised, 0));
  sn_platform_signal_close(&raised);
}

static void test_signal__raised_beyond_measure_is_raised_once(void **state) {
  sn_signal raised;
  (void)state;
  assert_int_equal(sn_platform_signal_open(&raised, NULL), SEEN_OK);
  for (int i = 0; i < 100000; i++)
    sn_platform_signal_raise(&raised);
  assert_true(sn_platform_signal_wait(&raised, 0));
  assert_false(sn_platform_signal_wait(&raised, 0));
  sn_platform_signal_close(&raised);
}

static void test_signal__a_wait_lasts_as_long_as_it_says(void **state) {
  sn_signal raised;
  uint64_t before = sn_platform_clock();
  (void)state;
  assert_int_equal(sn_platform_signal_open(&raised, NULL), SEEN_OK);
  assert_false(sn_platform_signal_wait(&raised, 30));
  assert_true(sn_platform_clock() - before >= 30);
  sn_platform_signal_close(&raised);
}

static void *raise_it(void *argument) {
  sn_platform_signal_raise(argument);
  return NULL;
}

static void test_signal__wakes_a_thread_that_waits(void **state) {
  sn_signal raised;
  sn_thread thread;
  (void)state;
  assert_int_equal(sn_platform_signal_open(&raised, NULL), SEEN_OK);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(sn_platform_thread(raise_it, &raised, &thread, NULL),
                     SEEN_OK);
    assert_true(sn_platform_signal_wait(&raised, 30000));
    sn_platform_join(thread);
  }
  sn_platform_signal_close(&raised);
}

static void test_signal__without_descriptors_there_is_none(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  struct rlimit before, none;
  sn_signal raised;
  int status;
  (void)state;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
  none = before;
  none.rlim_cur = 0;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  status = sn_platform_signal_open(&raised, &error);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
  assert_int_equal(status, SEEN_EIO);
  assert_int_equal(error.code, SEEN_EIO);
  sn_platform_signal_close(&raised);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_signal__is_raised_until_a_wait_has_seen_it),
      cmocka_unit_test(test_signal__raised_beyond_measure_is_raised_once),
      cmocka_unit_test(test_signal__a_wait_lasts_as_long_as_it_says),
      cmocka_unit_test(test_signal__wakes_a_thread_that_waits),
      cmocka_unit_test(test_signal__without_descriptors_there_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
