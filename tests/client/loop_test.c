#include "support/host.h"

#include <stdlib.h>
#include <string.h>

#include "support/mirror.h"

static bool has_three(test_host *t) {
  return host_unread(t) == 3;
}

static bool is_read(test_host *t) {
  return link_read(t->link, "g").seq == 9;
}

static bool was_told_totals(test_host *t) {
  return host_heard(t, SEEN_EVENT_TOTALS)->count > 0;
}

static void test_loop__what_the_server_says_reaches_the_host(void **state) {
  test_host *t = host_start();
  (void)state;
  link_row_is(t->link, "g", 5, 7);
  host_connect(t);
  assert_int_equal(host_unread(t), 2);
  assert_int_equal(
      host_heard(t, SEEN_EVENT_CONNECTION)->last.u.connection.connection,
      SEEN_CONNECTION_ONLINE);
  host_forget(t);
  link_message(t->link, "g", "hello");
  host_until(t, has_three);
  host_turns(t);
  assert_int_equal(host_heard(t, SEEN_EVENT_MESSAGE)->count, 1);
  assert_int_equal(host_heard(t, SEEN_EVENT_TOTALS)->last.u.totals.unread, 3);
  assert_int_equal(host_heard(t, SEEN_EVENT_CONVERSATION)->count, 1);
  host_end(t);
}

static void test_loop__what_the_person_reads_reaches_the_server(void **state) {
  test_host *t = host_start();
  (void)state;
  link_row_is(t->link, "g", 5, 9);
  host_connect(t);
  seen_client_opened(t->client, "g");
  seen_client_visible(t->client, "g", 6, 9);
  host_until(t, is_read);
  assert_int_equal(host_unread(t), 0);
  assert_int_equal(link_count(t->link, "read"), 1);
  host_end(t);
}

static void test_loop__runs_on_a_thread_of_its_own(void **state) {
  test_host *t = host_start();
  uint64_t end = sn_platform_clock() + HOST_MS;
  (void)state;
  link_row_is(t->link, "g", 5, 9);
  host_open(t);
  assert_int_equal(seen_client_start(t->client, NULL), SEEN_OK);
  assert_int_equal(seen_client_start(t->client, NULL), SEEN_ESTATE);
  assert_int_equal(seen_client_step(t->client, 0, NULL), SEEN_ESTATE);
  while (!was_told_totals(t)) { /* by what is told alone */
    assert_true(sn_platform_clock() < end);
    seen_client_dispatch(t->client);
  }
  assert_int_equal(host_unread(t), 4);
  seen_client_close(t->client); /* and its thread with it */
  assert_true(t->wakes > 0);
  host_end(t);
}

static void test_loop__a_step_waits_no_longer_than_is_said(void **state) {
  test_host *t = host_start_alone();
  uint64_t begin;
  (void)state;
  host_open(t);
  assert_int_equal(seen_client_timeout(t->client), 0); /* it has to begin */
  assert_int_equal(seen_client_step(t->client, 0, NULL), SEEN_OK);
  assert_true(seen_client_timeout(t->client) == SEEN_NEVER);
  begin = sn_platform_clock();
  assert_int_equal(seen_client_step(t->client, 20, NULL), SEEN_OK);
  assert_true(sn_platform_clock() >= begin + 19);
  host_end(t);
}

static void test_loop__a_step_is_woken_by_an_act(void **state) {
  test_host *t = host_start_alone();
  uint64_t begin = sn_platform_clock();
  (void)state;
  host_open(t);
  host_turns(t);
  seen_client_focus(t->client, false);
  seen_client_step(t->client, 60000, NULL);
  seen_client_wake(t->client);
  seen_client_step(t->client, 60000, NULL);
  assert_true(sn_platform_clock() < begin + 30000);
  assert_true(seen_client_descriptor(t->client) >= 0);
  host_end(t);
}

static void test_loop__a_broken_link_is_made_again(void **state) {
  test_host *t = host_start();
  (void)state;
  link_row_is(t->link, "g", 5, 7);
  host_connect(t);
  link_row_is(t->link, "g", 5, 8);
  link_cut(t->link);
  host_until(t, has_three);
  assert_int_equal(t->link->dials, 2);
  host_end(t);
}

static bool asked_twice(test_host *t) {
  return host_heard(t, SEEN_EVENT_TOKEN)->count > 0;
}

static void test_loop__a_token_is_asked_for(void **state) {
  test_host *t = host_start();
  (void)state;
  t->options.token = NULL;
  host_open(t);
  host_until(t, asked_twice);
  assert_int_equal(t->link->dials, 0);
  assert_int_equal(seen_client_token(t->client, "abc"), SEEN_OK);
  host_until(t, host_is_online);
  host_end(t);
}

static bool heard_of_problem(test_host *t) {
  return host_heard(t, SEEN_EVENT_PROBLEM)->count > 0;
}

static void test_loop__a_mark_that_is_refused_is_told(void **state) {
  test_host *t = host_start();
  const heard *problem = host_heard(t, SEEN_EVENT_PROBLEM);
  (void)state;
  link_row_is(t->link, "g", 9, 9);
  host_connect(t);
  link_refuse(t->link, "conflict");
  assert_int_equal(seen_client_mark_unread(t->client, "g", 5), SEEN_OK);
  host_until(t, heard_of_problem);
  assert_int_equal(problem->last.u.problem.type, SEEN_PROBLEM_REFUSED);
  assert_int_equal(problem->last.u.problem.code, SEEN_EREFUSED);
  assert_string_equal(problem->last.u.problem.message, "conflict");
  assert_int_equal(host_unread(t), 0); /* V6 */
  host_end(t);
}

