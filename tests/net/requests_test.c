/* Requests. */
#include "net/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/server.h"

static test_server server;
static char token[TEST_TOKEN_MAX];

static void test_requests__one_is_answered(void **state) {
  host self;
  (void)state;
  host_open(&self, "http", "127.0.0.1", server.port, NULL);
  host_request(&self, 7, token, "/im/unread", NULL, HOST_MS);
  host_expect_answer(&self, 7, 200, (seen_ended)0);
  assert_non_null(strstr(self.event.text, "\"unread\":0"));
  host_request(&self, 8, "no.such.token", "/im/unread", NULL, HOST_MS);
  host_expect_answer(&self, 8, 401, (seen_ended)0);
  host_close(&self);
}

static int set_up(void **state) {
  (void)state;
  test_server_start(&server, NULL);
  test_server_token(&server, "ann", 3600, token);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  test_server_remove(&server);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_requests__one_is_answered),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
