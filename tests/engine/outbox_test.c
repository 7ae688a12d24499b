#include "engine/outbox.h"

#include "support/engine.h"

/* Conversations z, a and m have the handles 1, 2 and 3. */
typedef struct bench {
  test_alloc memory;
  sn_registry registry;
  sn_outbox outbox;
} bench;

static void begin(bench *b) {
  *b = (bench){0};
  test_alloc_init(&b->memory);
  for (const char *id = "zam"; *id; id++)
    sn_registry_add(&b->memory.allocator, &b->registry, id, 1);
  assert_int_equal(sn_outbox_reserve(&b->memory.allocator, &b->outbox, 20, 20),
                   SEEN_OK);
}

static void end(bench *b) {
  sn_outbox_free(&b->memory.allocator, &b->outbox);
  sn_registry_free(&b->memory.allocator, &b->registry);
  test_alloc_check(&b->memory);
}

static void put(bench *b, seen_effect_type type, seen_conv conv) {
  sn_outbox_put(&b->outbox, type, conv, 0, 0);
}

static void end_turn(bench *b) {
  sn_outbox_end_turn(&b->outbox, &b->registry);
}

static void expect(bench *b, seen_effect_type type, seen_conv conv) {
  seen_effect effect;
  assert_true(sn_outbox_pull(&b->outbox, &effect));
  assert_int_equal(effect.type, type);
  assert_int_equal(effect.conv, conv);
}

static void expect_nothing(bench *b) {
  seen_effect effect;
  assert_false(sn_outbox_pull(&b->outbox, &effect));
}

static void test_outbox__a_turn_leaves_in_the_order_of_v10(void **state) {
  const seen_effect_type types[] = {
      SEEN_EFFECT_SUBSCRIBE,   SEEN_EFFECT_DELIVERED, SEEN_EFFECT_READ_ALL,
      SEEN_EFFECT_UNSUBSCRIBE, SEEN_EFFECT_PIN,       SEEN_EFFECT_MUTE,
      SEEN_EFFECT_FETCH,       SEEN_EFFECT_RESYNC};
  bench b;
  (void)state;
  begin(&b);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    put(&b, types[i], 0);
  end_turn(&b);
  expect(&b, SEEN_EFFECT_RESYNC, 0);
  expect(&b, SEEN_EFFECT_FETCH, 0);
  expect(&b, SEEN_EFFECT_MUTE, 0);
  expect(&b, SEEN_EFFECT_PIN, 0);
  expect(&b, SEEN_EFFECT_READ_ALL, 0);
  expect(&b, SEEN_EFFECT_DELIVERED, 0);
  expect(&b, SEEN_EFFECT_UNSUBSCRIBE, 0);
  expect(&b, SEEN_EFFECT_SUBSCRIBE, 0);
  expect_nothing(&b);
  end(&b);
}

static void
test_outbox__reports_and_marks_share_the_order_of_ids(void **state) {
  const sn_runs none = {0};
  const sn_mark mark = {0, 9, 5, 1, true, false};
  bench b;
  (void)state;
  begin(&b);
  sn_outbox_put_report(&b.outbox, 1, 0, 3, &none, false, 1);
  sn_outbox_put_mark(&b.outbox, 3, &mark);
  sn_outbox_put_report(&b.outbox, 2, 0, 4, &none, false, 1);
  end_turn(&b);
  expect(&b, SEEN_EFFECT_REPORT, 2);
  expect(&b, SEEN_EFFECT_MARK_UNREAD, 3);
  expect(&b, SEEN_EFFECT_REPORT, 1);
  end(&b);
}

static void test_outbox__an_earlier_turn_leaves_first(void **state) {
  bench b;
  (void)state;
  begin(&b);
  put(&b, SEEN_EFFECT_SUBSCRIBE, 1);
  end_turn(&b);
  put(&b, SEEN_EFFECT_RESYNC, 0);
  end_turn(&b);
  expect(&b, SEEN_EFFECT_SUBSCRIBE, 1);
  expect(&b, SEEN_EFFECT_RESYNC, 0);
  end(&b);
}

static void test_outbox__equals_keep_the_order_they_came_in(void **state) {
  seen_effect effect;
  bench b;
  (void)state;
  begin(&b);
  for (uint64_t seq = 1; seq <= 9; seq++)
    sn_outbox_put(&b.outbox, SEEN_EFFECT_DELIVERED, 1, seq, 0);
  end_turn(&b);
  for (uint64_t seq = 1; seq <= 9; seq++) {
    assert_true(sn_outbox_pull(&b.outbox, &effect));
    assert_int_equal(effect.u.seq, seq);
  }
  end(&b);
}

static void test_outbox__each_report_names_its_own_clearings(void **state) {
  sn_runs cleared = {0}, none = {0};
  seen_effect effect;
  bench b;
  (void)state;
  begin(&b);
  sn_runs_reserve(&b.memory.allocator, &cleared, 2);
  sn_runs_put(&cleared, 4, 5, 0);
  sn_runs_put(&cleared, 9, 9, 0);
  sn_outbox_put_report(&b.outbox, 1, 2, 7, &cleared, true, 3);
  sn_outbox_put_report(&b.outbox, 2, 0, 1, &none, false, 3);
  end_turn(&b);
  assert_true(sn_outbox_pull(&b.outbox, &effect));
  assert_null(effect.u.report.cleared);
  assert_true(sn_outbox_pull(&b.outbox, &effect));
  const uint64_t named[] = {4, 5, 9};
  assert_int_equal(effect.u.report.cleared_count, 3);
  assert_memory_equal(effect.u.report.cleared, named, sizeof named);
  assert_true(effect.u.report.keep && effect.u.report.epoch == 2);
  assert_int_equal(effect.u.report.frame, 3);
  sn_runs_free(&b.memory.allocator, &cleared);
  end(&b);
}

static void test_outbox__what_was_not_pulled_survives_a_trim(void **state) {
  bench b;
  (void)state;
  begin(&b);
  put(&b, SEEN_EFFECT_FETCH, 1);
  put(&b, SEEN_EFFECT_FETCH, 3);
  end_turn(&b);
  expect(&b, SEEN_EFFECT_FETCH, 3);
  sn_outbox_trim(&b.outbox);
  put(&b, SEEN_EFFECT_RESYNC, 0);
  end_turn(&b);
  expect(&b, SEEN_EFFECT_FETCH, 1);
  expect(&b, SEEN_EFFECT_RESYNC, 0);
  sn_outbox_trim(&b.outbox);
  assert_int_equal(b.outbox.count, 0);
  end(&b);
}

static void test_outbox__what_was_reserved_asks_for_no_memory(void **state) {
  bench b;
  (void)state;
  begin(&b);
  uint64_t calls = b.memory.calls;
  for (size_t i = 0; i < 20; i++)
    put(&b, SEEN_EFFECT_FETCH, 1);
  end_turn(&b);
  assert_int_equal(b.memory.calls, calls);
  end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_outbox__a_turn_leaves_in_the_order_of_v10),
      cmocka_unit_test(test_outbox__reports_and_marks_share_the_order_of_ids),
      cmocka_unit_test(test_outbox__an_earlier_turn_leaves_first),
      cmocka_unit_test(test_outbox__equals_keep_the_order_they_came_in),
      cmocka_unit_test(test_outbox__each_report_names_its_own_clearings),
      cmocka_unit_test(test_outbox__what_was_not_pulled_survives_a_trim),
      cmocka_unit_test(test_outbox__what_was_reserved_asks_for_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
