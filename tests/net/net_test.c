/* The contract of the vtable. */
#include "net/caller.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/server.h"

#define HELLO "{\"t\":\"hello\",\"id\":1,\"device\":\"d\"}"

static void test_net__what_is_unknown_is_no_error(void **state) {
  caller self;
  (void)state;
  caller_open(&self, "http", "127.0.0.1", caller_server.port, NULL);
  caller_write(&self, 5, "{}");
  self.transport->ping(self.transport, 5);
  self.transport->close(self.transport, 5, 1000);
  self.transport->cancel(self.transport, 5);
  caller_expect_none(&self, 50);
  caller_dial_open(&self, 1, caller_token);
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
  caller_open(&self, "http", "127.0.0.1", caller_server.port, NULL);
  caller_dial(&self, 1, SEEN_LINK_SOCKET, caller_token, 0);
  assert_int_equal(self.transport->dial(self.transport, &dial, NULL),
                   SEEN_EINVAL);
  dial.connection = 2;
  dial.token = "two\r\nlines";
  assert_int_equal(self.transport->dial(self.transport, &dial, NULL),
                   SEEN_EINVAL);
  caller_close(&self);
}

/* An allocator for several threads, of which one call fails. */
typedef struct scarce {
  seen_allocator allocator;
  sn_mutex *lock;
  uint64_t calls, fail_at;
  int64_t blocks;
} scarce;

static bool may_have(scarce *memory, int64_t blocks) {
  bool may;
  sn_platform_mutex_lock(memory->lock);
  may = ++memory->calls != memory->fail_at;
  if (may) memory->blocks += blocks;
  sn_platform_mutex_unlock(memory->lock);
  return may;
}

static void *allocate(size_t size, void *memory) {
  return may_have(memory, 1) ? malloc(size) : NULL;
}

static void *resize(void *block, size_t size, void *memory) {
  return may_have(memory, block ? 0 : 1) ? realloc(block, size) : NULL;
}

static void release(void *block, void *user_data) {
  scarce *memory = user_data;
  sn_platform_mutex_lock(memory->lock);
  memory->blocks--;
  sn_platform_mutex_unlock(memory->lock);
  free(block);
}

static int try_dial(caller *self, uint64_t number, seen_link link) {
  seen_dial dial = {sizeof dial, number, link, caller_token, CALLER_MS};
  return self->transport->dial(self->transport, &dial, NULL);
}

/* Dials, asks, closes; each that was begun has to have one last event. */
static void use(caller *self) {
  seen_transport *transport = self->transport;
  seen_http_request request = {sizeof request, 3, "/im/unread", caller_token,
                               NULL,           0, CALLER_MS};
  size_t wanted = 0, ends = 0;
  wanted += try_dial(self, 1, SEEN_LINK_SOCKET) != SEEN_ENOMEM;
  wanted += try_dial(self, 2, SEEN_LINK_POLL) != SEEN_ENOMEM;
  wanted += transport->request(transport, &request, NULL) != SEEN_ENOMEM;
  while (ends < wanted) {
    if (!caller_next(self, 100)) {
      transport->close(transport, 1, 1000);
      transport->close(transport, 2, 1000);
      assert_true(caller_next(self, CALLER_MS));
    }
    ends += self->event.type == SEEN_TRANSPORT_ENDED ||
            self->event.type == SEEN_TRANSPORT_ANSWER;
    if (self->event.type == SEEN_TRANSPORT_OPEN)
      transport->write(transport, self->event.number, HELLO, strlen(HELLO),
                       NULL);
  }
  assert_int_equal(ends, wanted);
  caller_expect_none(self, 5);
}

static void wake(void *woken) {
  sn_platform_signal_raise(woken);
}

/* False: nothing failed any more. */
static bool survives(uint64_t fail_at) {
  scarce memory = {{allocate, resize, release, NULL}, NULL, 0, fail_at, 0};
  seen_net_options options;
  caller self;
  char url[60];
  memset(&self, 0, sizeof self);
  memory.allocator.user_data = &memory;
  memory.lock = sn_platform_mutex_new(seen_allocator_default());
  assert_non_null(memory.lock);
  assert_int_equal(sn_platform_signal_open(&self.woken, NULL), SEEN_OK);
  snprintf(url, sizeof url, "http://127.0.0.1:%u",
           (unsigned)caller_server.port);
  seen_net_options_init(&options);
  options.url = url;
  options.wake = wake;
  options.user_data = &self.woken;
  options.allocator = &memory.allocator;
  if (seen_net_open(&options, &self.transport, NULL) == SEEN_OK) {
    use(&self);
    self.transport->free(self.transport);
  } else {
    assert_null(self.transport);
  }
  assert_int_equal(memory.blocks, 0);
  sn_platform_signal_close(&self.woken);
  sn_platform_mutex_free(seen_allocator_default(), memory.lock);
  return memory.calls >= fail_at;
}

static void test_net__each_failing_allocation_is_survived(void **state) {
  (void)state;
  for (uint64_t n = 1; survives(n); n++)
    assert_true(n < 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_net__what_is_unknown_is_no_error),
      cmocka_unit_test(test_net__a_number_is_dialled_once),
      cmocka_unit_test(test_net__each_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, caller_set_up, caller_tear_down);
}
