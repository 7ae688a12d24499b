/* A client's life, over and over: nothing is left of it. */
#include "support/host.h"

#include <stdlib.h>
#include <string.h>

#include "support/folder.h"
#include "support/random.h"
#include "support/wait.h"

/* A host that may be freed right after the close returned (C232). */
typedef struct owner {
  seen_client *client;
  sn_signal woken;
  size_t heard;
  size_t freed;
} owner;

static void hear(const seen_event *event, void *user_data) {
  owner *it = user_data;
  (void)event;
  it->heard++;
}

static void free_owner(void *user_data) {
  ((owner *)user_data)->freed++;
}

static void wake_owner(void *user_data) {
  sn_platform_signal_raise(&((owner *)user_data)->woken);
}

static void *dispatch(void *argument) {
  owner *it = argument;
  do {
    (void)sn_platform_signal_wait(&it->woken, HOST_MS);
    (void)seen_client_dispatch(it->client);
  } while (seen_client_mark_read(it->client, "g", 0) != SEEN_ECLOSED);
  return NULL;
}

static void *talk(void *argument) {
  test_link *link = argument;
  for (int i = 0; i < 20; i++)
    link_message(link, "g", "hello");
  return NULL;
}

static void close_while_events_flow(uint64_t round) {
  test_host *t = host_start();
  owner *it = calloc(1, sizeof *it);
  sn_thread listener, talker;
  uint64_t number;
  assert_non_null(it);
  link_row_is(t->link, "g", 0, 3);
  t->options.wakeup = wake_owner;
  t->options.user_data = it;
  t->options.user_free = free_owner;
  assert_int_equal(sn_platform_signal_open(&it->woken, NULL), SEEN_OK);
  assert_int_equal(host_try(t, NULL), SEEN_OK);
  it->client = t->client;
  assert_int_equal(seen_client_listen(t->client, SEEN_EVENT_ALL, NULL, hear, it,
                                      free_owner, &number),
                   SEEN_OK);
  assert_int_equal(seen_client_start(t->client, NULL), SEEN_OK);
  assert_int_equal(sn_platform_thread(dispatch, it, &listener, NULL), 0);
  assert_int_equal(sn_platform_thread(talk, t->link, &talker, NULL), 0);
  for (uint64_t i = 0; i < round % 64; i++)
    (void)seen_client_count(t->client);
  seen_client_close(t->client);
  assert_int_equal(it->freed, 2);
  sn_platform_join(listener);
  sn_platform_signal_close(&it->woken);
  free(it); /* before the client itself is freed */
  sn_platform_join(talker);
  t->freed += 2;
  host_end(t);
}

static void test_rounds__after_a_close_nothing_is_called(void **state) {
  (void)state;
  for (uint64_t n = test_scaled(10000); n > 0; n--)
    close_while_events_flow(n);
}

static void live_once(uint64_t round) {
  test_host *t = host_start();
  host_in_folder(t);
  link_row_is(t->link, "g", 0, 3);
  host_open(t);
  if (round % 3) assert_int_equal(seen_client_start(t->client, NULL), SEEN_OK);
  if (round % 3 == 0) host_turns(t);
  if (round % 5 == 0)
    assert_int_equal(seen_client_flush(t->client, HOST_MS, NULL), SEEN_OK);
  host_end(t);
}

static size_t threads; /* of this process when it began */

/* The system may take a moment to forget one that has ended. */
static bool threads_are_back(void *ignored) {
  (void)ignored;
  return test_count_threads() <= threads;
}

static void test_rounds__no_thread_and_no_descriptor_is_left(void **state) {
  size_t descriptors;
  (void)state;
  live_once(1);
  descriptors = test_count_descriptors();
  for (uint64_t n = test_scaled(1000); n > 0; n--)
    live_once(n);
  assert_true(test_wait_until(threads_are_back, NULL, HOST_MS));
  assert_int_equal(test_count_descriptors(), descriptors);
}

static void test_rounds__started_and_closed_at_once(void **state) {
  (void)state;
  for (uint64_t n = test_scaled(1000); n > 0; n--) { /* C230 */
    test_host *t = host_start();
    host_open(t);
    assert_int_equal(seen_client_start(t->client, NULL), SEEN_OK);
    host_end(t);
  }
}

static void free_within(const seen_event *event, void *user_data) {
  owner *it = user_data;
  (void)event;
  if (!it->heard++) seen_client_free(it->client);
}

static void test_rounds__a_listener_may_free_while_it_runs(void **state) {
  (void)state;
  for (uint64_t n = test_scaled(1000); n > 0; n--) { /* C241 */
    test_host *t = host_start();
    owner it = {0};
    uint64_t number;
    assert_int_equal(host_try(t, NULL), SEEN_OK);
    it.client = t->client;
    assert_int_equal(seen_client_listen(t->client, SEEN_EVENT_ALL, NULL,
                                        free_within, &it, free_owner, &number),
                     SEEN_OK);
    assert_int_equal(seen_client_start(t->client, NULL), SEEN_OK);
    while (!it.heard)
      (void)seen_client_dispatch(t->client);
    assert_int_equal(it.heard, 1);
    assert_int_equal(it.freed, 1);
    t->client = NULL;
    host_end(t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rounds__after_a_close_nothing_is_called),
      TEST_IN_FOLDER(test_rounds__no_thread_and_no_descriptor_is_left),
      cmocka_unit_test(test_rounds__started_and_closed_at_once),
      cmocka_unit_test(test_rounds__a_listener_may_free_while_it_runs),
  };
  threads = test_count_threads_alone();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
