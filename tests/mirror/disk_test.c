/*
 * Each call of a day's to its disk fails once, and then for good: the day goes
 * on from memory, says why, sets nothing aside that is not corrupt, and in the
 * end all of it is written.
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

/* How much of the day was before: what is opened is no empty mirror. */
enum { MORNING = 20, LOG_PAGES = 996 };

/* A mirror as it is before each try: its database and its log. */
typedef struct start {
  test_store *files;
  char *database;
  size_t database_size;
  char *log;
  size_t log_size;
  test_loaded loaded;
} start;

typedef struct tries {
  start *from;
  test_fault fault;
  bool on;
  bool opened; /* the opening goes well */
  bool met;    /* there was an n-th call */
  size_t told; /* commits that failed */
} tries;

static const char *path_of(const start *from, const char *tail) {
  char name[32];
  snprintf(name, sizeof name, "mirror.db%s", tail);
  return test_folder_file(&from->files->folder, name);
}

static void live_through(day *life, size_t from, size_t to) {
  seen_error error = SEEN_ERROR_INIT;
  for (size_t i = from; i < to; i++)
    if (day_live(life, &day_steps()[i], &error)) fail_msg("%s", error.message);
}

/* Fills the log with what changes nothing, until the next few commits have it
 * copied into the database. */
static void fill_log(start *from) {
  size_t size;
  for (;;) {
    free(test_file_read(path_of(from, "-wal"), &size));
    if (size / (4096 + 24) >= LOG_PAGES) return;
    store_sql(from->files, "PRAGMA wal_autocheckpoint = 0;"
                           "UPDATE totals SET syncs = syncs + 1;"
                           "UPDATE totals SET syncs = syncs + 1;");
  }
}

/* store_sql() is the last one to close the file: the log would go with it. */
static void fill_log_beside(start *from) {
  day life;
  seen_error error = SEEN_ERROR_INIT;
  if (day_open(&life, from->files, day_steps()[MORNING].at, &error))
    fail_msg("%s", error.message);
  fill_log(from);
  day_close(&life);
}

static void make_start(start *from, bool full_log) {
  day life;
  seen_error error = SEEN_ERROR_INIT;
  from->files = store_start();
  if (day_open(&life, from->files, 0, &error)) fail_msg("%s", error.message);
  live_through(&life, 0, MORNING);
  day_settle(&life);
  from->loaded = day_engine(&life);
  day_close(&life);
  if (full_log) fill_log_beside(from);
  from->database = test_file_read(path_of(from, ""), &from->database_size);
  from->log = test_file_read(path_of(from, "-wal"), &from->log_size);
  from->files->options.vfs = TEST_VFS;
}

static void end_start(start *from) {
  free(from->database);
  free(from->log);
  store_loaded_free(&from->loaded);
  store_end(from->files);
}

static void put_back(const start *from) {
  day_clear(from->files);
  test_file_write(path_of(from, ""), from->database, from->database_size);
  test_file_write(path_of(from, "-wal"), from->log, from->log_size);
}

/* Whether a failure of this kind may be told by this code. */
static bool is_code_of(test_fault fault, int code) {
  switch (fault) {
  case TEST_FAULT_IO: return code == SEEN_EIO;
  case TEST_FAULT_FULL: return code == SEEN_EFULL;
  case TEST_FAULT_READONLY: return code == SEEN_EREADONLY;
  case TEST_FAULT_BUSY: return code == SEEN_EBUSY;
  case TEST_FAULT_CORRUPT: return code == SEEN_ECORRUPT;
  default: return code == SEEN_ECORRUPT || code == SEEN_EIO;
  }
}

static bool may_replace(test_fault fault) {
  return fault == TEST_FAULT_CORRUPT || fault == TEST_FAULT_SHORT;
}

static void check_code(const tries *all, int code, const seen_error *error) {
  if (code && !is_code_of(all->fault, code))
    fail_msg("%s: %s", seen_error_name(code), error->message);
}

/* What could not be opened is opened when the disk is well again. */
static void open_well(day *life, start *from) {
  seen_error error = SEEN_ERROR_INIT;
  if (day_open(life, from->files, day_steps()[MORNING].at, &error))
    fail_msg("the second time: %s", error.message);
}

static void check_start(const start *from, day *life) {
  test_loaded engine = day_engine(life);
  assert_string_equal(engine.text.text, from->loaded.text.text);
  store_loaded_free(&engine);
}

static void check_kept(const tries *all, const day *life) {
  const test_store *files = all->from->files;
  if (may_replace(all->fault)) return;
  assert_int_equal(files->store->origin, SEEN_ORIGIN_KEPT);
  assert_int_equal(life->left_out, 0);
  assert_int_equal(test_folder_count(&files->folder, "mirror.db.aside"), 0);
}

