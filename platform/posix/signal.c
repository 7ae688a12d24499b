/*
 * A signal is a pipe with a byte in it, or none. Its end for writing is full
 * or it is not: either way a byte is there for whoever waits.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/fail.h"
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

static bool prepare(int end) {
  return fcntl(end, F_SETFD, FD_CLOEXEC) != -1 &&
         fcntl(end, F_SETFL, O_NONBLOCK) != -1;
}

int sn_platform_signal_open(sn_signal *raised, seen_error *error) {
  int ends[2];
  int number;

  raised->ends[0] = raised->ends[1] = -1;
  if (!pipe(ends)) {
    raised->ends[0] = ends[0];
    raised->ends[1] = ends[1];
    if (prepare(ends[0]) && prepare(ends[1])) return SEEN_OK;
  }
  number = errno;
  sn_platform_signal_close(raised);
  return sn_platform_fail(SEEN_EIO, "no pipe", NULL, number, error);
}

void sn_platform_signal_close(sn_signal *raised) {
  for (int i = 0; i < 2; i++) {
    if (raised->ends[i] >= 0) close((int)raised->ends[i]);
    raised->ends[i] = -1;
  }
}

void sn_platform_signal_raise(const sn_signal *raised) {
  ssize_t wrote;

  do
    wrote = write((int)raised->ends[1], "", 1);
  while (wrote < 0 && errno == EINTR);
}

/* Whether there was a byte. */
static bool empty(int end) {
  char bytes[64];
  bool any = false;
  ssize_t got;

  do {
    got = read(end, bytes, sizeof bytes);
    any = any || got > 0;
  } while (got == (ssize_t)sizeof bytes || (got < 0 && errno == EINTR));
  return any;
}

bool sn_platform_signal_wait(const sn_signal *raised, uint32_t timeout_ms) {
  struct pollfd wanted = {(int)raised->ends[0], POLLIN, 0};
  uint64_t end = sn_platform_clock() + timeout_ms;
  uint64_t left = timeout_ms;

  for (;;) {
    int most = timeout_ms == SN_FOREVER ? -1
               : left > INT_MAX         ? INT_MAX
                                        : (int)left;
    uint64_t now;

    poll(&wanted, 1, most);
    if (empty((int)raised->ends[0])) return true;
    if (timeout_ms == SN_FOREVER) continue;
    now = sn_platform_clock();
    if (now >= end) return false;
    left = end - now;
  }
}

intptr_t sn_platform_signal_descriptor(const sn_signal *raised) {
  return raised->ends[0];
}
