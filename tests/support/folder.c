#define _XOPEN_SOURCE 700

#include "support/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATHS = 8, NOBODY = 65534 };

test_folder test_here;

void test_folder_make(test_folder *folder) {
  const char *base = getenv("TMPDIR");
  int length = snprintf(folder->path, sizeof folder->path, "%s/seen-XXXXXX",
                        base ? base : "/tmp");
  assert_in_range(length, 1, sizeof folder->path - 1);
  assert_non_null(mkdtemp(folder->path));
  assert_int_equal(chmod(folder->path, 0755), 0);
}

int test_folder_set_up(void **state) {
  (void)state;
  test_folder_make(&test_here);
  return 0;
}

int test_folder_tear_down(void **state) {
  (void)state;
  test_folder_remove(&test_here);
  return 0;
}

const char *test_folder_file(const test_folder *folder, const char *name) {
  static char paths[PATHS][512];
  static size_t next;
  char *path = paths[next++ % PATHS];
  snprintf(path, sizeof paths[0], "%s/%s", folder->path, name);
  return path;
}

/* Calls with each name in the folder. */
static void each(const test_folder *folder,
                 void (*call)(const test_folder *, const char *, void *),
                 void *user_data) {
  DIR *list = opendir(folder->path);
  struct dirent *entry;
  assert_non_null(list);
  while ((entry = readdir(list)))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      call(folder, entry->d_name, user_data);
  closedir(list);
}

static void unlink_one(const test_folder *folder, const char *name,
                       void *user_data) {
  (void)user_data;
  unlink(test_folder_file(folder, name));
}

void test_folder_remove(const test_folder *folder) {
  each(folder, unlink_one, NULL);
  assert_int_equal(rmdir(folder->path), 0);
}

typedef struct counting {
  const char *prefix;
  size_t count;
} counting;

static void count_one(const test_folder *folder, const char *name,
                      void *user_data) {
  counting *names = user_data;
  (void)folder;
  names->count += strncmp(name, names->prefix, strlen(names->prefix)) == 0;
}

size_t test_folder_count(const test_folder *folder, const char *prefix) {
  counting names = {prefix, 0};
  each(folder, count_one, &names);
  return names.count;
}

static void protect_one(const test_folder *folder, const char *name,
                        void *user_data) {
  const bool *on = user_data;
  assert_int_equal(chmod(test_folder_file(folder, name), *on ? 0444 : 0644), 0);
}

/* What may not be written is no bar to root, who becomes nobody. */
void test_folder_protect(const test_folder *folder, bool on) {
  if (!on && getuid() == 0) assert_int_equal(seteuid(0), 0);
  each(folder, protect_one, &on);
  assert_int_equal(chmod(folder->path, on ? 0555 : 0755), 0);
  if (on && getuid() == 0) assert_int_equal(seteuid(NOBODY), 0);
}

char *test_file_read(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *bytes;
  long length;
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  length = ftell(file);
  assert_true(length >= 0);
  rewind(file);
  bytes = malloc((size_t)length + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, (size_t)length, file), length);
  bytes[length] = '\0';
  fclose(file);
  if (size) *size = (size_t)length;
  return bytes;
}

void test_file_write(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

bool test_file_exists(const char *path) {
  return access(path, F_OK) == 0;
}
