/*
 * Threads, what one at a time may do, and waiting for what others do, by a
 * clock that only rises.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/fail.h"
#include "base/memory.h"
#include "base/platform.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

struct sn_mutex {
  pthread_mutex_t lock;
};

/* A thread has the signal mask of whoever starts it. */
int sn_platform_thread(void *(*run)(void *argument), void *argument,
                       sn_thread *thread, seen_error *error) {
  sigset_t every, before;
  pthread_t made;
  int number;

  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  number = pthread_create(&made, NULL, run, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (number)
    return sn_platform_fail(SEEN_EIO, "no thread", NULL, number, error);
  thread->handle = (uintptr_t)made;
  return SEEN_OK;
}

void sn_platform_join(sn_thread thread) {
  pthread_join((pthread_t)thread.handle, NULL);
}

void sn_platform_leave(sn_thread thread) {
  pthread_detach((pthread_t)thread.handle);
}

sn_thread sn_platform_self(void) {
  return (sn_thread){(uintptr_t)pthread_self()};
}

bool sn_platform_is_self(sn_thread thread) {
  return pthread_equal(pthread_self(), (pthread_t)thread.handle) != 0;
}

sn_mutex *sn_platform_mutex_new(const seen_allocator *memory) {
  sn_mutex *mutex = sn_allocate(memory, sizeof *mutex);

  if (!mutex || !pthread_mutex_init(&mutex->lock, NULL)) return mutex;
  sn_release(memory, mutex);
  return NULL;
}

void sn_platform_mutex_free(const seen_allocator *memory, sn_mutex *mutex) {
  if (!mutex) return;
  pthread_mutex_destroy(&mutex->lock);
  sn_release(memory, mutex);
}

void sn_platform_mutex_lock(sn_mutex *mutex) {
  pthread_mutex_lock(&mutex->lock);
}

void sn_platform_mutex_unlock(sn_mutex *mutex) {
  pthread_mutex_unlock(&mutex->lock);
}

struct sn_condition {
  pthread_cond_t changed;
};

static int make(pthread_cond_t *changed) {
  pthread_condattr_t kind;
  int number = pthread_condattr_init(&kind);
  if (number) return number;
  number = pthread_condattr_setclock(&kind, CLOCK_MONOTONIC);
  if (!number) number = pthread_cond_init(changed, &kind);
  pthread_condattr_destroy(&kind);
  return number;
}

sn_condition *sn_platform_condition_new(const seen_allocator *memory) {
  sn_condition *condition = sn_allocate(memory, sizeof *condition);

  if (!condition || !make(&condition->changed)) return condition;
  sn_release(memory, condition);
  return NULL;
}

void sn_platform_condition_free(const seen_allocator *memory,
                                sn_condition *condition) {
  if (!condition) return;
  pthread_cond_destroy(&condition->changed);
  sn_release(memory, condition);
}

void sn_platform_condition_tell(sn_condition *condition) {
  pthread_cond_broadcast(&condition->changed);
}

void sn_platform_condition_wait(sn_condition *condition, sn_mutex *mutex,
                                uint32_t timeout_ms) {
  struct timespec end;

  if (timeout_ms == SN_FOREVER) {
    pthread_cond_wait(&condition->changed, &mutex->lock);
    return;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += (time_t)(timeout_ms / 1000);
  end.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
  if (end.tv_nsec >= 1000000000) {
    end.tv_nsec -= 1000000000;
    end.tv_sec++;
  }
  pthread_cond_timedwait(&condition->changed, &mutex->lock, &end);
}
