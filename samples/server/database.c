/*
 * Opening a database. Its lock is a file beside it, the same whatever links
 * lead there; it goes with the process, however that ends.
 */
#include "database.h"

#include "map.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { WHY_BYTES = 512 };

static bool read_random(void *into, size_t size) {
  FILE *random = fopen("/dev/urandom", "rb");
  bool read = random != NULL && fread(into, 1, size, random) == size;

  if (random != NULL) fclose(random);
  return read;
}

bool database_name_history(char name[33]) {
  unsigned char bytes[16];
  bool read = read_random(bytes, sizeof bytes);

  for (size_t i = 0; read && i < sizeof bytes; i++)
    snprintf(name + 2 * i, 3, "%02x", bytes[i]);
  return read;
}

static bool find_lock(const char *path, int flags, char lock[PATH_MAX + 8]) {
  int file = open(path, flags | O_RDWR | O_CLOEXEC, 0600);

  if (file < 0 || close(file) != 0 || realpath(path, lock) == NULL)
    return false;
  strcat(lock, "-lock");
  return true;
}

/* O_CREAT in `flags` makes a database where there is none. */
static bool lock_file(const char *path, int flags, char *why) {
  char lock[PATH_MAX + 8];
  int file = -1;

  if (find_lock(path, flags, lock))
    file = open(lock, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) return true;
  snprintf(why, WHY_BYTES, "db %.200s: %s", path,
           file >= 0 ? "another server has it open" : strerror(errno));
  if (file >= 0) close(file);
  return false;
}

bool database_lock(const char *path, char *why) {
  return lock_file(path, 0, why);
}

bool database_open(const char *path, storage *opened, char *why) {
  seen_error error = SEEN_ERROR_INIT;
  char history[33];
  uint64_t seed;
  int status;

  if (!database_name_history(history) || !read_random(&seed, sizeof seed)) {
    snprintf(why, WHY_BYTES, "there is no randomness");
    return false;
  }
  map_seed(seed);
  if (*path == '\0') return storage_memory_open(opened, history) == SEEN_OK;
  if (!lock_file(path, O_CREAT, why)) return false;
  status = storage_sqlite_open(opened, path, history, &error);
  if (status != SEEN_OK) snprintf(why, WHY_BYTES, "db %.300s", error.message);
  return status == SEEN_OK;
}
