#include "support/host.h"

#include <string.h>

#include "support/folder.h"
#include "support/mirror.h"

static void test_open__defaults_are_those_of_the_header(void **state) {
  seen_client_options options;
  (void)state;
  seen_client_options_init(&options);
  assert_int_equal(options.size, sizeof options);
  assert_true(options.policy.jitter);
  assert_true(options.policy.delivered);
  assert_true(options.policy.subscriptions);
  assert_int_equal(options.policy.seed, 0);
  assert_null(options.path);
  assert_null(options.url);
  assert_int_equal(options.dial_ms, 15000);
  assert_int_equal(options.hello_ms, 10000);
  assert_int_equal(options.ping_ms, 25000);
  assert_int_equal(options.dead_ms, 35000);
  assert_int_equal(options.backoff_min_ms, 1000);
  assert_int_equal(options.backoff_max_ms, 60000);
  assert_int_equal(options.socket_retry_ms, 60000);
  assert_int_equal(options.request_ms, 30000);
  assert_int_equal(options.answer_ms, 60000);
  assert_int_equal(options.probe_ms, 5000);
  assert_int_equal(options.drain_ms, 5000);
  assert_int_equal(options.stable_ms, 10000);
  assert_int_equal(options.socket_retry_max_ms, 600000);
  assert_int_equal(options.token_ms, 30000);
  assert_int_equal(options.act_ms, 120000);
  assert_int_equal(options.poll_ms, 25000);
  assert_int_equal(options.recorder_capacity, 4096);
  assert_int_equal(options.recorder_bytes, 1 << 20);
}

static void refused(const seen_client_options *options, int code,
                    const char *word) {
  seen_error error = SEEN_ERROR_INIT;
  seen_client *client = (void *)&error;
  assert_int_equal(seen_client_open(options, &client, &error), code);
  assert_null(client);
  assert_non_null(strstr(error.message, word));
}

static void test_open__what_makes_no_sense_is_refused(void **state) {
  const uint8_t key[32] = {0};
  test_host *t = host_start();
  seen_client_options good = t->options, bad;
  (void)state;
  bad = good, bad.size--;
  refused(&bad, SEEN_EINVAL, "size");
  bad = good, bad.policy.user = "";
  refused(&bad, SEEN_EINVAL, "user");
  bad = good, bad.policy.device = "";
  refused(&bad, SEEN_EINVAL, "device");
  bad = good, bad.url = "http://127.0.0.1:1";
  refused(&bad, SEEN_EINVAL, "transport");
  bad = good, bad.path = "m", bad.store = (seen_store *)(void *)&good;
  refused(&bad, SEEN_EINVAL, "store");
  bad = good, bad.key = key;
  refused(&bad, SEEN_EINVAL, "key");
  bad = good, bad.token = "a b";
  refused(&bad, SEEN_EINVAL, "token");
  bad = good, bad.request_ms = 0;
  refused(&bad, SEEN_EINVAL, "request_ms");
  bad = good, bad.stable_ms = 0;
  refused(&bad, SEEN_EINVAL, "stable_ms");
  bad = good, bad.socket_retry_max_ms = bad.socket_retry_ms - 1;
  refused(&bad, SEEN_EINVAL, "socket_retry_max_ms");
  bad = good, bad.dead_ms = bad.ping_ms;
  refused(&bad, SEEN_EINVAL, "dead_ms");
  bad = good, bad.backoff_max_ms = bad.backoff_min_ms - 1;
  refused(&bad, SEEN_EINVAL, "backoff");
  assert_int_equal(t->freed, 0);
  assert_false(t->link->freed); /* it stays the caller's */
  t->link->freed = true;
  host_end(t);
}

static void test_open__an_url_needs_a_transport_and_sense(void **state) {
  test_host *t = host_start_alone();
  int status;
  (void)state;
  t->options.url = "nonsense";
  status = host_try(t, NULL);
  assert_true(status == SEEN_EINVAL || status == SEEN_EUNSUPPORTED);
  assert_null(t->client);
  host_end(t);
}

static void test_open__the_list_is_there_at_once(void **state) {
  test_host *t = host_start_alone();
  seen_state row = {.size = sizeof row};
  (void)state;
  host_in_folder(t);
  t->link = link_start();
  t->options.transport = &t->link->transport;
  link_row_is(t->link, "g", 5, 9);
  host_connect(t);
  seen_client_free(t->client);
  link_end(t->link);
  t->link = NULL;
  t->options.transport = NULL;
  t->freed = 0;
  host_open(t);
  assert_int_equal(seen_client_count(t->client), 1);
  assert_int_equal(seen_client_page(t->client, 0, 1, &row), 1);
  assert_string_equal(row.id, "g");
  assert_int_equal(host_unread(t), 4);
  assert_int_equal(seen_client_dispatch(t->client), 1); /* the list */
  host_end(t);
}

static void test_open__a_mirror_in_use_is_locked(void **state) {
  test_host *t = host_start_alone(), *other = host_start_alone();
  (void)state;
  host_in_folder(t);
  host_in_folder(other);
  host_open(t);
  assert_int_equal(host_try(other, NULL), SEEN_ELOCKED);
  assert_null(other->client);
  host_end(other);
  host_end(t);
}

static void test_open__a_spoilt_mirror_is_told(void **state) {
  test_host *t = host_start_alone();
  (void)state;
  host_in_folder(t);
  test_file_write(t->options.path, "this is no database at all", 26);
  host_open(t);
  host_turns(t);
  assert_int_equal(host_heard(t, SEEN_EVENT_PROBLEM)->count, 1);
  assert_int_equal(host_heard(t, SEEN_EVENT_PROBLEM)->last.u.problem.type,
                   SEEN_PROBLEM_REPLACED);
  host_end(t);
}

static void test_open__two_take_different_seeds(void **state) {
  test_host *a = host_start_alone(), *b = host_start_alone();
  (void)state;
  a->options.policy.seed = b->options.policy.seed = 0;
  host_open(a);
  host_open(b);
  /* Which is all that can be seen of it: none is refused. */
  assert_ptr_not_equal(a->client, b->client);
  host_end(a);
  host_end(b);
}

static void test_open__without_memory_all_stays_the_callers(void **state) {
  test_host *t = host_start();
  int status = SEEN_ENOMEM;
  uint64_t n;
  (void)state;
  assert_int_equal(seen_store_open_memory(NULL, &t->options.store, NULL),
                   SEEN_OK);
  for (n = 1; status == SEEN_ENOMEM; n++) {
    test_alloc_fail(&t->memory, n);
    status = seen_client_open(&t->options, &t->client, NULL);
    if (!status) break;
    assert_int_equal(status, SEEN_ENOMEM);
    assert_null(t->client);
    test_alloc_check(&t->memory);
    assert_int_equal(t->freed, 0);
    assert_false(t->link->freed);
  }
  test_alloc_fail(&t->memory, 0);
  assert_true(n > 10);
  t->freed++; /* there is no listener */
  host_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_open__defaults_are_those_of_the_header),
      cmocka_unit_test(test_open__what_makes_no_sense_is_refused),
      cmocka_unit_test(test_open__an_url_needs_a_transport_and_sense),
      TEST_IN_FOLDER(test_open__the_list_is_there_at_once),
      TEST_IN_FOLDER(test_open__a_mirror_in_use_is_locked),
      TEST_IN_FOLDER(test_open__a_spoilt_mirror_is_told),
      cmocka_unit_test(test_open__two_take_different_seeds),
      cmocka_unit_test(test_open__without_memory_all_stays_the_callers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
