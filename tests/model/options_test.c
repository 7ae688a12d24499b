#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <seen/options.h>

static seen_options good(void) {
  seen_options options;
  seen_options_init(&options);
  options.user = "u1";
  options.device = "d1";
  return options;
}

static void assert_good(const seen_options *options) {
  seen_error error = SEEN_ERROR_INIT;
  assert_int_equal(seen_options_check(options, &error), SEEN_OK);
  assert_int_equal(error.code, SEEN_OK);
  assert_string_equal(error.message, "");
}

static void assert_bad(const seen_options *options, int code,
                       const char *message) {
  seen_error error = SEEN_ERROR_INIT;
  assert_int_equal(seen_options_check(options, &error), code);
  assert_int_equal(error.code, code);
  assert_string_equal(error.message, message);
  assert_int_equal(seen_options_check(options, NULL), code);
}

static void test_options__the_defaults_are_as_documented(void **state) {
  seen_options options;
  (void)state;
  memset(&options, 0xa5, sizeof options);
  seen_options_init(&options);
  assert_int_equal(options.size, sizeof options);
  assert_string_equal(options.user, "");
  assert_string_equal(options.device, "");
  assert_int_equal(options.read, SEEN_READ_VIEWPORT);
  assert_int_equal(options.dwell_ms, 150);
  assert_int_equal(options.debounce_ms, 500);
  assert_int_equal(options.max_wait_ms, 1000);
  assert_int_equal(options.fetch_wait_ms, 1000);
  assert_int_equal(options.persist_ms, 200);
  assert_int_equal(options.reports_per_second, 2);
  assert_int_equal(options.burst, 4);
  assert_int_equal(options.cap, 99);
  assert_int_equal(options.own_send, SEEN_OWN_SEND_NEUTRAL);
  assert_true(options.receipts);
  assert_false(options.delivered);
  assert_false(options.subscriptions);
  assert_false(options.jitter);
  assert_int_equal(options.seed, 0);
  assert_true(options.log == NULL);
  assert_null(options.log_user_data);
  assert_int_equal(options.log_level, SEEN_LOG_WARN);
  assert_null(options.allocator);
}

static void test_options__the_defaults_with_a_user_are_good(void **state) {
  seen_options options = good();
  (void)state;
  assert_good(&options);
  options.device = "";
  options.allocator = seen_allocator_default();
  assert_good(&options);
}

static void test_options__without_a_user_they_are_not(void **state) {
  seen_options options = good();
  (void)state;
  options.user = "";
  assert_bad(&options, SEEN_EINVAL, "user: is empty");
  options = good();
  memset(&options.user, 0, sizeof options.user);
  assert_bad(&options, SEEN_EINVAL, "user: is NULL");
  options = good();
  memset(&options.device, 0, sizeof options.device);
  assert_bad(&options, SEEN_EINVAL, "device: is NULL");
}

static void test_options__an_id_has_255_bytes_at_most(void **state) {
  seen_options options = good();
  char id[257];
  (void)state;
  memset(id, 'x', 256);
  id[256] = '\0';
  options.user = id + 1;
  options.device = id + 1;
  assert_good(&options);
  options.user = id;
  assert_bad(&options, SEEN_EINVAL, "user: 256 bytes, 255 are allowed");
  options.user = "u1";
  options.device = id;
  assert_bad(&options, SEEN_EINVAL, "device: 256 bytes, 255 are allowed");
}

static void test_options__an_id_is_utf8(void **state) {
  seen_options options = good();
  (void)state;
  options.user = "\xe5\xbc\xa0";
  assert_good(&options);
  options.user = "u\xff";
  assert_bad(&options, SEEN_EINVAL, "user: is not UTF-8");
  options.user = "u1";
  options.device = "\xe5\xbc";
  assert_bad(&options, SEEN_EINVAL, "device: is not UTF-8");
}

static void test_options__those_of_another_library_are_refused(void **state) {
  seen_options options = good();
  seen_error error = SEEN_ERROR_INIT;
  (void)state;
  options.size = 8;
  assert_int_equal(seen_options_check(&options, &error), SEEN_EINVAL);
  assert_memory_equal(error.message, "size: 8, this library's is ", 27);
}

static void test_options__the_bucket_is_in_its_range(void **state) {
  seen_options options = good();
  (void)state;
  options.reports_per_second = 1000;
  options.burst = 1000;
  assert_good(&options);
  options.reports_per_second = 1;
  options.burst = 1;
  assert_good(&options);
  options.burst = 0;
  assert_bad(&options, SEEN_ERANGE, "burst: 0 is not in 1..1000");
  options.burst = 1001;
  assert_bad(&options, SEEN_ERANGE, "burst: 1001 is not in 1..1000");
  options.reports_per_second = 0;
  assert_bad(&options, SEEN_ERANGE, "reports_per_second: 0 is not in 1..1000");
  options.reports_per_second = 4294967295u;
  assert_bad(&options, SEEN_ERANGE,
             "reports_per_second: 4294967295 is not in 1..1000");
}

static void test_options__a_policy_is_one_that_there_is(void **state) {
  seen_options options = good();
  (void)state;
  options.read = SEEN_READ_ON_OPEN;
  options.own_send = SEEN_OWN_SEND_READS;
  options.log_level = SEEN_LOG_ERROR;
  assert_good(&options);
  options.read = (seen_read_policy)2;
  assert_bad(&options, SEEN_ERANGE, "read: 2 is not in 0..1");
  options = good();
  options.own_send = (seen_own_send)2;
  assert_bad(&options, SEEN_ERANGE, "own_send: 2 is not in 0..1");
  options = good();
  options.log_level = (seen_log_level)4;
  assert_bad(&options, SEEN_ERANGE, "log_level: 4 is not in 0..3");
}

static void test_options__an_allocator_has_all_its_functions(void **state) {
  seen_options options = good();
  seen_allocator memory = *seen_allocator_default();
  (void)state;
  options.allocator = &memory;
  assert_good(&options);
  memset(&memory.resize, 0, sizeof memory.resize);
  assert_bad(&options, SEEN_EINVAL, "allocator: a function is NULL");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_options__the_defaults_are_as_documented),
      cmocka_unit_test(test_options__the_defaults_with_a_user_are_good),
      cmocka_unit_test(test_options__without_a_user_they_are_not),
      cmocka_unit_test(test_options__an_id_has_255_bytes_at_most),
      cmocka_unit_test(test_options__an_id_is_utf8),
      cmocka_unit_test(test_options__those_of_another_library_are_refused),
      cmocka_unit_test(test_options__the_bucket_is_in_its_range),
      cmocka_unit_test(test_options__a_policy_is_one_that_there_is),
      cmocka_unit_test(test_options__an_allocator_has_all_its_functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
