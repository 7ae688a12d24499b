#define _POSIX_C_SOURCE 200809L

#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t clock_now_ms(void) {
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void clock_sleep_ms(uint64_t ms) {
  const struct timespec time = {(time_t)(ms / 1000),
                                (long)(ms % 1000) * 1000000};

  nanosleep(&time, NULL);
}

bool clock_has_terminal(void) {
  return isatty(fileno(stdout)) != 0;
}
