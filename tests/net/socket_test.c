/* The thread of the sockets. */
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

static void test_socket__carries_many_at_once(void **state) {
  enum { MANY = 20 };
  host self;
  (void)state;
  host_open(&self, "ws", "localhost", server.port, NULL);
  for (uint64_t i = 1; i <= MANY; i++)
    host_dial(&self, i, SEEN_LINK_SOCKET, token, HOST_MS);
  for (int i = 0; i < MANY; i++) {
    assert_true(host_next(&self, HOST_MS));
    assert_int_equal(self.event.type, SEEN_TRANSPORT_OPEN);
  }
  for (uint64_t i = 1; i <= MANY; i++)
    self.transport->close(self.transport, i, 1000);
  for (int i = 0; i < MANY; i++) {
    assert_true(host_next(&self, HOST_MS));
    assert_int_equal(self.event.type, SEEN_TRANSPORT_ENDED);
    assert_int_equal(self.event.ended, SEEN_ENDED_LOCAL);
  }
  host_expect_none(&self, 50);
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
      cmocka_unit_test(test_socket__carries_many_at_once),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