static bool heard_of_store(test_host *t) {
  return host_heard(t, SEEN_EVENT_PROBLEM)->count > 0;
}

static void test_loop__a_store_that_fails_is_told_once(void **state) {
  test_mirror *m = mirror_start();
  test_host *t = host_start();
  const heard *problem = host_heard(t, SEEN_EVENT_PROBLEM);
  (void)state;
  seen_mirror_free(m->mirror); /* only its store is wanted */
  m->spy.failing = SPY_COMMIT;
  m->spy.code = SEEN_EFULL;
  t->options.store = &m->spy.store;
  link_row_is(t->link, "g", 5, 9);
  host_open(t);
  host_until(t, heard_of_store);
  host_turns(t);
  assert_int_equal(problem->count, 1);
  assert_int_equal(problem->last.u.problem.type, SEEN_PROBLEM_STORE);
  assert_int_equal(problem->last.u.problem.code, SEEN_EFULL);
  assert_int_equal(host_unread(t), 4); /* C170: it goes on in memory */
  host_forget(t);
  m->spy.code = SEEN_OK;
  host_until(t, heard_of_store);
  assert_int_equal(problem->last.u.problem.type, SEEN_PROBLEM_STORE_OVER);
  host_end(t); /* which closes the store */
  test_alloc_check(&m->memory);
  free(m);
}

/* How often writing had begun when the host was woken. */
static const spy_store *watched;
static size_t begun_when_woken;

static void look_when_woken(void *user_data) {
  (void)user_data;
  begun_when_woken = watched->calls[SPY_BEGIN];
}

static void test_loop__a_badge_does_not_wait_for_the_disk(void **state) {
  test_mirror *m = mirror_start();
  test_host *t = host_start();
  size_t begun;
  (void)state;
  seen_mirror_free(m->mirror); /* only its store is wanted */
  watched = &m->spy;
  t->options.store = &m->spy.store;
  t->options.wakeup = look_when_woken;
  link_row_is(t->link, "g", 5, 9);
  host_connect(t);
  host_turns(t);
  begun = m->spy.calls[SPY_BEGIN];
  begun_when_woken = 0;
  seen_client_mark_read(t->client, "g", 0);
  seen_client_step(t->client, 100, NULL);
  assert_int_equal(begun_when_woken, begun);
  assert_int_equal(m->spy.calls[SPY_BEGIN], begun + 1);
  host_end(t); /* which closes the store */
  test_alloc_check(&m->memory);
  free(m);
}

static bool heard_of_memory(test_host *t) {
  return host_heard(t, SEEN_EVENT_PROBLEM)->last.u.problem.type ==
         SEEN_PROBLEM_MEMORY;
}

static void test_loop__without_memory_it_tries_again(void **state) {
  test_host *t = host_start();
  (void)state;
  link_row_is(t->link, "g", 5, 7);
  host_connect(t);
  seen_client_mark_read(t->client, "g", 0);
  sn_platform_mutex_lock(t->mutex);
  test_alloc_fail_on(&t->memory, 1);
  sn_platform_mutex_unlock(t->mutex);
  for (int i = 0; i < 5; i++)
    seen_client_step(t->client, 1, NULL);
  assert_int_equal(seen_client_mark_read(t->client, "g", 0), SEEN_ENOMEM);
  sn_platform_mutex_lock(t->mutex);
  test_alloc_fail(&t->memory, 0);
  sn_platform_mutex_unlock(t->mutex);
  host_until(t, heard_of_memory);
  link_row_is(t->link, "g", link_read(t->link, "g").seq, 9);
  host_turns(t);
  assert_int_equal(host_unread(t), 0);
  host_end(t);
}

static void test_loop__an_act_counts_from_when_it_was_said(void **state) {
  test_host *t = host_start();
  uint64_t end;
  (void)state;
  t->options.policy.dwell_ms = 60;
  link_row_is(t->link, "g", 5, 9);
  host_connect(t);
  seen_client_opened(t->client, "g");
  seen_client_visible(t->client, "g", 6, 9);
  end = sn_platform_clock() + 80;
  while (sn_platform_clock() < end)
    ; /* the loop sleeps meanwhile */
  seen_client_visible(t->client, "g", 0, 0);
  host_turns(t);
  assert_int_equal(host_unread(t), 0); /* V1: the dwell was over by then */
  host_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loop__what_the_server_says_reaches_the_host),
      cmocka_unit_test(test_loop__what_the_person_reads_reaches_the_server),
      cmocka_unit_test(test_loop__runs_on_a_thread_of_its_own),
      cmocka_unit_test(test_loop__a_step_waits_no_longer_than_is_said),
      cmocka_unit_test(test_loop__a_step_is_woken_by_an_act),
      cmocka_unit_test(test_loop__a_broken_link_is_made_again),
      cmocka_unit_test(test_loop__a_token_is_asked_for),
      cmocka_unit_test(test_loop__a_mark_that_is_refused_is_told),
      cmocka_unit_test(test_loop__a_store_that_fails_is_told_once),
      cmocka_unit_test(test_loop__a_badge_does_not_wait_for_the_disk),
      cmocka_unit_test(test_loop__without_memory_it_tries_again),
      cmocka_unit_test(test_loop__an_act_counts_from_when_it_was_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
