/* Files by name; none is opened here. */
#define _POSIX_C_SOURCE 200809L

#include "base/fail.h"
#include "base/platform.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const char *what, const char *path, seen_error *error) {
  int number = errno;
  int code = number == ENOENT ? SEEN_ENOTFOUND : sn_platform_code(number);
  return sn_platform_fail(code, what, path, number, error);
}

int sn_platform_rename(const char *from, const char *to, seen_error *error) {
  return rename(from, to) ? fail("can't rename", from, error) : SEEN_OK;
}

int sn_platform_size(const char *path, uint64_t *size, seen_error *error) {
  struct stat file;
  if (stat(path, &file)) return fail("no size of", path, error);
  *size = (uint64_t)file.st_size;
  return SEEN_OK;
}

int sn_platform_remove(const char *path, seen_error *error) {
  return unlink(path) ? fail("can't delete", path, error) : SEEN_OK;
}
