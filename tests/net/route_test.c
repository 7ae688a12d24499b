/* The way to a server, also where names take their time. */
#define _POSIX_C_SOURCE 200809L

#include "net/route.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "net/caller.h"

static sn_signal done;

static void on_done(void *ignored) {
  (void)ignored;
  sn_platform_signal_raise(&done);
}

static sn_site site_of(const char *url) {
  sn_site site;
  assert_int_equal(sn_site_read(seen_allocator_default(), url, &site, NULL),
                   SEEN_OK);
  return site;
}

static sn_route *begin(const char *url, const char *proxy_url) {
  sn_site site = site_of(url);
  sn_proxy proxy;
  sn_route *route;
  assert_int_equal(sn_proxy_read(proxy_url, &proxy, NULL), SEEN_OK);
  assert_int_equal(sn_route_begin(&site, &proxy, on_done, NULL, &route),
                   SEEN_OK);
  sn_site_free(seen_allocator_default(), &site);
  return route;
}

static void test_route__an_address_is_there_at_once(void **state) {
  sn_route *route = begin("http://127.0.0.1:8420", NULL);
  sn_way *way = sn_route_found(route);
  (void)state;
  assert_non_null(way);
  assert_int_equal(way->failed, 0);
  assert_int_equal(way->count, 1);
  assert_int_equal(way->port, 8420);
  assert_string_equal(way->addresses[0].text, "127.0.0.1");
  assert_true(way->tunnel == SN_NO_TCP);
  sn_route_leave(route);
}

static void test_route__a_name_is_looked_up_elsewhere(void **state) {
  sn_route *route = begin("http://localhost:1", NULL);
  (void)state;
  assert_true(sn_platform_signal_wait(&done, CALLER_MS));
  assert_non_null(sn_route_found(route));
  assert_true(sn_route_found(route)->count >= 1);
  sn_route_leave(route);
}

static void test_route__a_proxy_that_is_not_there_is_no_way(void **state) {
  sn_route *route = begin("http://a.test", "http://127.0.0.1:1");
  (void)state;
  assert_true(sn_platform_signal_wait(&done, CALLER_MS));
  assert_int_equal(sn_route_found(route)->failed, SEEN_ENDED_PROXY);
  assert_int_equal(sn_route_found(route)->code, 0);
  sn_route_leave(route);
}

static void test_route__left_it_calls_nobody(void **state) {
  (void)state;
  for (int i = 0; i < 100; i++)
    sn_route_leave(begin("http://localhost:1", NULL));
  sn_platform_signal_wait(&done, 0);
  assert_false(sn_platform_signal_wait(&done, 50));
}

static int set_up(void **state) {
  (void)state;
  return sn_platform_signal_open(&done, NULL);
}

static int tear_down(void **state) {
  (void)state;
  sn_platform_signal_close(&done);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_route__an_address_is_there_at_once),
      cmocka_unit_test(test_route__a_name_is_looked_up_elsewhere),
      cmocka_unit_test(test_route__a_proxy_that_is_not_there_is_no_way),
      cmocka_unit_test(test_route__left_it_calls_nobody),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
