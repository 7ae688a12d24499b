#include "support/mirror.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int reattach(test_mirror *t, seen_store *store) {
  return seen_mirror_reattach(t->mirror, store, NULL);
}

static void test_detach__what_changes_meanwhile_is_written_later(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "g", 5, 9);
  mirror_write(t);
  seen_mirror_detach(t->mirror);
  spy_forget(t);
  mirror_message(t, "g", 10);
  mirror_at(t, t->now + 500);
  mirror_commit(t);
  assert_int_equal(t->spy.calls[SPY_BEGIN], 0);
  assert_int_equal(seen_mirror_deadline(t->mirror), SEEN_NEVER);
  assert_int_equal(mirror_unread(t, "g"), 5); /* reads go on */
  assert_int_equal(reattach(t, &t->spy.store), SEEN_OK);
  mirror_commit(t);
  assert_int_equal(t->spy.calls[SPY_PUT], 1);
  mirror_agrees(t);
  mirror_end(t);
}

static void test_detach__nothing_changed_nothing_is_written(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "g", 5, 9);
  mirror_write(t);
  seen_mirror_detach(t->mirror);
  spy_forget(t);
  assert_int_equal(reattach(t, &t->spy.store), SEEN_OK);
  mirror_commit(t);
  assert_int_equal(t->spy.calls[SPY_BEGIN], 0);
  assert_int_equal(t->spy.calls[SPY_LOAD], 0);
  mirror_end(t);
}

/* What another process did to the store meanwhile. */
static void replace(seen_store *store, const char *user) {
  const seen_record other = {.size = sizeof other, .id = "other"};
  const seen_row row = {.size = sizeof row, .unread = 3, .listed = true};
  const seen_totals totals = {3, 1, 0, 0};
  const seen_meta meta = {sizeof meta, user, "d1", "", 0};
  assert_int_equal(store->begin(store, false, NULL), SEEN_OK);
  assert_int_equal(store->put(store, &other, &row, NULL), SEEN_OK);
  assert_int_equal(store->put_totals(store, &totals, 1, NULL), SEEN_OK);
  assert_int_equal(store->put_meta(store, &meta, NULL), SEEN_OK);
  assert_int_equal(store->commit(store, NULL), SEEN_OK);
}

static void test_detach__a_store_that_holds_another_state_is_filled(void **s) {
  test_mirror *t = mirror_start();
  (void)s;
  mirror_row(t, "g", 5, 9);
  mirror_row(t, "h", 0, 2);
  mirror_write(t);
  seen_mirror_detach(t->mirror);
  replace(t->spy.inner, t->options.user);
  spy_forget(t);
  assert_int_equal(reattach(t, &t->spy.store), SEEN_OK);
  mirror_commit(t);
  assert_int_equal(t->spy.calls[SPY_PUT], 2);
  assert_int_equal(t->spy.calls[SPY_REMOVE], 1); /* the other's row */
  mirror_agrees(t);
  mirror_end(t);
}

static void test_detach__a_store_of_somebody_else_is_refused(void **state) {
  test_mirror *t = mirror_start();
  seen_store *other;
  (void)state;
  mirror_row(t, "g", 5, 9);
  mirror_write(t);
  seen_mirror_detach(t->mirror);
  assert_int_equal(seen_store_open_memory(NULL, &other, NULL), SEEN_OK);
  replace(other, "somebody");
  assert_int_equal(reattach(t, other), SEEN_EINVAL);
  mirror_message(t, "g", 10);
  mirror_commit(t); /* is detached still */
  assert_int_equal(reattach(t, &t->spy.store), SEEN_OK);
  mirror_write(t);
  mirror_agrees(t);
  other->close(other);
  mirror_end(t);
}

static void test_detach__a_store_that_fails_is_tried_again(void **state) {
  static const spy_call calls[] = {SPY_META, SPY_TOTALS, SPY_LOAD};
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "g", 5, 9);
  mirror_write(t);
  seen_mirror_detach(t->mirror);
  replace(t->spy.inner, t->options.user);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    t->spy.failing = calls[i];
    t->spy.code = SEEN_EIO;
    assert_int_equal(reattach(t, &t->spy.store), SEEN_EIO);
  }
  t->spy.code = SEEN_OK;
  assert_int_equal(reattach(t, &t->spy.store), SEEN_OK);
  mirror_write(t);
  mirror_agrees(t);
  mirror_end(t);
}

static void test_hurry__what_is_not_due_is_written_for_good(void **state) {
  test_mirror *t = mirror_start();
  (void)state;
  mirror_row(t, "g", 5, 9);
  mirror_write(t);
  spy_forget(t);
  mirror_message(t, "g", 10);
  mirror_commit(t);
  assert_int_equal(t->spy.calls[SPY_PUT], 0); /* persist_ms */
  seen_mirror_hurry(t->mirror);
  mirror_commit(t);
  assert_int_equal(t->spy.calls[SPY_PUT], 1);
  assert_int_equal(t->spy.durable, 1);
  mirror_agrees(t);
  mirror_end(t);
}

static void test_hurry__a_version_goes_with_all_that_it_promises(void **s) {
  test_mirror *t = mirror_start();
  (void)s;
  mirror_row(t, "g", 5, 9);
  assert_int_equal(seen_mirror_set_server(t->mirror, "i1", 7, NULL), SEEN_OK);
  seen_mirror_hurry(t->mirror);
  mirror_commit(t);
  assert_int_equal(mirror_stored_meta(t).version, 7);
  mirror_agrees(t);
  mirror_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_detach__what_changes_meanwhile_is_written_later),
      cmocka_unit_test(test_detach__nothing_changed_nothing_is_written),
      cmocka_unit_test(test_detach__a_store_that_holds_another_state_is_filled),
      cmocka_unit_test(test_detach__a_store_of_somebody_else_is_refused),
      cmocka_unit_test(test_detach__a_store_that_fails_is_tried_again),
      cmocka_unit_test(test_hurry__what_is_not_due_is_written_for_good),
      cmocka_unit_test(test_hurry__a_version_goes_with_all_that_it_promises),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
