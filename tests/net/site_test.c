#include "net/site.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

static sn_site read(const char *url) {
  seen_error error = SEEN_ERROR_INIT;
  sn_site site;
  if (sn_site_read(seen_allocator_default(), url, &site, &error))
    fail_msg("%s: %s", url, error.message);
  return site;
}

static void expect(const char *url, bool tls, const char *host, uint16_t port,
                   const char *authority, const char *path) {
  sn_site site = read(url);
  assert_int_equal(site.tls, tls);
  assert_string_equal(site.host, host);
  assert_int_equal(site.port, port);
  assert_string_equal(site.authority, authority);
  assert_string_equal(site.path, path);
  sn_site_free(seen_allocator_default(), &site);
}

static void test_site__schemes_of_sockets_and_requests_are_one(void **state) {
  (void)state;
  expect("http://a.test", false, "a.test", 80, "a.test", "");
  expect("ws://a.test", false, "a.test", 80, "a.test", "");
  expect("https://a.test", true, "a.test", 443, "a.test", "");
  expect("wss://a.test:8443", true, "a.test", 8443, "a.test:8443", "");
  expect("http://a.test:443", false, "a.test", 443, "a.test:443", "");
}

static void test_site__a_path_stands_before_all_others(void **state) {
  (void)state;
  expect("http://a.test/", false, "a.test", 80, "a.test", "");
  expect("https://a.test:1/im", true, "a.test", 1, "a.test:1", "/im");
  expect("https://a.test/x/y//", true, "a.test", 443, "a.test", "/x/y");
}

static void test_site__addresses_are_hosts(void **state) {
  (void)state;
  expect("http://127.0.0.1:8420", false, "127.0.0.1", 8420, "127.0.0.1:8420",
         "");
  expect("http://[::1]:8420/a", false, "::1", 8420, "[::1]:8420", "/a");
  expect("http://[::1]", false, "::1", 80, "[::1]", "");
}

static void test_site__what_makes_no_sense_is_refused(void **state) {
  static const char *const bad[] = {"",
                                    "a.test",
                                    "ftp://a.test",
                                    "http://",
                                    "http://:80",
                                    "http://a.test:",
                                    "http://a.test:0",
                                    "http://a.test:65536",
                                    "http://a.test:99999999999999999999",
                                    "http://a.test:8x",
                                    "http://u:p@a.test",
                                    "http://a.test/?q",
                                    "http://a.test#f",
                                    "http://a test",
                                    "http://a.test/\r\nX: y",
                                    "http://[::1",
                                    "http://[]:1",
                                    "http://[::1]x",
                                    "https://[::1]:1",
                                    "http://a.test/\xc3\xa4"};
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    seen_error error = SEEN_ERROR_INIT;
    sn_site site;
    if (sn_site_read(seen_allocator_default(), bad[i], &site, &error) !=
            SEEN_EINVAL ||
        error.code != SEEN_EINVAL)
      fail_msg("%s was taken", bad[i]);
  }
}

static void
test_site__a_host_longer_than_a_library_takes_is_refused(void **state) {
  char url[400] = "http://";
  sn_site site;
  (void)state;
  memset(url + 7, 'a', SN_HOST_MAX - 1);
  site = read(url);
  sn_site_free(seen_allocator_default(), &site);
  strcat(url, "a");
  assert_int_equal(sn_site_read(seen_allocator_default(), url, &site, NULL),
                   SEEN_EINVAL);
}

static void test_site__without_memory_there_is_none(void **state) {
  test_alloc memory;
  sn_site site;
  (void)state;
  test_alloc_init(&memory);
  test_alloc_fail(&memory, 1);
  assert_int_equal(
      sn_site_read(&memory.allocator, "http://a.test/b", &site, NULL),
      SEEN_ENOMEM);
  sn_site_free(&memory.allocator, &site);
  test_alloc_check(&memory);
}

static void test_proxy__has_a_host_a_port_and_maybe_a_user(void **state) {
  sn_proxy proxy;
  (void)state;
  assert_int_equal(sn_proxy_read(NULL, &proxy, NULL), SEEN_OK);
  assert_int_equal(proxy.port, 0);
  assert_int_equal(sn_proxy_read("http://p.test:3128", &proxy, NULL), SEEN_OK);
  assert_string_equal(proxy.host, "p.test");
  assert_int_equal(proxy.port, 3128);
  assert_string_equal(proxy.user, "");
  assert_int_equal(sn_proxy_read("http://u%40x:p%3a@[::1]:1/", &proxy, NULL),
                   SEEN_OK);
  assert_string_equal(proxy.host, "::1");
  assert_string_equal(proxy.user, "u@x:p:");
}

static void test_proxy__what_makes_no_sense_is_refused(void **state) {
  static const char *const bad[] = {"",
                                    "p.test:1",
                                    "https://p.test:1",
                                    "socks5://p.test:1",
                                    "http://p.test",
                                    "http://p.test:1/x",
                                    "http://u%4@p.test:1",
                                    "http://u%0a@p.test:1",
                                    "http://u%zz@p.test:1"};
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    sn_proxy proxy;
    if (sn_proxy_read(bad[i], &proxy, NULL) != SEEN_EINVAL)
      fail_msg("%s was taken", bad[i]);
    assert_int_equal(proxy.port, 0);
  }
}

static void test_site__a_token_can_not_end_its_header(void **state) {
  static char long_one[9000];
  (void)state;
  memset(long_one, 'a', sizeof long_one - 1);
  assert_true(sn_site_takes_token("a.b-c_d=="));
  assert_false(sn_site_takes_token(""));
  assert_false(sn_site_takes_token("a\r\nX: y"));
  assert_false(sn_site_takes_token("a b"));
  assert_false(sn_site_takes_token(long_one));
}

static void test_site__a_path_begins_at_the_root(void **state) {
  (void)state;
  assert_true(sn_site_takes_path("/im/unread?a=%20"));
  assert_false(sn_site_takes_path("im"));
  assert_false(sn_site_takes_path(""));
  assert_false(sn_site_takes_path("@other.test/"));
  assert_false(sn_site_takes_path("/a b"));
  assert_false(sn_site_takes_path("/a#b"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_site__schemes_of_sockets_and_requests_are_one),
      cmocka_unit_test(test_site__a_path_stands_before_all_others),
      cmocka_unit_test(test_site__addresses_are_hosts),
      cmocka_unit_test(test_site__what_makes_no_sense_is_refused),
      cmocka_unit_test(
          test_site__a_host_longer_than_a_library_takes_is_refused),
      cmocka_unit_test(test_site__without_memory_there_is_none),
      cmocka_unit_test(test_proxy__has_a_host_a_port_and_maybe_a_user),
      cmocka_unit_test(test_proxy__what_makes_no_sense_is_refused),
      cmocka_unit_test(test_site__a_token_can_not_end_its_header),
      cmocka_unit_test(test_site__a_path_begins_at_the_root),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
