#include "support/host.h"

#include <string.h>

#include "support/child.h"
#include "support/folder.h"

static test_host *started(void) {
  test_host *t = host_start();
  host_in_folder(t);
  link_row_is(t->link, "g", 5, 9);
  return t;
}

static uint64_t stored_unread(const test_host *t) {
  seen_totals totals;
  assert_int_equal(seen_badge_read(t->options.path, NULL, &totals, NULL),
                   SEEN_OK);
  return totals.unread;
}

static void test_steering__a_flush_ends_when_the_server_has_it(void **state) {
  test_host *t = started();
  (void)state;
  t->options.policy.debounce_ms = t->options.policy.max_wait_ms = 60000;
  t->options.policy.persist_ms = 60000;
  host_connect(t);
  seen_client_opened(t->client, "g");
  seen_client_visible(t->client, "g", 6, 9);
  host_turns(t);
  assert_int_equal(link_read(t->link, "g").seq, 5);
  assert_int_equal(seen_client_flush(t->client, HOST_MS, NULL), SEEN_OK);
  assert_int_equal(link_read(t->link, "g").seq, 9);
  assert_int_equal(stored_unread(t), 0);
  host_end(t);
}

static void test_steering__a_flush_ends_when_its_time_is_over(void **state) {
  test_host *t = started();
  uint64_t begin = sn_platform_clock();
  seen_error error = SEEN_ERROR_INIT;
  (void)state;
  host_connect(t);
  link_answer(t->link, false);
  seen_client_mark_read(t->client, "g", 0);
  assert_int_equal(seen_client_flush(t->client, 50, &error), SEEN_ETIMEOUT);
  assert_int_equal(error.code, SEEN_ETIMEOUT);
  assert_true(sn_platform_clock() >= begin + 50);
  assert_int_equal(stored_unread(t), 0); /* it is in the mirror */
  assert_int_equal(seen_client_flush(t->client, 0, NULL), SEEN_ETIMEOUT);
  host_end(t);
}

static void test_steering__a_flush_comes_before_the_first_step(void **state) {
  test_host *t = started();
  (void)state;
  host_open(t);
  assert_int_equal(seen_client_flush(t->client, HOST_MS, NULL), SEEN_OK);
  host_end(t);
}

static const char row[] =
    "{\"t\":\"changes\",\"conversations\":[{\"id\":\"g\",\"kind\":\"group\","
    "\"read\":{\"epoch\":0,\"seq\":5,\"high\":0},\"last_seq\":9,"
    "\"uncountable\":[],\"from\":0,\"mentions\":[],\"floor\":0,"
    "\"version\":7,\"unread\":4,\"delivered_seq\":0,\"join_seq\":1,"
    "\"muted\":false,\"pinned\":false,\"updated_at\":1}],\"more\":false}";

static void test_steering__without_a_server_a_flush_writes(void **state) {
  test_host *t = host_start_alone();
  (void)state;
  host_in_folder(t);
  t->options.policy.persist_ms = 60000;
  host_open(t);
  assert_int_equal(seen_client_feed_push(t->client, row, sizeof row - 1, NULL),
                   SEEN_OK);
  assert_int_equal(seen_client_flush(t->client, HOST_MS, NULL), SEEN_OK);
  assert_int_equal(stored_unread(t), 4);
  host_end(t);
}

/* Another process that wants the mirror for itself. */
static bool take_lock(void *with) {
  char name[300];
  sn_lock lock;
  strcpy(name, with);
  strcat(name, "-lock");
  return sn_platform_lock(name, &lock, NULL) == SEEN_OK;
}

static void test_steering__suspended_it_holds_no_lock(void **state) {
  test_host *t = started();
  pid_t child;
  (void)state;
  host_connect(t);
  assert_int_equal(seen_client_suspend(t->client, HOST_MS, NULL), SEEN_OK);
  assert_int_equal(seen_client_suspend(t->client, HOST_MS, NULL), SEEN_OK);
  child = test_child_start(take_lock, t->path); /* C168 */
  assert_int_equal(seen_client_resume(t->client, NULL), SEEN_ELOCKED);
  assert_int_equal(host_unread(t), 4);
  assert_int_equal(seen_client_flush(t->client, 0, NULL), SEEN_ESTATE);
  test_child_kill(child);
  assert_int_equal(seen_client_resume(t->client, NULL), SEEN_OK);
  assert_int_equal(seen_client_resume(t->client, NULL), SEEN_OK);
  host_until(t, host_is_online);
  host_end(t);
}

static void test_steering__acts_wait_for_the_resumption(void **state) {
  test_host *t = started();
  (void)state;
  host_connect(t);
  assert_int_equal(seen_client_suspend(t->client, HOST_MS, NULL), SEEN_OK);
  assert_int_equal(t->link->open, 0);
  assert_int_equal(stored_unread(t), 4);
  assert_int_equal(seen_client_mark_read(t->client, "g", 0), SEEN_OK);
  host_turns(t);
  assert_int_equal(host_unread(t), 4);
  assert_int_equal(seen_client_resume(t->client, NULL), SEEN_OK);
  assert_int_equal(seen_client_flush(t->client, HOST_MS, NULL), SEEN_OK);
  assert_int_equal(link_read(t->link, "g").seq, 9);
  assert_int_equal(stored_unread(t), 0);
  host_end(t);
}

