/* Threads and what one at a time may do. */
#define _POSIX_C_SOURCE 200809L

#include "base/fail.h"
#include "base/memory.h"
#include "base/platform.h"

#include <pthread.h>
#include <signal.h>

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
    return sn_fail(error, SEEN_EIO, "no thread: error %u", (uint64_t)number);
  thread->handle = (uintptr_t)made;
  return SEEN_OK;
}

void sn_platform_join(sn_thread thread) {
  pthread_join((pthread_t)thread.handle, NULL);
}

void sn_platform_leave(sn_thread thread) {
  pthread_detach((pthread_t)thread.handle);
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
