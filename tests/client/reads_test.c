#include "support/host.h"

#include <string.h>

static test_host *connected(void) {
  test_host *t = host_start();
  link_row_is(t->link, "g", 5, 9);
  link_row_is(t->link, "h", 0, 2);
  host_connect(t);
  return t;
}

static void test_reads__a_page_is_in_the_order_of_the_list(void **state) {
  test_host *t = connected();
  seen_state rows[4];
  (void)state;
  assert_int_equal(seen_client_count(t->client), 2);
  assert_int_equal(seen_client_page(t->client, 0, 4, rows), 2);
  assert_string_equal(rows[0].id, "h"); /* the newer one */
  assert_string_equal(rows[1].id, "g");
  assert_int_equal(seen_client_page(t->client, 1, 4, rows), 1);
  assert_int_equal(seen_client_page(t->client, 2, 4, rows), 0);
  host_end(t);
}

static void test_reads__one_conversation_in_a_struct(void **state) {
  test_host *t = connected();
  seen_state row = {.size = sizeof row};
  (void)state;
  assert_int_equal(seen_client_state(t->client, "g", &row), SEEN_OK);
  assert_int_equal(row.unread, 4);
  assert_int_equal(row.first_unread, 6);
  assert_int_equal(row.last_seq, 9);
  assert_int_equal(seen_client_state(t->client, "none", &row), SEEN_ENOTFOUND);
  host_end(t);
}

static void totals_are(test_host *t, const char *without, uint64_t unread,
                       uint64_t conversations, uint64_t muted) {
  seen_totals totals;
  seen_client_totals_without(t->client, without, &totals);
  assert_int_equal(totals.unread, unread);
  assert_int_equal(totals.conversations, conversations);
  assert_int_equal(totals.muted, muted);
}

static void test_reads__totals_without_the_one_on_screen(void **state) {
  test_host *t = connected();
  (void)state;
  totals_are(t, "none", 6, 2, 0);
  totals_are(t, "g", 2, 1, 0);
  totals_are(t, "h", 4, 1, 0);
  seen_client_mute(t->client, "g", true);
  host_turns(t);
  totals_are(t, "none", 2, 1, 4);
  totals_are(t, "g", 2, 1, 0);
  totals_are(t, "h", 0, 0, 4);
  host_end(t);
}

static void test_reads__who_has_read_what(void **state) {
  test_host *t = connected();
  seen_receipt receipt = {.size = sizeof receipt};
  const char *users[2];
  size_t count = 9;
  (void)state;
  link_say(t->link, "{\"t\":\"members\",\"conv\":\"g\",\"joined\":[{\"user\":"
                    "\"u2\",\"seq\":1},{\"user\":\"u3\",\"seq\":1}],"
                    "\"left\":[]}");
  link_say(t->link, "{\"t\":\"peer\",\"conv\":\"g\",\"items\":[{\"user\":"
                    "\"u2\",\"read_seq\":9,\"delivered_seq\":9}]}");
  host_turns(t);
  assert_true(host_heard(t, SEEN_EVENT_RECEIPTS)->count > 0);
  assert_int_equal(seen_client_receipt(t->client, "g", 9, &receipt), SEEN_OK);
  assert_int_equal(receipt.read, 1);
  assert_int_equal(receipt.audience, 2);
  assert_int_equal(seen_client_readers(t->client, "g", 9, SEEN_READERS_READ,
                                       users, 2, &count),
                   SEEN_OK);
  assert_int_equal(count, 1);
  assert_string_equal(users[0], "u2");
  assert_int_equal(seen_client_receipt(t->client, "none", 9, &receipt),
                   SEEN_ENOTFOUND);
  assert_int_equal(seen_client_receipt(t->client, "g", 0, &receipt),
                   SEEN_ERANGE);
  assert_int_equal(seen_client_readers(t->client, "none", 9, SEEN_READERS_READ,
                                       users, 2, &count),
                   SEEN_ENOTFOUND);
  assert_int_equal(count, 0);
  host_end(t);
}

