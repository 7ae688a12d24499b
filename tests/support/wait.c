#define _POSIX_C_SOURCE 200809L

#include "support/wait.h"

#include "base/platform.h"

#include <stdlib.h>

#include <dirent.h>
#include <poll.h>

enum { BETWEEN_MS = 2, LOOKS = 20 };

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

static void *do_nothing(void *nothing) {
  return nothing;
}

/* A sanitizer has one of its own from the first one on; and one that has ended
 * may be counted for a moment more. */
size_t test_count_threads_alone(void) {
  size_t least = SIZE_MAX;
  sn_thread first;
  if (sn_platform_thread(do_nothing, NULL, &first, NULL)) abort();
  sn_platform_join(first);
  for (int i = 0; i < LOOKS; i++) {
    size_t now = test_count_threads();
    if (now < least) least = now;
    poll(NULL, 0, BETWEEN_MS);
  }
  return least;
}
