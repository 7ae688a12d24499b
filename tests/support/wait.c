#define _POSIX_C_SOURCE 200809L

#include "support/wait.h"

#include "base/platform.h"

#include <dirent.h>
#include <poll.h>

enum { BETWEEN_MS = 2 };

bool test_wait_until(bool (*is_so)(void *argument), void *argument,
                     uint32_t most_ms) {
  uint64_t end = sn_platform_clock() + most_ms;
  while (!is_so(argument)) {
    if (sn_platform_clock() >= end) return false;
    poll(NULL, 0, BETWEEN_MS);
  }
  return true;
}

static size_t count(const char *path) {
  DIR *folder = opendir(path);
  size_t found = 0;
  if (!folder) return 0;
  while (readdir(folder))
    found++;
  closedir(folder);
  return found - 2;
}

size_t test_count_descriptors(void) {
  return count("/proc/self/fd") - 1; /* the one that looks */
}

size_t test_count_threads(void) {
  return count("/proc/self/task");
}
