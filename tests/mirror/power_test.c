/*
 * The power fails at each call that changes the disk, and what was not synced
 * is lost, kept or torn: what is found afterwards is some state that was
 * committed, and none that is older than the last close or background
 * (S6).
 */
#include "mirror/day.h"
#include "support/vfs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants some of those. */
#include <cmocka.h>

enum { LOG_PAGES = 970, PAGE = 4096, FRAME = PAGE + 24 };

/* What the store held after each step of a day without failures. */
static char *texts[DAY_STEPS];

typedef struct tries {
  test_store *files;
  size_t first;   /* the step that a day begins with */
  char *database; /* before the first step; NULL: there was nothing */
  char *log;
  size_t database_size;
  size_t log_size;
} tries;

static struct {
  test_tear tear;
  unsigned long long call;
} last;

static int say_last(void **state) {
  (void)state;
  printf("# the last was call %llu, tear %d\n", last.call, (int)last.tear);
  return 0;
}

static const char *path_of(const tries *all, const char *tail) {
  char name[32];
  snprintf(name, sizeof name, "mirror.db%s", tail);
  return test_folder_file(&all->files->folder, name);
}

static void open_day(day *life, const tries *all) {
  seen_error error = SEEN_ERROR_INIT;
  if (day_open(life, all->files, day_steps()[all->first].at, &error))
    fail_msg("%s", error.message);
}

static void live(day *life, size_t step) {
  seen_error error = SEEN_ERROR_INIT;
  if (day_live(life, &day_steps()[step], &error)) fail_msg("%s", error.message);
}

/* A day without failures. */
static void remember(const tries *all) {
  day life;
  open_day(&life, all);
  for (size_t i = all->first; i < DAY_STEPS; i++) {
    test_loaded loaded;
    live(&life, i);
    loaded = store_load(all->files->store);
    assert_int_equal(loaded.status, SEEN_OK);
    texts[i] = loaded.text.text;
  }
  day_close(&life);
}

static void forget(void) {
  for (size_t i = 0; i < DAY_STEPS; i++) {
    free(texts[i]);
    texts[i] = NULL;
  }
}

static void put_back(const tries *all) {
  day_clear(all->files);
  if (!all->database) return;
  test_file_write(path_of(all, ""), all->database, all->database_size);
  test_file_write(path_of(all, "-wal"), all->log, all->log_size);
}

/* How far a day came, and what was promised by then. */
typedef struct reached {
  size_t step;     /* in its commit the power failed */
  size_t promised; /* SIZE_MAX: nothing yet */
} reached;

/* false: the power never failed. */
static bool live_until_dark(const tries *all, uint64_t n, reached *how_far) {
  day life;
  seen_error error = SEEN_ERROR_INIT;
  bool dark = false;
  put_back(all);
  test_vfs_watch();
  test_vfs_fail(TEST_FAULT_POWER, n, true);
  *how_far = (reached){all->first, SIZE_MAX};
  if (!day_open(&life, all->files, day_steps()[all->first].at, &error)) {
    for (size_t i = all->first; !dark && i < DAY_STEPS; i++) {
      int status = day_live(&life, &day_steps()[i], &error);
      dark = test_vfs_failures() > 0;
      how_far->step = i;
      if (!dark) assert_int_equal(status, SEEN_OK);
      if (!status && day_steps()[i].durable) how_far->promised = i;
    }
    day_close(&life);
  }
  return test_vfs_failures() > 0;
}

static bool is_text_of(const reached *how_far, size_t first, const char *text) {
  bool all = how_far->promised == SIZE_MAX;
  for (size_t i = all ? first : how_far->promised; i <= how_far->step; i++)
    if (strcmp(texts[i], text) == 0) return true;
  return all && text[0] == '\0';
}

/* With the power back: what is there, and a day that goes on. */
static void wake(const tries *all, const reached *how_far) {
  day life;
  seen_error error = SEEN_ERROR_INIT;
  test_loaded found;
  test_vfs_fail(TEST_FAULT_NONE, 0, false);
  if (day_open(&life, all->files, 0, &error)) fail_msg("%s", error.message);
  assert_int_not_equal(all->files->store->origin, SEEN_ORIGIN_REPLACED);
  assert_int_equal(life.left_out, 0);
  assert_int_equal(seen_mirror_unwritten(life.mirror), 0);
  found = store_load(all->files->store);
  assert_int_equal(found.status, SEEN_OK);
  if (!is_text_of(how_far, all->first, found.text.text))
    fail_msg("in step %zu, %zu was promised, and there is\n%s", how_far->step,
             how_far->promised, found.text.text);
  live(&life, how_far->step);
  day_settle(&life);
  day_check(&life);
  day_close(&life);
  store_loaded_free(&found);
}

static void try_each(const tries *all, uint64_t every) {
  test_random random = {test_fresh_seed()};
  bool dark = true;
  for (uint64_t n = 1; dark; n += every)
    for (test_tear tear = TEST_TEAR_LOST; dark && tear < TEST_TEARS; tear++) {
      reached how_far;
      last.call = n;
      last.tear = tear;
      dark = live_until_dark(all, n, &how_far);
      if (!dark) break;
      test_vfs_restore(tear, &random);
      wake(all, &how_far);
    }
  assert_in_range(last.call, 50, UINT64_MAX);
}

static void begin(tries *all) {
  *all = (tries){.files = store_start()};
  test_vfs_begin();
  all->files->options.vfs = TEST_VFS;
}

static void end(tries *all) {
  forget();
  free(all->database);
  free(all->log);
  store_end(all->files);
  test_vfs_end();
}

static void test_power__fails_at_each_call_from_the_first_day_on(void **state) {
  tries all;
  (void)state;
  begin(&all);
  remember(&all);
  try_each(&all, 40 / test_scaled(40));
  end(&all);
}

/* Fills the log, so that it is copied into the database within the day. */
static void fill_log(tries *all) {
  for (size_t size = 0; size < (size_t)LOG_PAGES * FRAME;) {
    store_sql(all->files, "PRAGMA wal_autocheckpoint = 0;"
                          "UPDATE totals SET syncs = syncs + 1;");
    free(test_file_read(path_of(all, "-wal"), &size));
  }
}

/* The files are those of a mirror that is open: a close empties the log. */
static void make_morning(tries *all) {
  day life;
  open_day(&life, all);
  for (size_t i = 0; i < DAY_STEPS / 4; i++)
    live(&life, i);
  day_settle(&life);
  all->first = DAY_STEPS / 4;
  fill_log(all);
  all->database = test_file_read(path_of(all, ""), &all->database_size);
  all->log = test_file_read(path_of(all, "-wal"), &all->log_size);
  day_close(&life);
}

static void test_power__fails_at_each_call_around_a_checkpoint(void **state) {
  size_t size;
  tries all;
  (void)state;
  begin(&all);
  make_morning(&all);
  put_back(&all);
  remember(&all);
  free(test_file_read(path_of(&all, ""), &size));
  assert_int_not_equal(size, all.database_size); /* the log was copied */
  try_each(&all, 40 / test_scaled(40));
  end(&all);
}

#define TEST(name) cmocka_unit_test_teardown(name, say_last)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_power__fails_at_each_call_from_the_first_day_on),
      TEST(test_power__fails_at_each_call_around_a_checkpoint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