/* What was written is there for the next one who opens it. */
static void check_next(tries *all, test_loaded *wanted) {
  day next;
  seen_error error = SEEN_ERROR_INIT;
  test_loaded engine;
  if (day_open(&next, all->from->files, 0, &error))
    fail_msg("the next time: %s", error.message);
  engine = day_engine(&next);
  assert_string_equal(engine.text.text, wanted->text.text);
  assert_int_equal(next.left_out, 0);
  assert_int_equal(all->from->files->store->origin, SEEN_ORIGIN_KEPT);
  assert_int_equal(seen_mirror_unwritten(next.mirror), 0);
  day_check(&next);
  store_loaded_free(&engine);
  day_close(&next);
}

static void open_badly(tries *all, day *life) {
  seen_error error = SEEN_ERROR_INIT;
  int status =
      day_open(life, all->from->files, day_steps()[MORNING].at, &error);
  all->met = test_vfs_failures() > 0;
  if (status) {
    check_code(all, status, &error);
    test_vfs_fail(TEST_FAULT_NONE, 0, false);
    open_well(life, all->from);
  }
  if (may_replace(all->fault)) return;
  check_kept(all, life);
  check_start(all->from, life);
}

/* One day, on which the n-th call fails; false: it had fewer. */
static bool try_once(tries *all, uint64_t n) {
  day life;
  test_loaded engine;
  put_back(all->from);
  test_vfs_fail(all->opened ? TEST_FAULT_NONE : all->fault, n, all->on);
  open_badly(all, &life);
  if (all->opened) test_vfs_fail(all->fault, n, all->on);
  for (size_t i = MORNING; i < DAY_STEPS; i++) {
    seen_error error = SEEN_ERROR_INIT;
    int status = day_live(&life, &day_steps()[i], &error);
    check_code(all, status, &error);
    all->told += status != SEEN_OK;
  }
  all->met |= test_vfs_failures() > 0;
  test_vfs_fail(TEST_FAULT_NONE, 0, false);
  day_settle(&life);
  day_check(&life);
  check_kept(all, &life);
  engine = day_engine(&life);
  day_close(&life);
  check_next(all, &engine);
  store_loaded_free(&engine);
  return all->met;
}

/* What was tried last, for a person who looks for the reason of a failure. */
static struct {
  test_fault fault;
  bool on;
  unsigned long long call;
  unsigned long long failed;
} last;

static int say_last(void **state) {
  (void)state;
  printf("# fault %d, %s: %llu failed, call %llu was the last\n",
         (int)last.fault, last.on ? "for good" : "once", last.failed,
         last.call);
  return 0;
}

static void try_each(start *from, test_fault fault, bool on, bool opened) {
  tries all = {from, fault, on, opened, false, 0};
  uint64_t every = 200 / test_scaled(200);
  bool met = true;
  last.fault = fault;
  last.on = on;
  last.failed = 0;
  for (uint64_t n = 1; met; n += every) {
    last.call = n;
    met = try_once(&all, n);
    last.failed += met;
  }
  assert_in_range(last.failed, 1, UINT64_MAX);
  /* Once the log is open, nothing is read of the disk and no lock refused. */
  if (on && fault <= TEST_FAULT_READONLY)
    assert_in_range(all.told, last.failed, SIZE_MAX);
}

static void try_fault(test_fault fault) {
  start from;
  test_vfs_begin();
  make_start(&from, false);
  try_each(&from, fault, false, false);
  say_last(NULL);
  try_each(&from, fault, true, false);
  end_start(&from);
  test_vfs_end();
}

static void test_disk__each_call_fails(void **state) {
  (void)state;
  try_fault(TEST_FAULT_IO);
}

static void test_disk__full_at_each_call(void **state) {
  (void)state;
  try_fault(TEST_FAULT_FULL);
}

static void test_disk__not_to_be_written_at_each_call(void **state) {
  (void)state;
  try_fault(TEST_FAULT_READONLY);
}

static void test_disk__locked_by_another_at_each_call(void **state) {
  (void)state;
  try_fault(TEST_FAULT_BUSY);
}

static void test_disk__each_read_is_said_to_be_corrupt(void **state) {
  (void)state;
  try_fault(TEST_FAULT_CORRUPT);
}

static void test_disk__each_read_is_short(void **state) {
  (void)state;
  try_fault(TEST_FAULT_SHORT);
}

/* The log is copied into the database, and begun anew, within the day. */
static void test_disk__each_call_fails_around_a_checkpoint(void **state) {
  start from;
  (void)state;
  test_vfs_begin();
  make_start(&from, true);
  try_each(&from, TEST_FAULT_IO, false, true);
  say_last(NULL);
  try_each(&from, TEST_FAULT_FULL, false, true);
  say_last(NULL);
  try_each(&from, TEST_FAULT_FULL, true, true);
  end_start(&from);
  test_vfs_end();
}

#define TEST(name) cmocka_unit_test_teardown(name, say_last)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_disk__each_call_fails),
      TEST(test_disk__full_at_each_call),
      TEST(test_disk__not_to_be_written_at_each_call),
      TEST(test_disk__locked_by_another_at_each_call),
      TEST(test_disk__each_read_is_said_to_be_corrupt),
      TEST(test_disk__each_read_is_short),
      TEST(test_disk__each_call_fails_around_a_checkpoint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
