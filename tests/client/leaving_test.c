#include "support/host.h"

#include <stdio.h>
#include <string.h>

#include "support/folder.h"

static test_host *connected(void) {
  test_host *t = host_start();
  host_in_folder(t);
  link_row_is(t->link, "g", 5, 9);
  host_connect(t);
  return t;
}

static void test_leaving__what_was_said_last_still_counts(void **state) {
  test_host *t = connected();
  seen_totals totals;
  (void)state;
  seen_client_mark_read(t->client, "g", 0);
  seen_client_close(t->client);
  assert_int_equal(link_read(t->link, "g").seq, 9);
  assert_int_equal(seen_badge_read(t->options.path, NULL, &totals, NULL),
                   SEEN_OK);
  assert_int_equal(totals.unread, 0);
  assert_int_equal(host_unread(t), 0); /* reads go on */
  host_end(t);
}

static void test_leaving__requests_end_and_the_end_is_last(void **state) {
  test_host *t = connected();
  seen_event events[16];
  size_t count, replies = 0;
  uint64_t request;
  (void)state;
  seen_client_unlisten(t->client, t->listener);
  link_answer(t->link, false);
  for (int i = 0; i < 3; i++)
    assert_int_equal(seen_client_history(t->client, "g", 0, 1, &request, NULL),
                     SEEN_OK);
  host_turns(t);
  assert_int_equal(seen_client_history(t->client, "g", 0, 1, &request, NULL),
                   SEEN_OK);
  seen_client_close(t->client);
  assert_int_equal(seen_client_live(t->client), 4);
  count = seen_client_next_events(t->client, events, 16);
  for (size_t i = 0; i < count; i++) {
    if (events[i].type != SEEN_EVENT_REPLY) continue;
    assert_int_equal(events[i].u.reply.code, SEEN_ECLOSED);
    replies++;
  }
  assert_int_equal(replies, 4);
  assert_int_equal(events[count - 1].type, SEEN_EVENT_CLOSED);
  assert_int_equal(seen_client_next_events(t->client, events, 16), 0);
  assert_int_equal(seen_client_live(t->client), 0);
  host_end(t);
}

/* Another process that has the mirror. */
static void test_leaving__asleep_and_locked_out_requests_end_too(void **s) {
  test_host *t = connected();
  char name[310];
  seen_event events[8];
  uint64_t request;
  size_t count;
  sn_lock lock;
  (void)s;
  seen_client_unlisten(t->client, t->listener);
  assert_int_equal(seen_client_suspend(t->client, HOST_MS, NULL), SEEN_OK);
  snprintf(name, sizeof name, "%s-lock", t->path);
  assert_int_equal(sn_platform_lock(name, &lock, NULL), SEEN_OK);
  assert_int_equal(seen_client_history(t->client, "g", 0, 1, &request, NULL),
                   SEEN_OK);
  seen_client_close(t->client);
  sn_platform_unlock(&lock);
  count = seen_client_next_events(t->client, events, 8);
  assert_true(count >= 2);
  assert_int_equal(events[count - 2].u.reply.request, request);
  assert_int_equal(events[count - 2].u.reply.code, SEEN_ECLOSED);
  assert_int_equal(seen_client_live(t->client), 0);
  host_end(t);
}

static void test_leaving__twice_is_fine(void **state) {
  test_host *t = connected();
  (void)state;
  seen_client_close(t->client);
  seen_client_close(t->client);
  assert_int_equal(t->freed, 2);
  host_end(t);
}

static void test_leaving__free_takes_nothing_too(void **state) {
  (void)state;
  seen_client_free(NULL);
}

static void test_leaving__before_it_ran_and_while_it_connects(void **state) {
  test_host *t = host_start(), *other = host_start();
  (void)state;
  host_open(t);
  seen_client_close(t->client);
  host_end(t);
  link_answer(other->link, false);
  host_open(other);
  host_turns(other);
  seen_client_close(other->client);
  assert_int_equal(other->link->open, 0);
  host_end(other);
}

static void test_leaving__a_host_is_woken_for_the_last_event(void **state) {
  test_host *t = connected();
  size_t wakes;
  (void)state;
  host_turns(t);
  wakes = t->wakes;
  seen_client_close(t->client);
  assert_true(t->wakes > wakes);
  host_end(t);
}

static void *close_too(void *argument) {
  seen_client_close(argument);
  return NULL;
}

