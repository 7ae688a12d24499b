#include "support/host.h"

#include <string.h>

static test_host *connected(void) {
  test_host *t = host_start();
  link_row_is(t->link, "g", 5, 9);
  link_row_is(t->link, "h", 0, 2);
  host_connect(t);
  return t;
}

static bool g_is_read(test_host *t) {
  return link_read(t->link, "g").seq == 9;
}

static void test_acts__mark_read_reads_up_to_a_seq_or_all(void **state) {
  test_host *t = connected();
  (void)state;
  assert_int_equal(seen_client_mark_read(t->client, "g", 7), SEEN_OK);
  host_turns(t);
  assert_int_equal(host_state(t, "g").unread, 2);
  assert_int_equal(seen_client_mark_read(t->client, "g", 0), SEEN_OK);
  host_until(t, g_is_read);
  assert_int_equal(host_state(t, "g").unread, 0);
  host_end(t);
}

static bool g_is_marked(test_host *t) {
  return link_read(t->link, "g").epoch == 1;
}

static void test_acts__mark_unread_counts_from_that_seq_on(void **state) {
  test_host *t = connected();
  (void)state;
  seen_client_mark_read(t->client, "g", 0);
  host_until(t, g_is_read);
  assert_int_equal(seen_client_mark_unread(t->client, "g", 8), SEEN_OK);
  host_turns(t);
  assert_int_equal(host_state(t, "g").unread, 2); /* 8 and 9 */
  assert_true(host_state(t, "g").marked_unread);
  host_until(t, g_is_marked);
  assert_int_equal(link_read(t->link, "g").seq, 7);
  host_end(t);
}

static void test_acts__mark_unread_without_a_seq_is_the_newest(void **state) {
  test_host *t = connected();
  (void)state;
  seen_client_mark_read(t->client, "g", 0);
  host_turns(t);
  assert_int_equal(seen_client_mark_unread(t->client, "g", 0), SEEN_OK);
  host_turns(t);
  assert_int_equal(host_state(t, "g").unread, 1);
  host_end(t);
}

static void test_acts__mark_all_read_reads_all(void **state) {
  test_host *t = connected();
  (void)state;
  assert_int_equal(seen_client_mark_all_read(t->client), SEEN_OK);
  host_until(t, g_is_read);
  assert_int_equal(host_unread(t), 0);
  assert_int_equal(link_count(t->link, "read_all"), 1);
  host_end(t);
}

static void test_acts__what_is_on_screen_is_read(void **state) {
  static const seen_list_row rows[] = {
      {6, -50, -10}, {7, 10, 50}, {8, 60, 90}, {9, 95, 200}};
  test_host *t = connected();
  (void)state;
  assert_int_equal(seen_client_opened(t->client, "g"), SEEN_OK);
  assert_int_equal(seen_client_visible_rows(t->client, "g", rows, 4, 100),
                   SEEN_OK);
  host_turns(t);
  assert_int_equal(host_state(t, "g").read_seq, 8);
  assert_true(host_state(t, "g").open);
  assert_int_equal(seen_client_closed(t->client, "g"), SEEN_OK);
  host_turns(t);
  assert_false(host_state(t, "g").open);
  assert_int_equal(link_read(t->link, "g").seq, 8);
  host_end(t);
}

static void test_acts__nothing_is_read_without_focus(void **state) {
  test_host *t = connected();
  (void)state;
  assert_int_equal(seen_client_focus(t->client, false), SEEN_OK);
  seen_client_opened(t->client, "g");
  seen_client_visible(t->client, "g", 6, 9);
  host_turns(t);
  assert_int_equal(host_state(t, "g").unread, 4); /* V9, C186 */
  assert_int_equal(seen_client_focus(t->client, true), SEEN_OK);
  assert_int_equal(seen_client_foreground(t->client, false), SEEN_OK);
  host_turns(t);
  assert_int_equal(host_state(t, "g").unread, 4);
  assert_int_equal(seen_client_foreground(t->client, true), SEEN_OK);
  host_until(t, g_is_read);
  host_end(t);
}

static void test_acts__a_reply_in_the_background_reads_at_once(void **state) {
  test_host *t = host_start();
  (void)state;
  t->options.policy.debounce_ms = t->options.policy.max_wait_ms = 60000;
  link_row_is(t->link, "g", 5, 9);
  host_connect(t);
  seen_client_foreground(t->client, false);
  assert_int_equal(seen_client_mark_read(t->client, "g", 9), SEEN_OK);
  host_until(t, g_is_read); /* C193 */
  host_end(t);
}

static void test_acts__settings_reach_the_server(void **state) {
  test_host *t = connected();
  (void)state;
  assert_int_equal(seen_client_mute(t->client, "g", true), SEEN_OK);
  assert_int_equal(seen_client_pin(t->client, "h", true), SEEN_OK);
  host_turns(t);
  assert_true(link_heard(t->link, "set", "\"muted\":true"));
  assert_true(link_heard(t->link, "set", "\"pinned\":true"));
  assert_true(host_state(t, "g").muted);
  assert_true(host_state(t, "h").pinned);
  assert_int_equal(host_unread(t), 2);
  host_end(t);
}

static void test_acts__a_forgotten_row_is_gone(void **state) {
  test_host *t = connected();
  (void)state;
  assert_int_equal(seen_client_forget(t->client, "g"), SEEN_OK);
  host_turns(t);
  assert_int_equal(seen_client_count(t->client), 1);
  assert_int_equal(host_heard(t, SEEN_EVENT_GONE)->count, 1);
  assert_int_equal(host_unread(t), 2);
  host_end(t);
}

