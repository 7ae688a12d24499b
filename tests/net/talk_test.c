/* A connection by WebSocket. */
#include "net/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/server.h"

#define HELLO "{\"t\":\"hello\",\"id\":1,\"device\":\"d\"}"

static test_server server;
static char token[TEST_TOKEN_MAX];

static void test_talk__says_hello_and_is_welcome(void **state) {
  host self;
  (void)state;
  host_open(&self, "http", "127.0.0.1", server.port, NULL);
  host_dial_open(&self, 1, token);
  host_write(&self, 1, HELLO);
  host_expect(&self, SEEN_TRANSPORT_FRAME, 1);
  assert_non_null(strstr(self.event.text, "\"welcome\""));
  self.transport->ping(self.transport, 1);
  while (self.event.type == SEEN_TRANSPORT_FRAME)
    assert_true(host_next(&self, HOST_MS));
  assert_int_equal(self.event.type, SEEN_TRANSPORT_ALIVE);
  self.transport->close(self.transport, 1, 1000);
  host_expect_end(&self, 1, SEEN_ENDED_LOCAL, 0);
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
      cmocka_unit_test(test_talk__says_hello_and_is_welcome),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
