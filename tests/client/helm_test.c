#include "client/helm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

typedef struct fixture {
  test_alloc memory;
  sn_signal signal;
  sn_helm helm;
  size_t turns; /* of the loop; whoever steers may look */
  bool ended;
} fixture;

static void begin(fixture *t) {
  memset(t, 0, sizeof *t);
  test_alloc_init(&t->memory);
  assert_int_equal(sn_platform_signal_open(&t->signal, NULL), SEEN_OK);
  assert_int_equal(sn_helm_init(&t->helm, &t->signal, &t->memory.allocator),
                   SEEN_OK);
}

static void end(fixture *t) {
  sn_helm_free(&t->helm);
  sn_platform_signal_close(&t->signal);
  test_alloc_check(&t->memory);
}

/* A loop that waits while it steers, as a client's. */
static void *run(void *argument) {
  fixture *t = argument;
  while (sn_helm_take_turn(&t->helm, SN_FOREVER)) {
    do {
      t->turns++;
      (void)sn_platform_signal_wait(&t->signal, SN_FOREVER);
    } while (!sn_helm_wanted(&t->helm));
    sn_helm_give(&t->helm);
  }
  t->ended = true;
  return NULL;
}

static void test_helm__a_call_takes_it_from_a_loop_that_waits(void **state) {
  fixture t;
  (void)state;
  begin(&t);
  assert_int_equal(sn_helm_start(&t.helm, run, &t, NULL), SEEN_OK);
  for (int i = 0; i < 100; i++) {
    assert_true(sn_helm_take(&t.helm, 30000));
    sn_helm_give(&t.helm);
  }
  assert_true(sn_helm_close(&t.helm));
  assert_true(t.turns <= 101);
  sn_helm_end(&t.helm);
  assert_true(t.ended);
  end(&t);
}

static void test_helm__is_had_by_one_at_a_time(void **state) {
  fixture t;
  (void)state;
  begin(&t);
  assert_true(sn_helm_take(&t.helm, 0));
  assert_false(sn_helm_take(&t.helm, 10));
  assert_false(sn_helm_take_turn(&t.helm, 10));
  sn_helm_give(&t.helm);
  assert_true(sn_helm_take_turn(&t.helm, 0));
  sn_helm_give(&t.helm);
  end(&t);
}

static void test_helm__runs_on_a_thread_or_in_steps(void **state) {
  fixture t;
  (void)state;
  begin(&t);
  assert_int_equal(sn_helm_begin_step(&t.helm, NULL), SEEN_OK);
  assert_int_equal(sn_helm_begin_step(&t.helm, NULL), SEEN_ESTATE);
  assert_int_equal(sn_helm_start(&t.helm, run, &t, NULL), SEEN_ESTATE);
  sn_helm_end_step(&t.helm);
  assert_int_equal(sn_helm_start(&t.helm, run, &t, NULL), SEEN_OK);
  assert_int_equal(sn_helm_begin_step(&t.helm, NULL), SEEN_ESTATE);
  assert_true(sn_helm_close(&t.helm));
  sn_helm_end(&t.helm);
  assert_int_equal(sn_helm_begin_step(&t.helm, NULL), SEEN_ECLOSED);
  assert_int_equal(sn_helm_start(&t.helm, run, &t, NULL), SEEN_ECLOSED);
  end(&t);
}

static void test_helm__a_loop_gives_way_to_who_closes(void **state) {
  fixture t;
  (void)state;
  begin(&t);
  assert_true(sn_helm_close(&t.helm));
  assert_true(sn_helm_is_closing(&t.helm));
  assert_true(sn_helm_wanted(&t.helm));
  assert_false(sn_helm_take_turn(&t.helm, SN_FOREVER));
  sn_helm_end(&t.helm);
  assert_false(sn_helm_close(&t.helm));
  assert_true(sn_helm_take(&t.helm, 0)); /* to see that it is closed */
  end(&t);
}

static void *close_too(void *argument) {
  fixture *t = argument;
  assert_false(sn_helm_close(&t->helm));
  assert_true(t->ended); /* not before the first one has */
  return NULL;
}

static void test_helm__a_second_one_waits_until_all_is_ended(void **state) {
  fixture t;
  sn_thread second;
  (void)state;
  begin(&t);
  assert_true(sn_helm_close(&t.helm));
  assert_int_equal(sn_platform_thread(close_too, &t, &second, NULL), SEEN_OK);
  (void)sn_platform_signal_wait(&t.signal, 20);
  t.ended = true;
  sn_helm_end(&t.helm);
  sn_platform_join(second);
  end(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_helm__a_call_takes_it_from_a_loop_that_waits),
      cmocka_unit_test(test_helm__is_had_by_one_at_a_time),
      cmocka_unit_test(test_helm__runs_on_a_thread_or_in_steps),
      cmocka_unit_test(test_helm__a_loop_gives_way_to_who_closes),
      cmocka_unit_test(test_helm__a_second_one_waits_until_all_is_ended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
