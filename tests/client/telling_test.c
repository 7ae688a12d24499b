#include "support/host.h"

#include <string.h>

#include "support/random.h"

static test_host *connected(void) {
  test_host *t = host_start();
  link_row_is(t->link, "g", 5, 9);
  link_row_is(t->link, "h", 0, 2);
  host_connect(t);
  host_forget(t);
  return t;
}

static void steps(test_host *t) {
  for (int i = 0; i < 10; i++)
    (void)seen_client_step(t->client, 2, NULL);
}

static void test_telling__a_slow_host_hears_less(void **state) {
  test_host *t = connected();
  (void)state;
  for (int i = 0; i < 500; i++) {
    link_message(t->link, "g", "hello");
    if (i % 50 == 0) steps(t);
  }
  steps(t);
  seen_client_dispatch(t->client);
  assert_int_equal(host_heard(t, SEEN_EVENT_CONVERSATION)->count, 1);
  assert_int_equal(host_heard(t, SEEN_EVENT_TOTALS)->count, 1); /* C199 */
  assert_int_equal(host_heard(t, SEEN_EVENT_LIST)->count, 1);
  assert_int_equal(host_heard(t, SEEN_EVENT_LIST)->last.u.list.count, 1);
  assert_int_equal(host_heard(t, SEEN_EVENT_MESSAGE)->count, 500);
  assert_int_equal(host_heard(t, SEEN_EVENT_CONVERSATION)->last.u.state.unread,
                   504);
  host_end(t);
}

static void test_telling__a_host_is_woken_once_until_it_comes(void **state) {
  test_host *t = connected();
  size_t before;
  (void)state;
  before = t->wakes;
  link_message(t->link, "g", "hello");
  steps(t);
  link_message(t->link, "g", "hello");
  steps(t);
  assert_int_equal(t->wakes, before + 1);
  seen_client_dispatch(t->client);
  steps(t);
  assert_int_equal(t->wakes, before + 1);
  link_message(t->link, "g", "hello");
  steps(t);
  assert_int_equal(t->wakes, before + 2);
  host_end(t);
}

static void test_telling__events_can_be_had_by_the_batch(void **state) {
  test_host *t = connected();
  seen_event events[3];
  size_t messages = 0, count;
  (void)state;
  for (int i = 0; i < 10; i++)
    link_message(t->link, "g", "hello");
  steps(t);
  do {
    count = seen_client_next_events(t->client, events, 3);
    for (size_t i = 0; i < count; i++) {
      if (events[i].type != SEEN_EVENT_MESSAGE) continue;
      assert_string_equal(events[i].u.message.body, "hello");
      assert_string_equal(events[i].id, "g");
      messages++;
    }
  } while (count == 3);
  assert_int_equal(messages, 10);
  assert_int_equal(seen_client_dispatch(t->client), 0);
  host_end(t);
}

/* One that listens to a conversation, and frees what it is given. */
typedef struct ear {
  test_host *t;
  uint64_t number;
  size_t heard;
  size_t freed;
  void (*then)(struct ear *ear);
} ear;

static void hear(const seen_event *event, void *user_data) {
  ear *it = user_data;
  (void)event;
  it->heard++;
  if (it->then) it->then(it);
}

static void free_ear(void *user_data) {
  ((ear *)user_data)->freed++;
}

static void listen(test_host *t, ear *it, uint32_t types, const char *id) {
  it->t = t;
  assert_int_equal(
      seen_client_listen(t->client, types, id, hear, it, free_ear, &it->number),
      SEEN_OK);
}

static void test_telling__a_listener_hears_of_its_conversation(void **state) {
  test_host *t = connected();
  ear g = {0}, h = {0};
  (void)state;
  listen(t, &g, SEEN_EVENT_MESSAGE, "g");
  listen(t, &h, SEEN_EVENT_MESSAGE, "h");
  link_message(t->link, "g", "hello");
  host_turns(t);
  assert_int_equal(g.heard, 1);
  assert_int_equal(h.heard, 0);
  seen_client_unlisten(t->client, g.number);
  assert_int_equal(g.freed, 1);
  link_message(t->link, "g", "hello");
  host_turns(t);
  assert_int_equal(g.heard, 1);
  assert_int_equal(seen_client_live(t->client), 3);
  host_end(t);
  assert_int_equal(h.freed, 1);
}

static void test_telling__who_listens_to_the_list_hears_all_of_it(void **s) {
  test_host *t = connected();
  ear it = {0};
  (void)s;
  listen(t, &it, SEEN_EVENT_LIST, NULL);
  host_turns(t);
  assert_int_equal(it.heard, 1);
  assert_true(host_heard(t, SEEN_EVENT_LIST)->last.u.list.reset);
  assert_int_equal(host_heard(t, SEEN_EVENT_LIST)->last.u.list.count, 2);
  host_end(t);
}

static void test_telling__listeners_come_and_go_without_end(void **state) {
  test_host *t = connected();
  ear it = {0};
  uint64_t last = 0, rounds = test_scaled(100000);
  size_t blocks = t->memory.blocks;
  (void)state;
  for (uint64_t n = 0; n < rounds; n++) {
    listen(t, &it, SEEN_EVENT_MESSAGE, "g");
    assert_true(it.number > last);
    last = it.number;
    seen_client_unlisten(t->client, it.number);
  }
  assert_int_equal(it.freed, rounds); /* C244 */
  assert_int_equal(t->memory.blocks, blocks);
  host_end(t);
}

