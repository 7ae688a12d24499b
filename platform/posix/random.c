/* Random bytes that nobody can guess. */
#define _POSIX_C_SOURCE 200809L

#include "base/fail.h"
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static bool read_all(int file, uint8_t *bytes, size_t size) {
  while (size > 0) {
    ssize_t got = read(file, bytes, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    size -= (size_t)got;
  }
  return true;
}

int sn_platform_random(void *bytes, size_t size, seen_error *error) {
  int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  bool all = file >= 0 && read_all(file, bytes, size);
  int number = errno;

  if (file >= 0) close(file);
  return all ? SEEN_OK
             : sn_platform_fail(SEEN_EIO, "no random bytes", NULL, number,
                                error);
}
