#include <seen/sys/transport.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void wake(void *ignored) {
  (void)ignored;
}

static void test_options__defaults_are_those_of_the_header(void **state) {
  seen_net_options options;
  (void)state;
  memset(&options, 0xff, sizeof options);
  seen_net_options_init(&options);
  assert_int_equal(options.size, sizeof options);
  assert_int_equal(options.poll_ms, 25000);
  assert_int_equal(options.log_level, SEEN_LOG_WARN);
  assert_null(options.proxy);
  assert_null(options.ca_file);
  assert_null(options.pinned_key);
  assert_null(options.allocator);
}

static int open_with(const char *url, const char *proxy, const char *key,
                     const char *ca_file) {
  seen_error error = SEEN_ERROR_INIT;
  seen_net_options options;
  seen_transport *transport = (seen_transport *)&options;
  int status;
  seen_net_options_init(&options);
  options.url = url;
  options.proxy = proxy;
  options.pinned_key = key;
  options.ca_file = ca_file;
  options.wake = wake;
  status = seen_net_open(&options, &transport, &error);
  assert_int_equal(error.code, status);
  if (status)
    assert_null(transport);
  else
    transport->free(transport);
  return status;
}

static void test_options__what_makes_no_sense_is_refused(void **state) {
  static const char key[] = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
  const char *url = "https://a.test";
  (void)state;
  assert_int_equal(open_with(url, NULL, NULL, NULL), SEEN_OK);
  assert_int_equal(open_with(url, "http://p.test:1", key, NULL), SEEN_OK);
  assert_int_equal(open_with("gopher://a.test", NULL, NULL, NULL), SEEN_EINVAL);
  assert_int_equal(open_with(url, "p.test", NULL, NULL), SEEN_EINVAL);
  assert_int_equal(open_with(url, NULL, "key", NULL), SEEN_EINVAL);
  assert_int_equal(open_with(url, NULL, NULL, "/no/such/file"), SEEN_ENOTFOUND);
  assert_int_equal(open_with(url, NULL, NULL, "/dev/null"), SEEN_EPARSE);
}

static void test_options__size_url_and_wake_are_due(void **state) {
  seen_net_options options;
  seen_transport *transport;
  (void)state;
  seen_net_options_init(&options);
  options.wake = wake;
  assert_int_equal(seen_net_open(&options, &transport, NULL), SEEN_EINVAL);
  options.url = "http://a.test";
  memset(&options.wake, 0, sizeof options.wake);
  assert_int_equal(seen_net_open(&options, &transport, NULL), SEEN_EINVAL);
  options.wake = wake;
  options.size--;
  assert_int_equal(seen_net_open(&options, &transport, NULL), SEEN_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_options__defaults_are_those_of_the_header),
      cmocka_unit_test(test_options__what_makes_no_sense_is_refused),
      cmocka_unit_test(test_options__size_url_and_wake_are_due),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