static void test_acts__mentions_are_cleared(void **state) {
  test_host *t = connected();
  seen_mention mention;
  (void)state;
  link_say(t->link, "{\"t\":\"message\",\"conv\":\"g\",\"seq\":10,\"version\":"
                    "900,\"from\":\"u2\",\"kind\":\"text\",\"countable\":true,"
                    "\"mentions\":\"me\",\"sent_at\":1733000000000}");
  host_turns(t);
  assert_int_equal(seen_client_next_mention(t->client, "g", 0, &mention),
                   SEEN_OK);
  assert_int_equal(mention.seq, 10);
  assert_int_equal(seen_client_clear_mentions(t->client, "g"), SEEN_OK);
  host_turns(t);
  assert_int_equal(host_state(t, "g").mentions, 0);
  assert_true(link_heard(t->link, "read", "\"cleared\":[10]"));
  host_end(t);
}

static void test_acts__an_audit_finds_nothing_wrong(void **state) {
  test_host *t = connected();
  seen_metrics metrics = {.size = sizeof metrics};
  (void)state;
  assert_int_equal(seen_client_audit(t->client), SEEN_OK);
  host_turns(t);
  seen_client_metrics(t->client, &metrics);
  assert_int_equal(metrics.unread_drift, 0);
  host_end(t);
}

static bool dialled_again(test_host *t) {
  return t->link->dials > 1;
}

static void test_acts__another_network_is_tried_at_once(void **state) {
  test_host *t = host_start();
  (void)state;
  t->options.backoff_min_ms = t->options.backoff_max_ms = 600000;
  link_reach(t->link, false);
  host_open(t);
  host_turns(t);
  link_reach(t->link, true);
  assert_int_equal(t->link->dials, 1);
  assert_int_equal(seen_client_network_changed(t->client), SEEN_OK);
  host_until(t, dialled_again);
  host_until(t, host_is_online);
  host_end(t);
}

static void test_acts__what_makes_no_sense_is_refused(void **state) {
  test_host *t = host_start_alone();
  const char *no_id = NULL;
  char longest[257];
  (void)state;
  memset(longest, 'a', sizeof longest);
  longest[256] = '\0';
  host_open(t);
  assert_int_equal(seen_client_opened(t->client, ""), SEEN_EINVAL);
  /* NOLINTNEXTLINE(clang-analyzer-nullability.NullPassedToNonnull) the test */
  assert_int_equal(seen_client_mark_read(t->client, no_id, 0), SEEN_EINVAL);
  assert_int_equal(seen_client_closed(t->client, longest), SEEN_EINVAL);
  longest[255] = '\0';
  assert_int_equal(seen_client_closed(t->client, longest), SEEN_OK);
  assert_int_equal(seen_client_mute(t->client, "\xff", true), SEEN_EINVAL);
  assert_int_equal(seen_client_visible(t->client, "g", 9, 6), SEEN_ERANGE);
  assert_int_equal(seen_client_visible(t->client, "g", 0, 6), SEEN_ERANGE);
  assert_int_equal(seen_client_visible(t->client, "g", 1, SEEN_SEQ_MAX + 1),
                   SEEN_ERANGE);
  assert_int_equal(seen_client_mark_read(t->client, "g", SEEN_SEQ_MAX + 1),
                   SEEN_ERANGE);
  assert_int_equal(seen_client_mark_unread(t->client, "g", SEEN_SEQ_MAX + 1),
                   SEEN_ERANGE);
  assert_int_equal(seen_client_token(t->client, ""), SEEN_EINVAL);
  assert_int_equal(seen_client_token(t->client, "a\r\nb"), SEEN_EINVAL);
  assert_int_equal(seen_client_token(t->client, "a b"), SEEN_EINVAL);
  host_end(t);
}

static void test_acts__without_a_row_they_do_nothing(void **state) {
  test_host *t = host_start_alone();
  (void)state;
  host_open(t);
  assert_int_equal(seen_client_opened(t->client, "none"), SEEN_OK);
  assert_int_equal(seen_client_mark_read(t->client, "none", 5), SEEN_OK);
  assert_int_equal(seen_client_mark_unread(t->client, "none", 0), SEEN_OK);
  assert_int_equal(seen_client_forget(t->client, "none"), SEEN_OK);
  host_turns(t);
  assert_int_equal(seen_client_count(t->client), 0); /* S8 */
  host_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_acts__mark_read_reads_up_to_a_seq_or_all),
      cmocka_unit_test(test_acts__mark_unread_counts_from_that_seq_on),
      cmocka_unit_test(test_acts__mark_unread_without_a_seq_is_the_newest),
      cmocka_unit_test(test_acts__mark_all_read_reads_all),
      cmocka_unit_test(test_acts__what_is_on_screen_is_read),
      cmocka_unit_test(test_acts__nothing_is_read_without_focus),
      cmocka_unit_test(test_acts__a_reply_in_the_background_reads_at_once),
      cmocka_unit_test(test_acts__settings_reach_the_server),
      cmocka_unit_test(test_acts__a_forgotten_row_is_gone),
      cmocka_unit_test(test_acts__mentions_are_cleared),
      cmocka_unit_test(test_acts__an_audit_finds_nothing_wrong),
      cmocka_unit_test(test_acts__another_network_is_tried_at_once),
      cmocka_unit_test(test_acts__what_makes_no_sense_is_refused),
      cmocka_unit_test(test_acts__without_a_row_they_do_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
