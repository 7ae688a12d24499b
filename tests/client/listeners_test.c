#include "client/listeners.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/alloc.h"

typedef struct hearing {
  sn_listeners *listeners;
  uint64_t number;
  size_t heard;
  size_t freed;
  void (*then)(struct hearing *hearing);
  struct hearing *other;
  bool reached;
} hearing;

typedef struct fixture {
  test_alloc memory;
  sn_listeners listeners;
  size_t left; /* events to be given */
  const char *id;
} fixture;

static void begin(fixture *t) {
  memset(t, 0, sizeof *t);
  test_alloc_init(&t->memory);
  assert_int_equal(sn_listeners_init(&t->listeners, &t->memory.allocator),
                   SEEN_OK);
}

static void end(fixture *t) {
  sn_listeners_end(&t->listeners);
  sn_listeners_free(&t->listeners);
  test_alloc_check(&t->memory);
}

static void hear(const seen_event *event, void *user_data) {
  hearing *here = user_data;
  (void)event;
  assert_int_equal(here->freed, 0);
  here->heard++;
  if (here->then) here->then(here);
}

static void free_it(void *user_data) {
  ((hearing *)user_data)->freed++;
}

static void add(fixture *t, hearing *here, const char *id) {
  const sn_wanted wanted = {SEEN_EVENT_TOTALS, id, hear, here, free_it};
  here->listeners = &t->listeners;
  assert_int_equal(sn_listeners_add(&t->listeners, &wanted, &here->number),
                   SEEN_OK);
}

static bool give(void *source, seen_event *event) {
  fixture *t = source;
  if (!t->left) return false;
  t->left--;
  *event = (seen_event){
      .size = sizeof *event, .type = SEEN_EVENT_TOTALS, .id = t->id};
  return true;
}

static size_t tell(fixture *t, size_t events) {
  t->left = events;
  return sn_listeners_tell(&t->listeners, give, t);
}

static void test_listeners__each_hears_each_event(void **state) {
  fixture t;
  hearing a = {0}, b = {0};
  (void)state;
  begin(&t);
  add(&t, &a, NULL);
  add(&t, &b, NULL);
  assert_int_equal(tell(&t, 3), 3);
  assert_int_equal(a.heard, 3);
  assert_int_equal(b.heard, 3);
  end(&t);
  assert_int_equal(a.freed, 1);
  assert_int_equal(b.freed, 1);
}

static void test_listeners__hear_what_they_asked_for(void **state) {
  const sn_wanted other = {SEEN_EVENT_LIST, NULL, hear, NULL, NULL};
  fixture t;
  hearing a = {0}, b = {0};
  uint64_t number;
  (void)state;
  begin(&t);
  add(&t, &a, "a");
  add(&t, &b, "b");
  assert_int_equal(sn_listeners_add(&t.listeners, &other, &number), SEEN_OK);
  t.id = "a";
  tell(&t, 1);
  t.id = NULL; /* of no conversation: for all */
  tell(&t, 1);
  assert_int_equal(a.heard, 2);
  assert_int_equal(b.heard, 1);
  end(&t);
}

static void remove_self(hearing *here) {
  sn_listeners_remove(here->listeners, here->number);
  assert_int_equal(here->freed, 0); /* it still runs */
}

static void remove_other(hearing *here) {
  hearing *other = here->other;
  sn_listeners_remove(here->listeners, other->number);
  assert_int_equal(other->freed, 1);
  here->other = other->other; /* next time that one */
}

static void test_listeners__one_may_remove_itself(void **state) {
  fixture t;
  hearing a = {.then = remove_self}, b = {0};
  (void)state;
  begin(&t);
  add(&t, &a, NULL);
  add(&t, &b, NULL);
  tell(&t, 2);
  assert_int_equal(a.heard, 1);
  assert_int_equal(a.freed, 1);
  assert_int_equal(b.heard, 2);
  end(&t);
}

static void test_listeners__one_may_remove_those_around_it(void **state) {
  fixture t;
  hearing a = {0}, b = {.then = remove_other}, c = {0};
  (void)state;
  begin(&t);
  add(&t, &a, NULL);
  add(&t, &b, NULL);
  add(&t, &c, NULL);
  b.other = &c;
  c.other = &a;
  tell(&t, 1);
  assert_int_equal(c.heard, 0);
  tell(&t, 1);
  assert_int_equal(a.heard, 2);
  assert_int_equal(a.freed, 1);
  b.then = NULL;
  tell(&t, 1);
  assert_int_equal(b.heard, 3);
  end(&t);
  assert_int_equal(a.freed + b.freed + c.freed, 3);
}

static void end_all(hearing *here) {
  sn_listeners_end(here->listeners);
  assert_int_equal(here->freed, 0);
  assert_int_equal(here->other->freed, 1);
  here->reached = true;
}

static void test_listeners__the_end_within_one_lets_it_end(void **state) {
  fixture t;
  hearing a = {.then = end_all}, b = {0};
  (void)state;
  begin(&t);
  add(&t, &a, NULL);
  add(&t, &b, NULL);
  a.other = &b;
  assert_int_equal(tell(&t, 5), 1);
  assert_true(a.reached);
  assert_int_equal(a.freed, 1);
  assert_int_equal(b.heard, 0);
  assert_int_equal(tell(&t, 5), 0);
  end(&t);
}

static fixture *within;

static void tell_more(hearing *here) {
  here->then = NULL;
  assert_true(sn_listeners_in_one(here->listeners));
  within->left += 1;
  assert_int_equal(sn_listeners_tell(here->listeners, give, within), 1);
}

