#include "engine/core.h"

#include "support/engine.h"

static void test_core__a_list_holds_each_conversation_once(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  sn_conv *conv = sn_engine_conv(t->engine, 1);
  for (int i = 0; i < 9; i++) {
    sn_engine_dirty(t->engine, conv);
    sn_engine_notify(t->engine, conv);
  }
  assert_int_equal(t->engine->dirty.count, 1);
  assert_int_equal(t->engine->changed.count, 1);
  assert_ptr_equal(sn_engine_pull(t->engine, &t->engine->dirty, SN_DIRTY),
                   conv);
  assert_int_equal(t->engine->dirty.count, 0);
  assert_false(sn_conv_has(conv, SN_DIRTY));
  engine_end(t);
}

static void test_core__what_comes_again_stands_behind_the_others(void **state) {
  test_engine *t = engine_start();
  sn_list *dirty;
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_row(t, "h", word_at(0, 0, 0, 9));
  dirty = &t->engine->dirty;
  for (int i = 0; i < 9; i++) {
    sn_conv *conv = sn_engine_pull(t->engine, dirty, SN_DIRTY);
    assert_int_equal(conv->handle, 1 + i % 2);
    sn_engine_dirty(t->engine, conv);
  }
  engine_end(t);
}

static void
test_core__what_is_unwritten_counts_from_its_first_change(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  t->now = 100;
  say_row(t, "g", word_at(0, 0, 0, 10));
  assert_int_equal(t->engine->dirty_since, 0);
  sn_engine_persist(t->engine);
  assert_true(t->engine->dirty_since == SN_NO_TIME);
  assert_int_equal(t->engine->writable, 1);
  engine_end(t);
}

static void test_core__a_viewport_ends_with_what_is_open(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_row(t, "h", word_at(0, 0, 0, 9));
  say(t, SEEN_INPUT_OPEN, "g");
  say(t, SEEN_INPUT_OPEN, "h");
  assert_int_equal(t->engine->windows.count, 2);
  say(t, SEEN_INPUT_CLOSE, "g");
  assert_null(sn_engine_conv(t->engine, 1)->viewport);
  assert_int_equal(t->engine->windows.count, 1);
  assert_int_equal(t->engine->windows.items[0], 2);
  engine_end(t);
}

static void test_core__a_viewport_ends_after_what_it_subscribed(void **state) {
  seen_options options = engine_options();
  options.subscriptions = true;
  test_engine *t = engine_start_with(&options);
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  say_message(t, "g", 10, "u1");
  say(t, SEEN_INPUT_OPEN, "g");
  say_visible(t, "g", 1, 10);
  expect_sent(t, "subscribe g 10-10");
  say(t, SEEN_INPUT_CLOSE, "g");
  expect_sent(t, "unsubscribe g 10-10");
  assert_int_equal(t->engine->windows.count, 0);
  engine_end(t);
}

static void test_core__parts_bring_room_in_the_timers(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  sn_conv *conv = sn_engine_conv(t->engine, 1);
  assert_int_equal(sn_engine_need_facts(t->engine, conv), SEEN_OK);
  assert_int_equal(sn_engine_need_facts(t->engine, conv), SEEN_OK);
  assert_int_equal(sn_engine_need_reading(t->engine, conv), SEEN_OK);
  assert_int_equal(t->engine->facts, 1);
  assert_int_equal(t->engine->readings, 1);
  assert_true(t->engine->fetches.capacity > 1);
  assert_true(t->engine->reports.capacity > 1);
  assert_true(t->engine->ready_capacity >= 1);
  engine_end(t);
}

static void test_core__without_memory_no_part_is_counted(void **state) {
  test_engine *t = engine_start();
  (void)state;
  say_row(t, "g", word_at(0, 0, 0, 9));
  sn_conv *conv = sn_engine_conv(t->engine, 1);
  for (int i = 0; i < 3; i++) { /* both timers, and then the part */
    test_alloc_fail(&t->memory, i ? 2 : 1);
    int status = sn_engine_need_facts(t->engine, conv);
    if (i < 2) assert_int_equal(status, SEEN_ENOMEM);
    if (status) assert_int_equal(t->engine->facts, 0);
  }
  engine_end(t);
}

static void test_core__a_seed_gives_its_numbers(void **state) {
  seen_options options = engine_options();
  test_engine *a = engine_start(), *b = engine_start();
  (void)state;
  options.seed = 7;
  test_engine *c = engine_start_with(&options);
  uint64_t first = sn_engine_random(a->engine);
  assert_true(first == sn_engine_random(b->engine));
  assert_true(first != sn_engine_random(c->engine));
  assert_true(first != sn_engine_random(a->engine));
  engine_end(a);
  engine_end(b);
  engine_end(c);
}

static void test_core__scratch_is_used_again(void **state) {
  test_engine *t = engine_start();
  (void)state;
  void *block = sn_engine_scratch(t->engine, SN_SCRATCH_PEERS, 10, 8);
  uint64_t calls = t->memory.calls;
  assert_ptr_equal(sn_engine_scratch(t->engine, SN_SCRATCH_PEERS, 0, 8), block);
  assert_int_equal(t->memory.calls, calls);
  engine_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_core__a_list_holds_each_conversation_once),
      cmocka_unit_test(test_core__what_comes_again_stands_behind_the_others),
      cmocka_unit_test(
          test_core__what_is_unwritten_counts_from_its_first_change),
      cmocka_unit_test(test_core__a_viewport_ends_with_what_is_open),
      cmocka_unit_test(test_core__a_viewport_ends_after_what_it_subscribed),
      cmocka_unit_test(test_core__parts_bring_room_in_the_timers),
      cmocka_unit_test(test_core__without_memory_no_part_is_counted),
      cmocka_unit_test(test_core__a_seed_gives_its_numbers),
      cmocka_unit_test(test_core__scratch_is_used_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