static void test_reads__no_id_is_none_of_theirs(void **state) {
  test_host *t = connected();
  seen_state row = {.size = sizeof row};
  seen_receipt receipt = {.size = sizeof receipt};
  seen_totals all, without;
  seen_mention mention;
  const char *no_id = NULL;
  size_t length;
  (void)state;
  /* NOLINTBEGIN(clang-analyzer-nullability.NullPassedToNonnull) the test */
  assert_int_equal(seen_client_state(t->client, no_id, &row), SEEN_ENOTFOUND);
  assert_int_equal(seen_client_next_mention(t->client, no_id, 0, &mention),
                   SEEN_ENOTFOUND);
  assert_int_equal(seen_client_receipt(t->client, no_id, 1, &receipt),
                   SEEN_ENOTFOUND);
  assert_int_equal(seen_client_explain(t->client, no_id, NULL, 0, &length),
                   SEEN_ENOTFOUND);
  seen_client_totals(t->client, &all);
  seen_client_totals_without(t->client, no_id, &without);
  /* NOLINTEND(clang-analyzer-nullability.NullPassedToNonnull) */
  assert_int_equal(all.unread, without.unread);
  host_end(t);
}

static void test_reads__a_count_is_explained(void **state) {
  test_host *t = connected();
  char text[4096];
  size_t length;
  (void)state;
  assert_int_equal(
      seen_client_explain(t->client, "g", text, sizeof text, &length), SEEN_OK);
  assert_non_null(strstr(text, "unread"));
  assert_int_equal(seen_client_explain(t->client, "none", NULL, 0, &length),
                   SEEN_ENOTFOUND);
  assert_int_equal(length, 0);
  host_end(t);
}

static void test_reads__mentions_one_by_one(void **state) {
  test_host *t = connected();
  seen_mention mention;
  (void)state;
  assert_int_equal(seen_client_next_mention(t->client, "g", 0, &mention),
                   SEEN_ENOTFOUND);
  link_say(t->link, "{\"t\":\"message\",\"conv\":\"g\",\"seq\":10,\"version\":"
                    "900,\"from\":\"u2\",\"kind\":\"text\",\"countable\":true,"
                    "\"mentions\":\"all\",\"sent_at\":1733000000000}");
  host_turns(t);
  assert_int_equal(seen_client_next_mention(t->client, "g", 0, &mention),
                   SEEN_OK);
  assert_int_equal(mention.seq, 10);
  assert_int_equal(mention.why, SEEN_MENTION_ALL);
  assert_int_equal(seen_client_next_mention(t->client, "g", 10, &mention),
                   SEEN_ENOTFOUND);
  host_end(t);
}

static void test_reads__the_link_and_the_counters(void **state) {
  test_host *t = connected();
  seen_connection_state link = {.size = sizeof link};
  seen_metrics metrics = {.size = sizeof metrics};
  (void)state;
  seen_client_connection(t->client, &link);
  assert_int_equal(link.connection, SEEN_CONNECTION_ONLINE);
  seen_client_mark_read(t->client, "g", 0);
  host_turns(t);
  seen_client_metrics(t->client, &metrics);
  assert_int_equal(metrics.advances, 1);
  host_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads__a_page_is_in_the_order_of_the_list),
      cmocka_unit_test(test_reads__one_conversation_in_a_struct),
      cmocka_unit_test(test_reads__totals_without_the_one_on_screen),
      cmocka_unit_test(test_reads__who_has_read_what),
      cmocka_unit_test(test_reads__no_id_is_none_of_theirs),
      cmocka_unit_test(test_reads__a_count_is_explained),
      cmocka_unit_test(test_reads__mentions_one_by_one),
      cmocka_unit_test(test_reads__the_link_and_the_counters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
