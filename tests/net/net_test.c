/* The contract of the vtable. */
#include "net/caller.h"

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

static void test_net__what_is_unknown_is_no_error(void **state) {
  caller self;
  (void)state;
  caller_open(&self, "http", "127.0.0.1", server.port, NULL);
  caller_write(&self, 5, "{}");
  self.transport->ping(self.transport, 5);
  self.transport->close(self.transport, 5, 1000);
  self.transport->cancel(self.transport, 5);
  caller_expect_none(&self, 50);
  caller_dial_open(&self, 1, token);
  caller_write(&self, 5, "{}");
  self.transport->close(self.transport, 5, 1000);
  self.transport->cancel(self.transport, 5);
  caller_expect_none(&self, 50);
  caller_close(&self);
}

static void test_net__a_number_is_dialled_once(void **state) {
  seen_dial dial = {sizeof dial, 1, SEEN_LINK_SOCKET, NULL, 0};
  caller self;
  (void)state;
  caller_open(&self, "http", "127.0.0.1", server.port, NULL);
  caller_dial(&self, 1, SEEN_LINK_SOCKET, token, 0);
  assert_int_equal(self.transport->dial(self.transport, &dial, NULL),
                   SEEN_EINVAL);
  dial.connection = 2;
  dial.token = "two\r\nlines";
  assert_int_equal(self.transport->dial(self.transport, &dial, NULL),
                   SEEN_EINVAL);
  caller_close(&self);
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
      cmocka_unit_test(test_net__what_is_unknown_is_no_error),
      cmocka_unit_test(test_net__a_number_is_dialled_once),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
