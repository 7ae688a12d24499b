#define _POSIX_C_SOURCE 200809L

#include "base/platform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <signal.h>

#include <cmocka.h>

enum { THREADS = 8, TURNS = 10000 };

typedef struct shared {
  sn_mutex *mutex;
  sn_thread self;
  uint64_t count;
  bool is_self, hears_signals;
} shared;

static void *count_up(void *argument) {
  shared *all = argument;
  for (int i = 0; i < TURNS; i++) {
    sn_platform_mutex_lock(all->mutex);
    all->count++;
    sn_platform_mutex_unlock(all->mutex);
  }
  return NULL;
}

static void test_thread__one_at_a_time_counts_right(void **state) {
  const seen_allocator *memory = seen_allocator_default();
  shared all = {sn_platform_mutex_new(memory), {0}, 0, false, false};
  sn_thread threads[THREADS];
  (void)state;
  assert_non_null(all.mutex);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(sn_platform_thread(count_up, &all, &threads[i], NULL),
                     SEEN_OK);
  for (int i = 0; i < THREADS; i++)
    sn_platform_join(threads[i]);
  assert_int_equal(all.count, THREADS * TURNS);
  sn_platform_mutex_free(memory, all.mutex);
}

static void *look(void *argument) {
  shared *all = argument;
  sigset_t blocked;
  sn_platform_mutex_lock(all->mutex); /* `self` is written before */
  all->is_self = sn_platform_is_self(all->self);
  pthread_sigmask(SIG_SETMASK, NULL, &blocked);
  all->hears_signals = !sigismember(&blocked, SIGTERM) ||
                       !sigismember(&blocked, SIGPIPE) ||
                       !sigismember(&blocked, SIGUSR1);
  sn_platform_mutex_unlock(all->mutex);
  return NULL;
}

static void test_thread__knows_itself_and_hears_no_signal(void **state) {
  const seen_allocator *memory = seen_allocator_default();
  shared all = {sn_platform_mutex_new(memory), {0}, 0, false, true};
  sigset_t before, after;
  (void)state;
  assert_non_null(all.mutex);
  pthread_sigmask(SIG_SETMASK, NULL, &before);
  sn_platform_mutex_lock(all.mutex);
  assert_int_equal(sn_platform_thread(look, &all, &all.self, NULL), SEEN_OK);
  assert_false(sn_platform_is_self(all.self));
  sn_platform_mutex_unlock(all.mutex);
  sn_platform_join(all.self);
  pthread_sigmask(SIG_SETMASK, NULL, &after);
  assert_true(all.is_self);
  assert_false(all.hears_signals);
  for (int number = 1; number < 32; number++)
    assert_int_equal(sigismember(&before, number), sigismember(&after, number));
  sn_platform_mutex_free(memory, all.mutex);
}

static void *raise_it(void *argument) {
  sn_platform_signal_raise(argument);
  return NULL;
}

static void test_thread__one_that_is_left_still_runs(void **state) {
  sn_signal done;
  sn_thread thread;
  (void)state;
  assert_int_equal(sn_platform_signal_open(&done, NULL), SEEN_OK);
  assert_int_equal(sn_platform_thread(raise_it, &done, &thread, NULL), SEEN_OK);
  sn_platform_leave(thread);
  assert_true(sn_platform_signal_wait(&done, 30000));
  sn_platform_signal_close(&done);
}

typedef struct told {
  sn_mutex *mutex;
  sn_condition *changed;
  bool there;
} told;

static void *tell(void *argument) {
  told *it = argument;
  sn_platform_mutex_lock(it->mutex);
  it->there = true;
  sn_platform_condition_tell(it->changed);
  sn_platform_mutex_unlock(it->mutex);
  return NULL;
}

static void test_thread__who_waits_is_told_by_another(void **state) {
  const seen_allocator *memory = seen_allocator_default();
  told it = {sn_platform_mutex_new(memory), sn_platform_condition_new(memory),
             false};
  sn_thread thread;
  (void)state;
  sn_platform_mutex_lock(it.mutex);
  assert_int_equal(sn_platform_thread(tell, &it, &thread, NULL), SEEN_OK);
  while (!it.there)
    sn_platform_condition_wait(it.changed, it.mutex, SN_FOREVER);
  sn_platform_mutex_unlock(it.mutex);
  sn_platform_join(thread);
  sn_platform_condition_free(memory, it.changed);
  sn_platform_mutex_free(memory, it.mutex);
}

static void test_thread__nobody_waits_longer_than_is_said(void **state) {
  const seen_allocator *memory = seen_allocator_default();
  told it = {sn_platform_mutex_new(memory), sn_platform_condition_new(memory),
             false};
  uint64_t begin = sn_platform_clock();
  (void)state;
  sn_platform_mutex_lock(it.mutex);
  while (sn_platform_clock() < begin + 20)
    sn_platform_condition_wait(it.changed, it.mutex, 20);
  sn_platform_mutex_unlock(it.mutex);
  assert_true(sn_platform_clock() < begin + 30000);
  sn_platform_condition_free(memory, it.changed);
  sn_platform_mutex_free(memory, it.mutex);
}

static void test_thread__one_knows_itself_by_name(void **state) {
  (void)state;
  assert_true(sn_platform_is_self(sn_platform_self()));
}

static void *no_memory(size_t size, void *user_data) {
  (void)size;
  (void)user_data;
  return NULL;
}

static void test_thread__without_memory_there_is_no_mutex(void **state) {
  seen_allocator poor = *seen_allocator_default();
  (void)state;
  poor.allocate = no_memory;
  assert_null(sn_platform_mutex_new(&poor));
  sn_platform_mutex_free(&poor, NULL);
  assert_null(sn_platform_condition_new(&poor));
  sn_platform_condition_free(&poor, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_thread__one_at_a_time_counts_right),
      cmocka_unit_test(test_thread__knows_itself_and_hears_no_signal),
      cmocka_unit_test(test_thread__one_that_is_left_still_runs),
      cmocka_unit_test(test_thread__who_waits_is_told_by_another),
      cmocka_unit_test(test_thread__nobody_waits_longer_than_is_said),
      cmocka_unit_test(test_thread__one_knows_itself_by_name),
      cmocka_unit_test(test_thread__without_memory_there_is_no_mutex),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
