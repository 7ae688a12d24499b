/* Each allocation of a client's life fails once, and nothing is lost. */
#include "support/host.h"

#include <string.h>

#include "support/random.h"

static bool server_has_all(test_host *t) {
  return link_read(t->link, "g").seq == 10 &&
         link_read(t->link, "h").epoch == 1;
}

static bool has_ten(test_host *t) {
  seen_state row = {.size = sizeof row};
  return !seen_client_state(t->client, "g", &row) && row.last_seq == 10;
}

static void fail_at(test_host *t, uint64_t n) {
  sn_platform_mutex_lock(t->mutex);
  test_alloc_fail(&t->memory, n);
  sn_platform_mutex_unlock(t->mutex);
}

/* An act that is refused for want of memory is said again, as a host does. */
static void insist(test_host *t, int (*act)(test_host *t)) {
  int status = act(t);
  if (status == SEEN_ENOMEM) status = act(t);
  assert_int_equal(status, SEEN_OK);
}

static int read_g(test_host *t) {
  return seen_client_mark_read(t->client, "g", 0);
}

static int mark_h(test_host *t) {
  return seen_client_mark_unread(t->client, "h", 2);
}

static uint64_t request;

static int send(test_host *t) {
  const seen_post post = {.size = sizeof post, .body = "x"};
  return seen_client_send(t->client, "h", &post, &request, NULL);
}

static bool is_answered(test_host *t) {
  return t->reply_count > 0;
}

/* False: nothing failed any more. */
static bool live_through(uint64_t n) {
  test_host *t = host_start();
  seen_totals totals;
  bool failed;
  link_row_is(t->link, "g", 5, 9);
  link_row_is(t->link, "h", 3, 3);
  host_open(t);
  fail_at(t, n);
  host_until(t, host_is_online);
  link_message(t->link, "g", "hello");
  host_until(t, has_ten);
  insist(t, read_g);
  insist(t, mark_h);
  insist(t, send);
  host_until(t, server_has_all);
  host_until(t, is_answered);
  failed = t->memory.failures > 0;
  fail_at(t, 0);
  host_turns(t);
  seen_client_totals(t->client, &totals);
  assert_int_equal(totals.unread, 2);
  assert_int_equal(t->replies[0], request);
  host_end(t);
  return failed;
}

static void test_memory__each_allocation_may_fail_once(void **state) {
  uint64_t step = 20 / test_scaled(20), n = 1;
  (void)state;
  while (live_through(n))
    n += step;
  assert_true(n > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory__each_allocation_may_fail_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