static void test_leaving__two_threads_may_close(void **state) {
  test_host *t = host_start();
  sn_thread threads[4];
  (void)state;
  host_open(t);
  assert_int_equal(seen_client_start(t->client, NULL), SEEN_OK);
  for (int i = 0; i < 4; i++)
    assert_int_equal(
        sn_platform_thread(close_too, t->client, &threads[i], NULL), SEEN_OK);
  seen_client_close(t->client);
  for (int i = 0; i < 4; i++)
    sn_platform_join(threads[i]);
  host_end(t);
}

static void *step_long(void *argument) {
  (void)seen_client_step(argument, 60000, NULL);
  return NULL;
}

static void test_leaving__who_steps_is_let_go(void **state) {
  test_host *t = host_start_alone();
  uint64_t begin = sn_platform_clock();
  sn_thread stepping;
  (void)state;
  host_open(t);
  host_turns(t);
  assert_int_equal(sn_platform_thread(step_long, t->client, &stepping, NULL),
                   SEEN_OK);
  seen_client_close(t->client); /* C236 */
  sn_platform_join(stepping);
  assert_true(sn_platform_clock() < begin + 30000);
  host_end(t);
}

static bool g_is_read(test_host *t) {
  return link_read(t->link, "g").seq == 9;
}

static void test_leaving__what_did_not_leave_does_the_next_time(void **state) {
  test_host *t = connected();
  (void)state;
  link_reach(t->link, false);
  link_cut(t->link);
  seen_client_mark_read(t->client, "g", 0);
  host_turns(t);
  seen_client_free(t->client);
  t->freed = 0;
  link_end(t->link);
  t->link = link_start();
  t->options.transport = &t->link->transport;
  link_row_is(t->link, "g", 5, 9);
  t->link->version = 101; /* as it was */
  host_open(t);
  assert_int_equal(host_unread(t), 0); /* C183: nothing is opened */
  host_until(t, g_is_read);
  host_turns(t);
  assert_int_equal(link_count(t->link, "read"), 1);
  host_end(t);
}

static void test_leaving__log_out_tells_zero_first(void **state) {
  test_host *t = connected();
  seen_state row;
  (void)state;
  assert_int_equal(host_unread(t), 4);
  link_message(t->link, "g", "late");
  seen_client_step(t->client, 1, NULL); /* and not dispatched */
  host_forget(t);
  assert_int_equal(seen_client_log_out(t->client, NULL), SEEN_OK);
  assert_int_equal(host_heard(t, SEEN_EVENT_TOTALS)->count, 1); /* C196 */
  assert_int_equal(host_heard(t, SEEN_EVENT_TOTALS)->last.u.totals.unread, 0);
  assert_int_equal(host_heard(t, SEEN_EVENT_MESSAGE)->count, 0);
  assert_int_equal(host_heard(t, SEEN_EVENT_CONVERSATION)->count, 0);
  assert_int_equal(host_unread(t), 0);
  assert_int_equal(seen_client_count(t->client), 0);
  assert_int_equal(seen_client_state(t->client, "g", &row), SEEN_ENOTFOUND);
  assert_int_equal(test_folder_count(&test_here, ""), 0);
  host_end(t);
}

static void free_at_zero(const seen_event *event, void *user_data) {
  test_host *t = user_data;
  assert_int_equal(event->u.totals.unread, 0);
  seen_client_free(t->client);
}

static void test_leaving__who_hears_zero_may_free(void **state) {
  test_host *t = connected();
  uint64_t number;
  (void)state;
  seen_client_unlisten(t->client, t->listener);
  assert_int_equal(seen_client_listen(t->client, SEEN_EVENT_TOTALS, NULL,
                                      free_at_zero, t, NULL, &number),
                   SEEN_OK);
  assert_int_equal(seen_client_log_out(t->client, NULL), SEEN_OK);
  t->client = NULL;
  host_end(t); /* which asserts that no memory is held */
}

static void test_leaving__who_asks_hears_zero_too(void **state) {
  test_host *t = connected();
  seen_event events[8];
  size_t count;
  (void)state;
  seen_client_unlisten(t->client, t->listener);
  link_message(t->link, "g", "late");
  seen_client_step(t->client, 1, NULL);
  assert_int_equal(seen_client_log_out(t->client, NULL), SEEN_OK);
  count = seen_client_next_events(t->client, events, 8);
  assert_int_equal(count, 2);
  assert_int_equal(events[0].type, SEEN_EVENT_TOTALS);
  assert_int_equal(events[0].u.totals.unread, 0);
  assert_int_equal(events[1].type, SEEN_EVENT_CLOSED);
  host_end(t);
}

