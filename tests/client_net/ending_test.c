/*
 * What ends before it is done: clients that are closed while the network does
 * something to them, requests that are given up, opens that fail.
 */
#include "support/host.h"

#include <stdio.h>
#include <stdlib.h>

#include <libwebsockets.h>

#include "support/mirror.h"
#include "support/proxy.h"
#include "support/random.h"
#include "support/server.h"

/* Of a close: a second, and what a sanitizer or a busy machine takes. Whoever
 * waits for the network meanwhile waits longer. */
enum { CLOSE_MS = 20000, NETWORK_MS = 90000 };

static void nap(uint32_t ms) {
  sn_signal pause;
  assert_int_equal(sn_platform_signal_open(&pause, NULL), SEEN_OK);
  (void)sn_platform_signal_wait(&pause, ms);
  sn_platform_signal_close(&pause);
}

/* C233, C235: in the middle of TLS or of HTTP, of an answer or of nothing. */
static void close_during(const test_server *server, test_fault fault,
                         const char *scheme, uint32_t ms) {
  test_proxy *proxy = test_proxy_start(server->port);
  test_host *t = host_start_alone();
  char url[64], token[TEST_TOKEN_MAX];
  uint64_t began;
  test_server_token(server, "ann", 600, token);
  snprintf(url, sizeof url, "%s://127.0.0.1:%u", scheme,
           (unsigned)test_proxy_port(proxy));
  t->options.policy.user = "ann";
  t->options.url = url;
  t->options.token = token;
  t->options.dial_ms = t->options.hello_ms = NETWORK_MS;
  t->options.request_ms = t->options.ping_ms = NETWORK_MS;
  t->options.dead_ms = NETWORK_MS + 1;
  test_proxy_set(proxy, fault, 5);
  host_open(t);
  assert_int_equal(seen_client_start(t->client, NULL), SEEN_OK);
  nap(ms);
  (void)seen_client_mark_all_read(t->client);
  began = sn_platform_clock();
  seen_client_close(t->client);
  assert_in_range(sn_platform_clock() - began, 0, CLOSE_MS);
  assert_int_equal(t->freed, 2);
  host_end(t);
  test_proxy_stop(proxy);
}

static void test_ending__a_close_in_any_network_is_soon_over(void **state) {
  uint64_t count = test_scaled(3);
  test_server server;
  (void)state;
  test_server_start(&server, NULL);
  for (test_fault fault = TEST_PASS; fault <= TEST_GARBAGE; fault++)
    for (uint32_t i = 0; i < count; i++) {
      close_during(&server, fault, "http", i * i * 15);
      close_during(&server, fault, "https", i * i * 15);
    }
  test_server_remove(&server);
}

static bool is_answered(test_host *t) {
  return t->reply_count > 0;
}

/* Given up, and then another one: that is answered. */
static void cancel_when(test_host *t, bool asked_before) {
  uint64_t given_up, request;
  t->reply_count = 0;
  assert_int_equal(seen_client_history(t->client, "g", 0, 5, &given_up, NULL),
                   SEEN_OK);
  if (asked_before) host_turns(t);
  seen_client_cancel(t->client, given_up);
  host_until(t, is_answered);
  assert_int_equal(t->replies[0], given_up);
  t->reply_count = 0;
  link_reach(t->link, true);
  link_answer(t->link, true);
  host_until(t, host_is_online);
  assert_int_equal(
      seen_client_send(t->client, "g",
                       &(seen_post){.size = sizeof(seen_post), .body = "hello"},
                       &request, NULL),
      SEEN_OK);
  host_until(t, is_answered);
  assert_int_equal(t->replies[0], request);
  assert_int_equal(host_heard(t, SEEN_EVENT_REPLY)->last.u.reply.code, SEEN_OK);
}

/* C239: without a link, behind a silent server, before it was even asked. */
static void test_ending__what_is_given_up_holds_nothing_up(void **state) {
  test_host *t = host_start();
  (void)state;
  link_row_is(t->link, "g", 0, 3);
  link_reach(t->link, false);
  host_open(t);
  host_turns(t);
  cancel_when(t, false);
  cancel_when(t, false);
  link_answer(t->link, false);
  cancel_when(t, true);
  host_end(t);
}