static void test_steering__nothing_is_read_while_it_sleeps(void **state) {
  test_host *t = started();
  (void)state;
  t->options.policy.dwell_ms = 60000;
  host_connect(t);
  seen_client_opened(t->client, "g");
  seen_client_visible(t->client, "g", 6, 9);
  host_turns(t);
  assert_int_equal(seen_client_suspend(t->client, HOST_MS, NULL), SEEN_OK);
  assert_int_equal(seen_client_resume(t->client, NULL), SEEN_OK);
  host_turns(t);
  assert_int_equal(host_state(t, "g").unread, 4); /* V9 */
  host_end(t);
}

static void test_steering__closed_asleep_it_writes_what_was_said(void **s) {
  test_host *t = started();
  (void)s;
  host_connect(t);
  assert_int_equal(seen_client_suspend(t->client, HOST_MS, NULL), SEEN_OK);
  seen_client_mark_read(t->client, "g", 0);
  seen_client_close(t->client);
  assert_int_equal(stored_unread(t), 0);
  host_end(t);
}

static const char message[] =
    "{\"t\":\"message\",\"conv\":\"g\",\"seq\":10,\"version\":900,\"from\":"
    "\"u2\",\"kind\":\"text\",\"countable\":true,\"sent_at\":1733000000000}";

static void test_steering__a_push_is_taken_without_a_link(void **state) {
  test_host *t = started();
  char both[2 * sizeof message + 8];
  (void)state;
  host_connect(t);
  link_reach(t->link, false);
  link_cut(t->link);
  host_turns(t);
  assert_int_equal(
      seen_client_feed_push(t->client, message, sizeof message - 1, NULL),
      SEEN_OK);
  assert_int_equal(host_unread(t), 5);
  strcpy(both, "[");
  strcat(strcat(strcat(strcat(both, message), ","), message), "]");
  assert_int_equal(seen_client_feed_push(t->client, both, strlen(both), NULL),
                   SEEN_OK);
  assert_int_equal(host_unread(t), 5);
  assert_int_equal(seen_client_feed_push(t->client, "nonsense", 8, NULL),
                   SEEN_EPARSE);
  host_end(t);
}

static void test_steering__a_push_is_taken_asleep(void **state) {
  test_host *t = started();
  (void)state;
  host_connect(t);
  assert_int_equal(seen_client_suspend(t->client, HOST_MS, NULL), SEEN_OK);
  assert_int_equal(
      seen_client_feed_push(t->client, message, sizeof message - 1, NULL),
      SEEN_OK);
  assert_int_equal(host_unread(t), 5);
  assert_int_equal(t->link->dials, 1);
  assert_int_equal(stored_unread(t), 4);
  link_row_is(t->link, "g", 5, 10);
  assert_int_equal(seen_client_resume(t->client, NULL), SEEN_OK);
  assert_int_equal(seen_client_flush(t->client, HOST_MS, NULL), SEEN_OK);
  assert_int_equal(stored_unread(t), 5);
  host_end(t);
}

static int count_line(const char *line, size_t length, void *user_data) {
  (void)line;
  (void)length;
  (*(size_t *)user_data)++;
  return 0;
}

static void test_steering__what_was_recorded_is_given(void **state) {
  test_host *t = started(), *without = host_start_alone();
  size_t lines = 0;
  (void)state;
  host_connect(t);
  assert_int_equal(
      seen_client_dump(t->client, SEEN_NAMES_REAL, count_line, &lines, NULL),
      SEEN_OK);
  assert_true(lines > 3);
  without->options.recorder_capacity = 0;
  host_open(without);
  assert_int_equal(seen_client_dump(without->client, SEEN_NAMES_REAL,
                                    count_line, &lines, NULL),
                   SEEN_EUNSUPPORTED);
  host_end(without);
  host_end(t);
}

static void test_steering__a_thread_gives_way(void **state) {
  test_host *t = started();
  size_t lines = 0;
  (void)state;
  host_open(t);
  assert_int_equal(seen_client_start(t->client, NULL), SEEN_OK);
  for (int i = 0; i < 20; i++) {
    seen_client_mark_read(t->client, "g", 0);
    assert_int_equal(seen_client_flush(t->client, HOST_MS, NULL), SEEN_OK);
    assert_int_equal(
        seen_client_dump(t->client, SEEN_NAMES_REAL, count_line, &lines, NULL),
        SEEN_OK);
    assert_int_equal(seen_client_suspend(t->client, HOST_MS, NULL), SEEN_OK);
    assert_int_equal(seen_client_resume(t->client, NULL), SEEN_OK);
  }
  host_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST_IN_FOLDER(test_steering__a_flush_ends_when_the_server_has_it),
      TEST_IN_FOLDER(test_steering__a_flush_ends_when_its_time_is_over),
      TEST_IN_FOLDER(test_steering__a_flush_comes_before_the_first_step),
      TEST_IN_FOLDER(test_steering__without_a_server_a_flush_writes),
      TEST_IN_FOLDER(test_steering__suspended_it_holds_no_lock),
      TEST_IN_FOLDER(test_steering__acts_wait_for_the_resumption),
      TEST_IN_FOLDER(test_steering__nothing_is_read_while_it_sleeps),
      TEST_IN_FOLDER(test_steering__closed_asleep_it_writes_what_was_said),
      TEST_IN_FOLDER(test_steering__a_push_is_taken_without_a_link),
      TEST_IN_FOLDER(test_steering__a_push_is_taken_asleep),
      TEST_IN_FOLDER(test_steering__what_was_recorded_is_given),
      TEST_IN_FOLDER(test_steering__a_thread_gives_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
