/* A disk that takes its time: reads do not wait for it. */
#include "support/host.h"

#include <stdlib.h>
#include <string.h>

/* A store whose commit waits until it is let go. */
typedef struct stalling {
  seen_store store; /* first */
  seen_store *inner;
  sn_signal there; /* it waits */
  sn_signal go_on;
  bool stalls;
} stalling;

static seen_store *inner_of(seen_store *store) {
  return ((stalling *)(void *)store)->inner;
}

static int meta(seen_store *store, seen_meta *what, seen_error *error) {
  return inner_of(store)->meta(inner_of(store), what, error);
}

static int totals(seen_store *store, seen_totals *what, uint64_t *records,
                  seen_error *error) {
  return inner_of(store)->totals(inner_of(store), what, records, error);
}

static int load(seen_store *store, seen_store_take take, void *user_data,
                seen_error *error) {
  return inner_of(store)->load(inner_of(store), take, user_data, error);
}

static int begin(seen_store *store, bool durable, seen_error *error) {
  return inner_of(store)->begin(inner_of(store), durable, error);
}

static int put(seen_store *store, const seen_record *record,
               const seen_row *row, seen_error *error) {
  return inner_of(store)->put(inner_of(store), record, row, error);
}

static int remove_record(seen_store *store, const char *id, seen_error *error) {
  return inner_of(store)->remove(inner_of(store), id, error);
}

static int put_totals(seen_store *store, const seen_totals *what,
                      uint64_t records, seen_error *error) {
  return inner_of(store)->put_totals(inner_of(store), what, records, error);
}

static int put_meta(seen_store *store, const seen_meta *what,
                    seen_error *error) {
  return inner_of(store)->put_meta(inner_of(store), what, error);
}

static int commit(seen_store *store, seen_error *error) {
  stalling *self = (stalling *)(void *)store;
  if (self->stalls) {
    self->stalls = false;
    sn_platform_signal_raise(&self->there);
    assert_true(sn_platform_signal_wait(&self->go_on, HOST_MS));
  }
  return self->inner->commit(self->inner, error);
}

static void rollback(seen_store *store) {
  inner_of(store)->rollback(inner_of(store));
}

static void close_store(seen_store *store) {
  inner_of(store)->close(inner_of(store));
}

static bool has_one_more(test_host *t) {
  return host_unread(t) == 5;
}

static void test_stall__reads_and_acts_do_not_wait_for_a_disk(void **state) {
  stalling slow = {.store = {.size = sizeof slow.store,
                             .meta = meta,
                             .totals = totals,
                             .load = load,
                             .begin = begin,
                             .put = put,
                             .remove = remove_record,
                             .put_totals = put_totals,
                             .put_meta = put_meta,
                             .commit = commit,
                             .rollback = rollback,
                             .close = close_store}};
  test_host *t = host_start();
  seen_state row = {.size = sizeof row};
  (void)state;
  assert_int_equal(seen_store_open_memory(NULL, &slow.inner, NULL), SEEN_OK);
  assert_int_equal(sn_platform_signal_open(&slow.there, NULL), SEEN_OK);
  assert_int_equal(sn_platform_signal_open(&slow.go_on, NULL), SEEN_OK);
  t->options.store = &slow.store;
  link_row_is(t->link, "g", 5, 9);
  host_connect(t);
  link_message(t->link, "g", "hello");
  host_until(t, has_one_more);
  assert_int_equal(seen_client_flush(t->client, HOST_MS, NULL), SEEN_OK);
  /* cppcheck-suppress unreadVariable; the store reads it */
  slow.stalls = true;
  link_message(t->link, "g", "hello");
  assert_int_equal(seen_client_start(t->client, NULL), SEEN_OK);
  assert_true(sn_platform_signal_wait(&slow.there, HOST_MS));
  /* The loop is in the disk, and all of this returns. */
  assert_int_equal(seen_client_state(t->client, "g", &row), SEEN_OK);
  assert_int_equal(seen_client_page(t->client, 0, 1, &row), 1);
  assert_int_equal(host_unread(t), 6);
  assert_true(seen_client_dispatch(t->client) > 0);
  assert_int_equal(seen_client_mark_read(t->client, "g", 0), SEEN_OK);
  assert_int_equal(seen_client_flush(t->client, 10, NULL), SEEN_ETIMEOUT);
  sn_platform_signal_raise(&slow.go_on);
  assert_int_equal(seen_client_flush(t->client, HOST_MS, NULL), SEEN_OK);
  assert_int_equal(host_unread(t), 0);
  host_end(t);
  sn_platform_signal_close(&slow.there);
  sn_platform_signal_close(&slow.go_on);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stall__reads_and_acts_do_not_wait_for_a_disk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