static void test_listeners__an_event_can_be_told_within_another(void **state) {
  fixture t;
  hearing a = {.then = tell_more}, b = {0};
  (void)state;
  begin(&t);
  within = &t;
  add(&t, &a, NULL);
  add(&t, &b, NULL);
  assert_int_equal(tell(&t, 1), 1);
  assert_int_equal(a.heard, 2);
  assert_int_equal(b.heard, 2);
  assert_false(sn_listeners_in_one(&t.listeners));
  end(&t);
}

static void remove_then_tell(hearing *here) {
  remove_self(here);
  tell_more(here);
}

static void test_listeners__one_removed_within_is_told_nothing(void **state) {
  fixture t;
  hearing a = {.then = remove_then_tell};
  (void)state;
  begin(&t);
  within = &t;
  add(&t, &a, NULL);
  tell(&t, 1);
  assert_int_equal(a.heard, 1);
  assert_int_equal(a.freed, 1);
  end(&t);
}

static void add_another(hearing *here) {
  here->then = NULL;
  add(within, here->other, NULL);
}

static void test_listeners__who_comes_hears_the_next_event(void **state) {
  fixture t;
  hearing a = {.then = add_another}, b = {0};
  (void)state;
  begin(&t);
  within = &t;
  add(&t, &a, NULL);
  a.other = &b;
  tell(&t, 1);
  assert_int_equal(b.heard, 0);
  tell(&t, 1);
  assert_int_equal(b.heard, 1);
  end(&t);
}

static void test_listeners__after_the_end_there_are_none(void **state) {
  fixture t;
  hearing a = {0};
  const sn_wanted wanted = {SEEN_EVENT_TOTALS, NULL, hear, &a, free_it};
  (void)state;
  begin(&t);
  sn_listeners_end(&t.listeners);
  assert_int_equal(sn_listeners_add(&t.listeners, &wanted, &a.number),
                   SEEN_ECLOSED);
  assert_int_equal(a.freed, 0);
  end(&t);
}

static void test_listeners__without_memory_nobody_hears(void **state) {
  fixture t;
  hearing a = {0};
  const sn_wanted wanted = {SEEN_EVENT_TOTALS, "g", hear, &a, free_it};
  (void)state;
  begin(&t);
  test_alloc_fail(&t.memory, 1);
  assert_int_equal(sn_listeners_add(&t.listeners, &wanted, &a.number),
                   SEEN_ENOMEM);
  assert_int_equal(sn_listeners_count(&t.listeners), 0);
  end(&t);
}

/* A listener that runs on another thread until it is let go. */
typedef struct slow {
  fixture *t;
  sn_signal running;
  sn_signal go_on;
  hearing hearing;
} slow;

static void hear_slowly(const seen_event *event, void *user_data) {
  slow *it = user_data;
  (void)event;
  sn_platform_signal_raise(&it->running);
  assert_true(sn_platform_signal_wait(&it->go_on, 30000));
  it->hearing.heard++;
}

static void free_slowly(void *user_data) {
  ((slow *)user_data)->hearing.freed++;
}

static void *tell_elsewhere(void *argument) {
  slow *it = argument;
  tell(it->t, 1);
  return NULL;
}

static void *let_go(void *argument) {
  slow *it = argument;
  (void)sn_platform_signal_wait(&it->running, 50); /* who removes waits now */
  sn_platform_signal_raise(&it->go_on);
  return NULL;
}

static void with_slow(void (*act)(slow *it)) {
  fixture t;
  slow it = {.t = &t};
  const sn_wanted wanted = {SEEN_EVENT_TOTALS, NULL, hear_slowly, &it,
                            free_slowly};
  sn_thread teller, other;
  begin(&t);
  assert_int_equal(sn_platform_signal_open(&it.running, NULL), SEEN_OK);
  assert_int_equal(sn_platform_signal_open(&it.go_on, NULL), SEEN_OK);
  assert_int_equal(sn_listeners_add(&t.listeners, &wanted, &it.hearing.number),
                   SEEN_OK);
  assert_int_equal(sn_platform_thread(tell_elsewhere, &it, &teller, NULL), 0);
  assert_true(sn_platform_signal_wait(&it.running, 30000));
  assert_int_equal(sn_platform_thread(let_go, &it, &other, NULL), 0);
  act(&it);
  assert_int_equal(it.hearing.heard, 1);
  assert_int_equal(it.hearing.freed, 1);
  sn_platform_join(teller);
  sn_platform_join(other);
  sn_platform_signal_close(&it.running);
  sn_platform_signal_close(&it.go_on);
  end(&t);
}

static void remove_slow(slow *it) {
  sn_listeners_remove(&it->t->listeners, it->hearing.number);
}

static void end_slow(slow *it) {
  sn_listeners_end(&it->t->listeners);
}

static void test_listeners__who_removes_waits_for_one_that_runs(void **state) {
  (void)state;
  with_slow(remove_slow);
}

static void test_listeners__the_end_waits_for_one_that_runs(void **state) {
  (void)state;
  with_slow(end_slow);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_listeners__each_hears_each_event),
      cmocka_unit_test(test_listeners__hear_what_they_asked_for),
      cmocka_unit_test(test_listeners__one_may_remove_itself),
      cmocka_unit_test(test_listeners__one_may_remove_those_around_it),
      cmocka_unit_test(test_listeners__the_end_within_one_lets_it_end),
      cmocka_unit_test(test_listeners__an_event_can_be_told_within_another),
      cmocka_unit_test(test_listeners__one_removed_within_is_told_nothing),
      cmocka_unit_test(test_listeners__who_comes_hears_the_next_event),
      cmocka_unit_test(test_listeners__after_the_end_there_are_none),
      cmocka_unit_test(test_listeners__without_memory_nobody_hears),
      cmocka_unit_test(test_listeners__who_removes_waits_for_one_that_runs),
      cmocka_unit_test(test_listeners__the_end_waits_for_one_that_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
