/* What is too much, both ways: it is bounded, and no end waits for it. */
#define _POSIX_C_SOURCE 200809L

#include "net/caller.h"
#include "net/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/wait.h"

static caller self;
static peer *other;
static size_t sent; /* frames of a flood so far; under `counting` */
static int code;    /* that the flood was closed with */

static void begin(peer_script script) {
  sent = 0;
  other = peer_start(script, NULL);
  caller_open(&self, "ws", "127.0.0.1", peer_port(other), NULL);
}

/* The script is over when this returns. */
static void finish(void) {
  caller_close(&self);
  peer_outlive(other);
}

/* Takes the upgrade and reads no more until it is told. */
static void be_deaf(int end, void *argument) {
  sn_signal *heard = argument;
  (void)end;
  if (peer_accept(end)) sn_platform_signal_wait(heard, CALLER_MS);
}

static void
test_flood__a_backlog_is_bounded_and_no_close_waits_for_it(void **state) {
  enum { EACH = 60000 };
  char *text = calloc(1, EACH + 1);
  sn_signal heard;
  uint64_t before;
  size_t bytes = 0;
  int status;
  (void)state;
  assert_non_null(text);
  memset(text, 'x', EACH);
  assert_int_equal(sn_platform_signal_open(&heard, NULL), SEEN_OK);
  other = peer_start(be_deaf, &heard);
  caller_open(&self, "ws", "127.0.0.1", peer_port(other), NULL);
  caller_dial_open(&self, 1, NULL);
  while ((status = self.transport->write(self.transport, 1, text, EACH,
                                         NULL)) == SEEN_OK)
    bytes += EACH;
  assert_int_equal(status, SEEN_EFULL);
  assert_true(bytes >= 4000000);
  assert_true(bytes < 40000000); /* the system's buffers hold some too */
  before = sn_platform_clock();
  self.transport->close(self.transport, 1, 1000);
  caller_expect_end(&self, 1, SEEN_ENDED_LOCAL, 0);
  assert_true(sn_platform_clock() - before < caller_soon_ms());
  caller_expect_none(&self, 20);
  sn_platform_signal_raise(&heard);
  finish();
  sn_platform_signal_close(&heard);
  free(text);
}

static sn_mutex *counting;

static void set_sent(size_t frames) {
  sn_platform_mutex_lock(counting);
  sent = frames;
  sn_platform_mutex_unlock(counting);
}

static size_t sent_so_far(void) {
  size_t frames;
  sn_platform_mutex_lock(counting);
  frames = sent;
  sn_platform_mutex_unlock(counting);
  return frames;
}

/* As much as it can be given, frame by frame. */
static void flood(int end, void *argument) {
  static char text[10001];
  (void)argument;
  if (!peer_accept(end)) return;
  memset(text, ' ', sizeof text - 1);
  for (int i = 0; i < 3000; i++) {
    snprintf(text, 16, "{\"n\":%d}", i);
    text[strlen(text)] = ' ';
    if (!peer_frame(end, PEER_TEXT, text, sizeof text - 1)) return;
    set_sent((size_t)i + 1);
  }
  code = peer_drain(end);
}

static bool is_stuck(void *argument) {
  size_t *last = argument;
  size_t now = sent_so_far();
  bool stuck = now > 0 && now == *last;
  *last = now;
  sn_platform_signal_wait(&self.woken, 150);
  return stuck;
}

static void test_flood__a_flood_waits_outside_and_comes_in_order(void **state) {
  size_t last = 0;
  (void)state;
  begin(flood);
  caller_dial_open(&self, 1, NULL);
  assert_true(test_wait_until(is_stuck, &last, CALLER_MS));
  /* 30 MB are to come: 1 MiB waits here, some in the system's buffers. */
  assert_true(last < 1500);
  for (int i = 0; i < 3000; i++) {
    char wanted[20];
    snprintf(wanted, sizeof wanted, "{\"n\":%d}", i);
    caller_expect(&self, SEEN_TRANSPORT_FRAME, 1);
    assert_int_equal(self.event.length, 10000);
    assert_memory_equal(self.event.text, wanted, strlen(wanted));
  }
  self.transport->close(self.transport, 1, 1000);
  caller_expect_end(&self, 1, SEEN_ENDED_LOCAL, 0);
  finish();
  assert_int_equal(code, 1000);
}

static void test_flood__closed_while_flooded_it_ends_in_time(void **state) {
  uint64_t before;
  size_t last = 0;
  (void)state;
  begin(flood);
  caller_dial_open(&self, 1, NULL);
  assert_true(test_wait_until(is_stuck, &last, CALLER_MS));
  before = sn_platform_clock();
  self.transport->close(self.transport, 1, 1000);
  caller_expect_end(&self, 1, SEEN_ENDED_LOCAL, 0);
  assert_true(sn_platform_clock() - before < caller_soon_ms());
  finish();
}

static int set_up(void **state) {
  (void)state;
  counting = sn_platform_mutex_new(seen_allocator_default());
  return counting == NULL;
}

static int tear_down(void **state) {
  (void)state;
  sn_platform_mutex_free(seen_allocator_default(), counting);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(
          test_flood__a_backlog_is_bounded_and_no_close_waits_for_it),
      cmocka_unit_test(test_flood__a_flood_waits_outside_and_comes_in_order),
      cmocka_unit_test(test_flood__closed_while_flooded_it_ends_in_time),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
