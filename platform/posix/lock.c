/*
 * A lock by flock(): it belongs to what was opened, not to the process, so
 * that a second opening is refused in the same process too, and no other
 * descriptor that somebody closes can end it. The kernel ends it with the
 * process, however that ends.
 */
#define _DEFAULT_SOURCE /* flock() is older than POSIX and not in it */
#define _DARWIN_C_SOURCE

#include "base/fail.h"
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_file(const char *path) {
  int file;
  do
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  while (file < 0 && errno == EINTR);
  return file;
}

static int lock_file(int file) {
  int status;
  do
    status = flock(file, LOCK_EX | LOCK_NB);
  while (status && errno == EINTR);
  return status;
}

/* Who held it may have deleted it since it was opened. */
static bool has_name(int file, const char *path) {
  struct stat held, named;
  return !fstat(file, &held) && !stat(path, &named) &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

int sn_platform_lock(const char *path, sn_lock *lock, seen_error *error) {
  int file, number;
  lock->handle = SN_UNLOCKED;
  do {
    file = open_file(path);
    if (file < 0) {
      number = errno;
      return sn_platform_fail(sn_platform_code(number), "can't open", path,
                              number, error);
    }
    number = lock_file(file) ? errno : 0;
    if (!number && has_name(file, path)) {
      lock->handle = file;
      return SEEN_OK;
    }
    close(file);
  } while (!number);
  if (number == EWOULDBLOCK)
    return sn_fail(error, SEEN_ELOCKED, "%s is locked by another", path);
  return sn_platform_fail(sn_platform_code(number), "can't lock", path, number,
                          error);
}

void sn_platform_unlock(sn_lock *lock) {
  if (lock->handle != SN_UNLOCKED) close((int)lock->handle);
  lock->handle = SN_UNLOCKED;
}
