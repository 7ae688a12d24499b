/* Against a WebSocket that nobody here wrote; its port is the argument. */
#include "net/caller.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint16_t port;
static caller self;

static void begin(void) {
  caller_open(&self, "ws", "127.0.0.1", port, NULL);
  caller_dial_open(&self, 1, "to.ken");
}

static void comes_back(const char *text) {
  caller_write(&self, 1, text);
  caller_expect(&self, SEEN_TRANSPORT_FRAME, 1);
  assert_string_equal(self.event.text, text);
}

static void test_foreign__frames_come_back_as_they_went(void **state) {
  char *text = calloc(1, SEEN_FRAME_MAX + 1);
  (void)state;
  assert_non_null(text);
  memset(text, 'x', SEEN_FRAME_MAX);
  begin();
  comes_back("{\"n\":1}");
  comes_back("{\"\xc3\xa4\":\"\xf0\x9f\x98\x80\"}");
  comes_back("");
  comes_back(text);
  caller_close(&self);
  free(text);
}

static void test_foreign__fragments_are_joined(void **state) {
  (void)state;
  begin();
  comes_back("[1,2,3]");
  caller_close(&self);
}

static void test_foreign__pings_are_answered(void **state) {
  (void)state;
  begin();
  for (int i = 0; i < 3; i++) {
    self.transport->ping(self.transport, 1);
    caller_expect(&self, SEEN_TRANSPORT_ALIVE, 1);
  }
  caller_close(&self);
}

static void test_foreign__closes_are_told_both_ways(void **state) {
  (void)state;
  begin();
  caller_write(&self, 1, "close");
  caller_expect_end(&self, 1, SEEN_ENDED_PEER, 4401);
  caller_dial_open(&self, 2, "to.ken");
  self.transport->close(self.transport, 2, 1000);
  caller_expect_end(&self, 2, SEEN_ENDED_LOCAL, 0);
  caller_close(&self);
}

int main(int count, char **arguments) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_foreign__frames_come_back_as_they_went),
      cmocka_unit_test(test_foreign__fragments_are_joined),
      cmocka_unit_test(test_foreign__pings_are_answered),
      cmocka_unit_test(test_foreign__closes_are_told_both_ways),
  };
  if (count < 2) return 2;
  port = (uint16_t)strtoul(arguments[1], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
