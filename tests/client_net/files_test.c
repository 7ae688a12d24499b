/* A mirror's file under the hands of others: locks, copies, backups. */
#define _POSIX_C_SOURCE 200809L

#include "support/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <unistd.h>

#include <seen/sys/store.h>

#include "support/child.h"
#include "support/folder.h"

/* Whether another process finds a lock on it. */
static bool finds_a_lock(void *with) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int file = open((const char *)with, O_RDWR);
  return file >= 0 && fcntl(file, F_GETLK, &lock) == 0 &&
         lock.l_type != F_UNLCK;
}

static void is_locked(char *path) {
  test_child_kill(test_child_start(finds_a_lock, path));
}

static int ignore_line(const char *line, size_t length, void *user_data) {
  (void)line;
  (void)length;
  (void)user_data;
  return SEEN_OK;
}

/*
 * C171: closing any descriptor of a file drops the locks that this process has
 * on it, so nothing here may open it but SQLite.
 */
static void test_files__nothing_drops_the_locks_of_sqlite(void **state) {
  test_host *t = host_start();
  seen_totals badge;
  char shared[320];
  uint64_t size;
  (void)state;
  host_in_folder(t);
  link_row_is(t->link, "g", 5, 9);
  host_connect(t);
  snprintf(shared, sizeof shared, "%s-shm", t->path);
  is_locked(shared);
  assert_int_equal(sn_platform_size(t->path, &size, NULL), SEEN_OK);
  assert_int_equal(seen_badge_read(t->path, NULL, &badge, NULL), SEEN_OK);
  assert_int_equal(badge.unread, 4);
  assert_int_equal(
      seen_client_dump(t->client, SEEN_NAMES_REAL, ignore_line, NULL, NULL),
      SEEN_OK);
  assert_int_equal(seen_client_flush(t->client, HOST_MS, NULL), SEEN_OK);
  is_locked(shared);
  host_end(t);
}

/* At a server whose row has changed so often. */
static test_host *begin(uint64_t read, uint64_t last, int changes) {
  test_host *t = host_start();
  host_in_folder(t);
  t->options.policy.seed = 0;
  for (; changes > 0; changes--)
    link_row_is(t->link, "g", read, last);
  host_connect(t);
  return t;
}

static bool server_has_nine(test_host *t) {
  return link_read(t->link, "g").seq == 9;
}

static bool server_has_ten(test_host *t) {
  return link_read(t->link, "g").seq == 10;
}

static bool was_marked(test_host *t) {
  return link_count(t->link, "mark_unread") > 0;
}

/* Marks, and gives the op of the mark. */
static void mark(test_host *t, char op[64]) {
  const char *at = NULL;
  assert_int_equal(seen_client_mark_unread(t->client, "g", 3), SEEN_OK);
  host_until(t, was_marked);
  sn_platform_mutex_lock(t->link->mutex);
  for (size_t i = 0; i < t->link->frame_count && !at; i++)
    if (strstr(t->link->frames[i], "\"mark_unread\""))
      at = strstr(t->link->frames[i], "\"op\":\"");
  assert_non_null(at);
  snprintf(op, 64, "%.40s", at);
  sn_platform_mutex_unlock(t->link->mutex);
}

/* A file of the mirror, as it was when it was kept. */
typedef struct kept {
  const char *name;
  char *bytes;
  size_t size;
} kept;

static void keep(kept *of) {
  of->bytes = test_file_read(test_folder_file(&test_here, of->name), &of->size);
}

static void restore(kept *of) {
  test_file_write(test_folder_file(&test_here, of->name), of->bytes, of->size);
  free(of->bytes);
}

/*
 * C174: what a file from a backup says is reported as anything, and no number
 * of what it did then is used again.
 */
static void test_files__one_from_a_backup_reports_anew(void **state) {
  char first[64], second[64];
  kept database = {.name = "mirror.db"}, log = {.name = "mirror.db-wal"};
  test_host *t = begin(5, 9, 1);
  (void)state;
  host_end(t);
  keep(&database);
  keep(&log);

  t = begin(5, 9, 1);
  assert_int_equal(seen_client_mark_read(t->client, "g", 9), SEEN_OK);
  host_until(t, server_has_nine);
  mark(t, first);
  host_end(t);

  restore(&database);
  restore(&log);
  assert_int_equal(unlink(test_folder_file(&test_here, "mirror.db-shm")), 0);
  t = begin(9, 10, 9);
  assert_int_equal(host_state(t, "g").read_seq, 9);
  assert_int_equal(seen_client_mark_read(t->client, "g", 10), SEEN_OK);
  host_until(t, server_has_ten);
  mark(t, second);
  assert_string_not_equal(first, second);
  host_end(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST_IN_FOLDER(test_files__nothing_drops_the_locks_of_sqlite),
      TEST_IN_FOLDER(test_files__one_from_a_backup_reports_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