static void call_back(ear *it) {
  seen_client *client = it->t->client;
  seen_event event;
  seen_totals totals;
  it->then = NULL;
  assert_int_equal(seen_client_dispatch(client), 0);
  seen_client_next_events(client, &event, 1);
  seen_client_totals(client, &totals);
  assert_int_equal(seen_client_mark_read(client, "g", 0), SEEN_OK);
  assert_int_equal(seen_client_step(client, 0, NULL), SEEN_OK);
  assert_int_equal(seen_client_flush(client, HOST_MS, NULL), SEEN_OK);
  assert_int_equal(seen_client_suspend(client, HOST_MS, NULL), SEEN_OK);
  assert_int_equal(seen_client_resume(client, NULL), SEEN_OK);
  assert_true(seen_client_live(client) > 0);
}

static void test_telling__a_listener_may_call_anything(void **state) {
  test_host *t = connected();
  ear it = {.then = call_back};
  (void)state;
  listen(t, &it, SEEN_EVENT_MESSAGE, NULL);
  link_message(t->link, "g", "hello");
  host_turns(t);
  assert_int_equal(it.heard, 1);
  assert_int_equal(host_unread(t), 2);
  host_end(t);
}

static void close_it(ear *it) {
  it->then = NULL;
  seen_client_close(it->t->client);
  assert_int_equal(it->freed, 0);
}

static void test_telling__a_listener_may_close(void **state) {
  test_host *t = connected();
  ear it = {.then = close_it}, after = {0};
  (void)state;
  listen(t, &it, SEEN_EVENT_MESSAGE, NULL);
  listen(t, &after, SEEN_EVENT_MESSAGE, NULL);
  link_message(t->link, "g", "hello");
  steps(t);
  seen_client_dispatch(t->client);
  assert_int_equal(it.heard, 1);
  assert_int_equal(it.freed, 1);
  assert_int_equal(after.heard, 0);
  assert_int_equal(after.freed, 1);
  assert_int_equal(seen_client_dispatch(t->client), 0);
  host_end(t);
}

static void free_it(ear *it) {
  it->then = NULL;
  seen_client_free(it->t->client);
  assert_int_equal(it->freed, 0);
  it->t->client = NULL;
}

static void test_telling__a_listener_may_free(void **state) {
  test_host *t = connected();
  ear it = {.then = free_it};
  (void)state;
  listen(t, &it, SEEN_EVENT_MESSAGE, NULL);
  link_message(t->link, "g", "hello");
  steps(t);
  seen_client_dispatch(t->client);
  assert_int_equal(it.heard, 1);
  assert_int_equal(it.freed, 1);
  assert_int_equal(t->freed, 2);
  host_end(t); /* which asserts that no memory is held */
}

static void leave_it(ear *it) {
  it->then = NULL;
  assert_int_equal(seen_client_log_out(it->t->client, NULL), SEEN_OK);
}

static void test_telling__a_listener_may_log_out(void **state) {
  test_host *t = connected();
  ear it = {.then = leave_it};
  (void)state;
  listen(t, &it, SEEN_EVENT_MESSAGE, NULL);
  link_message(t->link, "g", "hello");
  steps(t);
  seen_client_dispatch(t->client);
  assert_int_equal(host_heard(t, SEEN_EVENT_TOTALS)->last.u.totals.unread, 0);
  assert_int_equal(it.freed, 1);
  host_end(t);
}

static void test_telling__what_can_not_be_heard_is_refused(void **state) {
  test_host *t = connected();
  seen_listener nobody = NULL;
  ear it = {0};
  (void)state;
  assert_int_equal(
      seen_client_listen(t->client, 0, NULL, hear, &it, free_ear, &it.number),
      SEEN_EINVAL);
  assert_int_equal(seen_client_listen(t->client, 1u << 20, NULL, hear, &it,
                                      free_ear, &it.number),
                   SEEN_EINVAL);
  assert_int_equal(seen_client_listen(t->client, SEEN_EVENT_LIST, "", hear, &it,
                                      free_ear, &it.number),
                   SEEN_EINVAL);
  /* NOLINTNEXTLINE(clang-analyzer-nullability.NullPassedToNonnull) the test */
  assert_int_equal(seen_client_listen(t->client, SEEN_EVENT_LIST, NULL, nobody,
                                      &it, free_ear, &it.number),
                   SEEN_EINVAL);
  seen_client_unlisten(t->client, 12345);
  test_alloc_fail(&t->memory, 1);
  assert_int_equal(seen_client_listen(t->client, SEEN_EVENT_LIST, NULL, hear,
                                      &it, free_ear, &it.number),
                   SEEN_ENOMEM);
  assert_int_equal(it.freed, 0);
  host_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_telling__a_slow_host_hears_less),
      cmocka_unit_test(test_telling__a_host_is_woken_once_until_it_comes),
      cmocka_unit_test(test_telling__events_can_be_had_by_the_batch),
      cmocka_unit_test(test_telling__a_listener_hears_of_its_conversation),
      cmocka_unit_test(test_telling__who_listens_to_the_list_hears_all_of_it),
      cmocka_unit_test(test_telling__listeners_come_and_go_without_end),
      cmocka_unit_test(test_telling__a_listener_may_call_anything),
      cmocka_unit_test(test_telling__a_listener_may_close),
      cmocka_unit_test(test_telling__a_listener_may_free),
      cmocka_unit_test(test_telling__a_listener_may_log_out),
      cmocka_unit_test(test_telling__what_can_not_be_heard_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
