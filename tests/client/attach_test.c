#include <seen/sys/mirror.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <seen/sys/working.h>

#include "support/alloc.h"

static seen_options options_of(const char *user) {
  seen_options options;

  seen_options_init(&options);
  options.user = user;
  return options;
}

static const seen_record record = {.size = sizeof record,
                                   .id = "g",
                                   .kind = SEEN_KIND_GROUP,
                                   .last_seq = 9,
                                   .tally_last = 9,
                                   .join_seq = 1,
                                   .flags = SEEN_RECORD_COUNTED};

/* A store in memory that holds the record, and whose mirror it is. */
static seen_store *store_of(const char *user) {
  const seen_row row = {.size = sizeof row,
                        .unread = 9,
                        .badge = SEEN_BADGE_NUMBER,
                        .exact = true,
                        .listed = true};
  const seen_totals totals = {9, 1, 0, 0};
  const seen_meta meta = {sizeof meta, user, "", "", 0};
  seen_store *store;

  assert_int_equal(seen_store_open_memory(NULL, &store, NULL), SEEN_OK);
  assert_int_equal(store->begin(store, false, NULL), SEEN_OK);
  assert_int_equal(store->put(store, &record, &row, NULL), SEEN_OK);
  assert_int_equal(store->put_totals(store, &totals, 1, NULL), SEEN_OK);
  assert_int_equal(store->put_meta(store, &meta, NULL), SEEN_OK);
  assert_int_equal(store->commit(store, NULL), SEEN_OK);
  return store;
}

static seen_engine *engine_of(const seen_options *options) {
  seen_engine *engine;

  assert_int_equal(seen_engine_new(options, 0, &engine, NULL), SEEN_OK);
  assert_int_equal(seen_engine_restore(engine, &record, NULL), SEEN_OK);
  return engine;
}

static void read_by_name(seen_mirror *mirror, uint64_t seq) {
  const seen_input input = {.size = sizeof input,
                            .type = SEEN_INPUT_MARK_READ,
                            .id = "g",
                            .u.seq = {true, seq}};
  seen_effect effect = {.size = sizeof effect};

  assert_int_equal(
      seen_engine_feed(seen_mirror_engine(mirror), &input, 5, NULL), SEEN_OK);
  while (seen_mirror_next(mirror, &effect))
    continue;
  assert_int_equal(seen_mirror_commit(mirror, 5, NULL), SEEN_OK);
}

static void test_attach__what_is_held_is_counted_once(void **s) {
  const seen_options options = options_of("u1");
  seen_store *store = store_of("u1");
  seen_totals totals;
  uint64_t records;
  seen_mirror *mirror;
  (void)s;
  assert_int_equal(
      seen_mirror_attach(&options, engine_of(&options), store, &mirror, NULL),
      SEEN_OK);
  assert_int_equal(seen_mirror_unwritten(mirror), 0);
  read_by_name(mirror, 4);
  assert_int_equal(store->totals(store, &totals, &records, NULL), SEEN_OK);
  assert_int_equal(totals.unread, 5);
  assert_int_equal(totals.conversations, 1);
  assert_int_equal(records, 1);
  seen_mirror_free(mirror);
  store->close(store);
}

static void test_attach__another_users_is_refused(void **s) {
  const seen_options options = options_of("u1");
  seen_store *store = store_of("u2");
  seen_engine *engine = engine_of(&options);
  seen_error error = SEEN_ERROR_INIT;
  seen_mirror *mirror;
  (void)s;
  assert_int_equal(seen_mirror_attach(&options, engine, store, &mirror, &error),
                   SEEN_EINVAL);
  assert_string_equal(error.message, "the mirror is another user's");
  assert_null(mirror);
  assert_int_equal(seen_engine_count(engine), 1); /* still the caller's */
  seen_engine_free(engine);
  store->close(store);
}

static void test_attach__without_memory_nothing_leaks(void **s) {
  seen_options options = options_of("u1");
  seen_store *store = store_of("u1");
  seen_engine *engine = engine_of(&options);
  int status = SEEN_ENOMEM;
  seen_mirror *mirror;
  test_alloc memory;
  uint64_t n;
  (void)s;
  test_alloc_init(&memory);
  options.allocator = &memory.allocator;
  for (n = 1; status == SEEN_ENOMEM; n++) {
    test_alloc_fail(&memory, n);
    status = seen_mirror_attach(&options, engine, store, &mirror, NULL);
    if (status != SEEN_OK) test_alloc_check(&memory);
  }
  assert_int_equal(status, SEEN_OK);
  assert_true(n > 3);
  seen_mirror_free(mirror);
  test_alloc_check(&memory);
  store->close(store);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_attach__what_is_held_is_counted_once),
      cmocka_unit_test(test_attach__another_users_is_refused),
      cmocka_unit_test(test_attach__without_memory_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