static void test_leaving__another_account_begins_with_nothing(void **state) {
  test_host *t = connected();
  (void)state;
  assert_int_equal(seen_client_log_out(t->client, NULL), SEEN_OK);
  assert_int_equal(seen_client_log_out(t->client, NULL), SEEN_ECLOSED);
  seen_client_free(t->client);
  link_end(t->link);
  t->link = NULL;
  t->freed = 0;
  t->options.transport = NULL;
  t->options.policy.user = "u2";
  host_open(t);
  assert_int_equal(seen_client_count(t->client), 0);
  host_end(t);
}

static void test_leaving__log_out_asleep_deletes_all_the_same(void **state) {
  test_host *t = connected();
  (void)state;
  assert_int_equal(seen_client_suspend(t->client, HOST_MS, NULL), SEEN_OK);
  assert_int_equal(seen_client_log_out(t->client, NULL), SEEN_OK);
  assert_false(test_file_exists(t->path));
  host_end(t);
}

static void test_leaving__a_file_that_stays_is_named(void **state) {
  test_host *t = connected();
  seen_error error = SEEN_ERROR_INIT;
  int status;
  (void)state;
  test_folder_protect(&test_here, true);
  status = seen_client_log_out(t->client, &error);
  test_folder_protect(&test_here, false);
  assert_int_equal(status, SEEN_EREADONLY);
  assert_non_null(strstr(error.message, "mirror.db"));
  host_end(t);
}

static void test_leaving__closed_everything_says_so(void **state) {
  test_host *t = connected();
  uint64_t number;
  (void)state;
  seen_client_close(t->client);
  assert_int_equal(seen_client_mark_read(t->client, "g", 0), SEEN_ECLOSED);
  assert_int_equal(seen_client_step(t->client, 0, NULL), SEEN_ECLOSED);
  assert_int_equal(seen_client_start(t->client, NULL), SEEN_ECLOSED);
  assert_int_equal(seen_client_flush(t->client, 0, NULL), SEEN_ECLOSED);
  assert_int_equal(seen_client_suspend(t->client, 0, NULL), SEEN_ECLOSED);
  assert_int_equal(seen_client_resume(t->client, NULL), SEEN_ECLOSED);
  assert_int_equal(seen_client_feed_push(t->client, "{}", 2, NULL),
                   SEEN_ECLOSED);
  assert_int_equal(seen_client_history(t->client, "g", 0, 1, &number, NULL),
                   SEEN_ECLOSED);
  assert_int_equal(seen_client_log_out(t->client, NULL), SEEN_ECLOSED);
  assert_int_equal(seen_client_count(t->client), 1);
  host_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST_IN_FOLDER(test_leaving__what_was_said_last_still_counts),
      TEST_IN_FOLDER(test_leaving__requests_end_and_the_end_is_last),
      TEST_IN_FOLDER(test_leaving__asleep_and_locked_out_requests_end_too),
      TEST_IN_FOLDER(test_leaving__twice_is_fine),
      cmocka_unit_test(test_leaving__free_takes_nothing_too),
      cmocka_unit_test(test_leaving__before_it_ran_and_while_it_connects),
      TEST_IN_FOLDER(test_leaving__a_host_is_woken_for_the_last_event),
      cmocka_unit_test(test_leaving__two_threads_may_close),
      cmocka_unit_test(test_leaving__who_steps_is_let_go),
      TEST_IN_FOLDER(test_leaving__what_did_not_leave_does_the_next_time),
      TEST_IN_FOLDER(test_leaving__log_out_tells_zero_first),
      TEST_IN_FOLDER(test_leaving__who_hears_zero_may_free),
      TEST_IN_FOLDER(test_leaving__who_asks_hears_zero_too),
      TEST_IN_FOLDER(test_leaving__another_account_begins_with_nothing),
      TEST_IN_FOLDER(test_leaving__log_out_asleep_deletes_all_the_same),
      TEST_IN_FOLDER(test_leaving__a_file_that_stays_is_named),
      TEST_IN_FOLDER(test_leaving__closed_everything_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
