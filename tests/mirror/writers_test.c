/*
 * Who else has the mirror open, and what its folder allows: a second writer is
 * refused as long as the first lives, and where nothing can be written the
 * day goes on from memory until it can.
 */
#define _XOPEN_SOURCE 700

#include "mirror/day.h"
#include "support/child.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>
/* cmocka wants some of those. */
#include <cmocka.h>

enum { MORNING = 20 };

static bool open_mirror(void *with) {
  static day life;
  return day_open(&life, with, 0, NULL) == SEEN_OK;
}

static void
test_writers__a_second_one_is_refused_until_the_first_dies(void **state) {
  test_store *files = store_start();
  seen_error error = SEEN_ERROR_INIT;
  pid_t child = test_child_start(open_mirror, files);
  (void)state;
  assert_int_equal(store_try(files, &error), SEEN_ELOCKED);
  assert_int_equal(error.code, SEEN_ELOCKED);
  assert_null(files->store);
  assert_int_equal(seen_store_reset(files->options.path, NULL), SEEN_ELOCKED);
  files->options.read_only = true;
  store_open(files);
  store_close(files);
  files->options.read_only = false;
  test_child_kill(child);
  store_open(files);
  assert_int_equal(files->store->origin, SEEN_ORIGIN_KEPT);
  assert_int_equal(files->store->trouble, SEEN_OK);
  store_end(files);
}

static void open_day(day *life, test_store *files, uint64_t now) {
  seen_error error = SEEN_ERROR_INIT;
  if (day_open(life, files, now, &error)) fail_msg("%s", error.message);
}

/* Lives through a part of the day, in which each commit does this. */
static void live(day *life, size_t from, size_t to, int wanted) {
  size_t told = 0;
  for (size_t i = from; i < to; i++) {
    int status = day_live(life, &day_steps()[i], NULL);
    if (status) assert_int_equal(status, wanted);
    told += status != SEEN_OK;
  }
  assert_true(wanted ? told > 0 : told == 0);
}

/* All is written now, and there for the next one. */
static void check_written(day *life) {
  test_store *files = life->files;
  day_settle(life);
  day_check(life);
  assert_int_equal(files->store->trouble, SEEN_OK);
  assert_int_equal(test_folder_count(&files->folder, "mirror.db.aside"), 0);
  day_close(life);
  open_day(life, files, 0);
  assert_int_equal(files->store->origin, SEEN_ORIGIN_KEPT);
  assert_int_equal(seen_mirror_unwritten(life->mirror), 0);
  day_check(life);
  day_close(life);
}

static void test_writers__a_folder_that_can_not_be_written(void **state) {
  test_store *files = store_start();
  test_loaded before, after;
  day life;
  (void)state;
  open_day(&life, files, 0);
  live(&life, 0, MORNING, SEEN_OK);
  day_settle(&life);
  before = day_engine(&life);
  day_close(&life);
  test_folder_protect(&files->folder, true);
  open_day(&life, files, day_steps()[MORNING].at);
  assert_int_equal(files->store->origin, SEEN_ORIGIN_KEPT);
  assert_int_equal(files->store->trouble, SEEN_EREADONLY);
  after = day_engine(&life);
  assert_string_equal(after.text.text, before.text.text);
  live(&life, MORNING, DAY_STEPS, SEEN_EREADONLY);
  test_folder_protect(&files->folder, false);
  check_written(&life);
  store_loaded_free(&before);
  store_loaded_free(&after);
  store_end(files);
}

static void test_writers__a_folder_that_is_not_there_yet(void **state) {
  test_store *files = store_start();
  char folder[300], path[320], *given = (char *)files->options.path;
  day life;
  (void)state;
  snprintf(folder, sizeof folder, "%s/later", files->folder.path);
  snprintf(path, sizeof path, "%s/mirror.db", folder);
  files->options.path = path;
  open_day(&life, files, 0);
  assert_int_equal(files->store->trouble, SEEN_EREADONLY);
  live(&life, 0, DAY_STEPS, SEEN_EREADONLY);
  assert_int_equal(mkdir(folder, 0755), 0);
  check_written(&life);
  {
    test_folder later;
    strcpy(later.path, folder);
    test_folder_remove(&later);
  }
  files->options.path = given;
  store_end(files);
}

static bool run(const char *format, const char *path) {
  char command[400];
  snprintf(command, sizeof command, format, path);
  return system(command) == 0;
}

/* A file system of its own, which only root can make. */
static struct {
  test_store *files;
  bool made;
} small;

static int make_small(void **state) {
  (void)state;
  small.files = store_start();
  small.made = run("mount -t tmpfs -o size=256k tmpfs %s 2>/dev/null",
                   small.files->folder.path);
  return 0;
}

static int end_small(void **state) {
  (void)state;
  store_close(small.files);
  if (small.made) run("umount %s", small.files->folder.path);
  store_end(small.files);
  return 0;
}

/* Takes all the space there is. */
static void fill_disk(const char *path) {
  static const char block[512];
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  setvbuf(file, NULL, _IONBF, 0);
  while (fwrite(block, 1, sizeof block, file) == sizeof block)
    continue;
  fclose(file);
}

static void test_writers__a_disk_that_is_full(void **state) {
  test_store *files = small.files;
  char ballast[300];
  day life;
  (void)state;
  if (!small.made) skip();
  snprintf(ballast, sizeof ballast, "%s/ballast", files->folder.path);
  open_day(&life, files, 0);
  live(&life, 0, MORNING, SEEN_OK);
  fill_disk(ballast);
  live(&life, MORNING, DAY_STEPS, SEEN_EFULL);
  unlink(ballast);
  check_written(&life);
  fill_disk(ballast);
  open_day(&life, files, 0);
  assert_int_equal(files->store->origin, SEEN_ORIGIN_KEPT);
  day_close(&life);
}

static void test_writers__a_disk_that_was_always_full(void **state) {
  test_store *files = small.files;
  char ballast[300];
  day life;
  (void)state;
  if (!small.made) skip();
  snprintf(ballast, sizeof ballast, "%s/ballast", files->folder.path);
  fill_disk(ballast);
  open_day(&life, files, 0);
  assert_int_equal(files->store->trouble, SEEN_EFULL);
  live(&life, 0, DAY_STEPS, SEEN_EFULL);
  unlink(ballast);
  check_written(&life);
}

#define SMALL(name) cmocka_unit_test_setup_teardown(name, make_small, end_small)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(
          test_writers__a_second_one_is_refused_until_the_first_dies),
      cmocka_unit_test(test_writers__a_folder_that_can_not_be_written),
      cmocka_unit_test(test_writers__a_folder_that_is_not_there_yet),
      SMALL(test_writers__a_disk_that_is_full),
      SMALL(test_writers__a_disk_that_was_always_full),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