typedef struct ear {
  sn_thread host;
  size_t heard;
  size_t elsewhere; /* on another thread than the host's */
} ear;

static void hear_here(const seen_event *event, void *user_data) {
  ear *it = user_data;
  (void)event;
  it->heard++;
  it->elsewhere += !sn_platform_is_self(it->host);
}

static void *make_events(void *argument) {
  test_host *t = argument;
  for (int i = 0; i < 50; i++) {
    link_message(t->link, "g", "hello");
    (void)seen_client_mute(t->client, "g", i % 2 == 0);
  }
  return NULL;
}

/*
 * C229: a binding need not attach a thread of ours, nor let one go: listeners
 * run on the host's, and those of ours call nothing of it but its wakeup.
 */
static void test_ending__listeners_run_on_the_hosts_thread_alone(void **s) {
  test_host *t = host_start();
  ear it = {.host = sn_platform_self()};
  sn_thread other;
  uint64_t number;
  (void)s;
  link_row_is(t->link, "g", 0, 3);
  host_open(t);
  assert_int_equal(seen_client_listen(t->client, SEEN_EVENT_ALL, NULL,
                                      hear_here, &it, NULL, &number),
                   SEEN_OK);
  assert_int_equal(seen_client_start(t->client, NULL), SEEN_OK);
  assert_int_equal(sn_platform_thread(make_events, t, &other, NULL), 0);
  while (it.heard == 0) { /* what comes after may be one event */
    (void)seen_client_dispatch(t->client);
    nap(1);
  }
  sn_platform_join(other);
  (void)seen_client_dispatch(t->client);
  seen_client_close(t->client);
  assert_int_equal(it.elsewhere, 0);
  host_end(t);
}

/* C245: a close says by its return that all may be freed; what was refused was
 * never taken. */
static void test_ending__what_failed_has_nothing_to_free(void **state) {
  test_host *t = host_start();
  seen_error error = SEEN_ERROR_INIT;
  uint64_t number = 0;
  (void)state;
  t->options.dead_ms = 1;
  assert_int_not_equal(host_try(t, &error), SEEN_OK);
  assert_null(t->client);
  assert_int_equal(t->freed, 0);
  t->options.dead_ms = 35000;
  host_open(t);
  assert_int_equal(
      seen_client_listen(t->client, 0, NULL, hear_here, NULL, NULL, &number),
      SEEN_EINVAL);
  seen_client_close(t->client);
  seen_client_close(t->client);
  assert_int_equal(t->freed, 2);
  host_end(t);
}

/* C242: a database that can't be written is an event, and no wait hangs. */
static void test_ending__a_database_that_fails_is_told(void **state) {
  test_mirror *m = mirror_start();
  test_host *t = host_start();
  (void)state;
  seen_mirror_free(m->mirror); /* only its store is wanted */
  t->options.store = &m->spy.store;
  link_row_is(t->link, "g", 5, 9);
  host_connect(t);
  m->spy.failing = SPY_COMMIT;
  m->spy.code = SEEN_EIO;
  link_answer(t->link, false);
  assert_int_equal(seen_client_mark_read(t->client, "g", 9), SEEN_OK);
  assert_int_equal(seen_client_flush(t->client, 50, NULL), SEEN_EIO);
  (void)seen_client_dispatch(t->client);
  assert_int_equal(host_heard(t, SEEN_EVENT_PROBLEM)->last.u.problem.type,
                   SEEN_PROBLEM_STORE);
  host_end(t); /* which closes the store */
  test_alloc_check(&m->memory);
  free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ending__a_close_in_any_network_is_soon_over),
      cmocka_unit_test(test_ending__what_is_given_up_holds_nothing_up),
      cmocka_unit_test(test_ending__listeners_run_on_the_hosts_thread_alone),
      cmocka_unit_test(test_ending__what_failed_has_nothing_to_free),
      cmocka_unit_test(test_ending__a_database_that_fails_is_told),
  };
  /* Its log is the process's, and written by all its contexts at once. */
  lws_set_log_level(0, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
