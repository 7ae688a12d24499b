/* The server's time. */
#include "clock.h"

#include <time.h>

static uint64_t read_ns(clockid_t which) {
  struct timespec at;

  clock_gettime(which, &at);
  return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

uint64_t clock_precise(void) {
  return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_now(void) {
  static uint64_t start, offset;
  uint64_t now = clock_precise();

  if (start == 0) {
    start = now;
    offset = read_ns(CLOCK_REALTIME);
  }
  return (offset + (now - start)) / 1000000u;
}
