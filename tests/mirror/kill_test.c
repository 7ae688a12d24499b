/*
 * A process that writes a mirror is killed, again and again: at random
 * moments, and at each of its calls to the disk. What is there afterwards is
 * what it had committed last, or was committing; the numbers are right, and
 * the life goes on from there as the naive model says. A soak kills on.
 */
#define _XOPEN_SOURCE 700

#include "mirror/day.h"
#include "mirror/life.h"
#include "support/vfs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
/* cmocka wants some of those. */
#include <cmocka.h>

/* MOST is in seconds: a child ends by then, whatever becomes of its parent. */
enum {
  KILLS = 160,
  KILLS_A_LIFE = 9,
  MOST_STEPS = 110,
  CALLS = 260,
  MOST = 120
};

/* A life, its files, and what the child says of itself. */
typedef struct victim {
  life life;
  test_store *files;
  test_random random;
  bool by_call; /* killed at a call to the disk, not at a moment */
  size_t steps;
  uint64_t version;      /* found last */
  uint64_t times[16384]; /* of the versions, which are numbers of steps */
  size_t kills;
} victim;

static seen_options options_of(const victim *self) {
  seen_options options = *naive_world_options(self->life.world);
  options.allocator = &self->files->memory.allocator;
  return options;
}

/* In the child, which can't tell cmocka: it ends with a number of its own. */
static void expect(bool good, const char *what) {
  if (good) return;
  fprintf(stderr, "# %s\n", what);
  _exit(3);
}

/* NULL: the error says why. */
static seen_mirror *open_mirror(victim *self, seen_error *error) {
  seen_options options = options_of(self);
  seen_mirror *mirror = NULL;
  size_t left_out = 0;
  int status = store_try(self->files, error);
  if (!status)
    status = seen_mirror_open(&options, self->files->store, self->life.now,
                              &mirror, &left_out, error);
  if (!status && !left_out &&
      self->files->store->origin != SEEN_ORIGIN_REPLACED)
    return mirror;
  seen_mirror_free(mirror);
  return NULL;
}

static void close_mirror(victim *self, seen_mirror *mirror) {
  seen_mirror_free(mirror);
  store_close(self->files);
}

static bool says_version(size_t steps) {
  return steps % 5 == 0;
}

static void commit(const victim *self, seen_mirror *mirror,
                   const naive_step *step) {
  seen_effect effect = {.size = sizeof effect};
  seen_error error = SEEN_ERROR_INIT;
  expect(!seen_engine_feed(seen_mirror_engine(mirror), &step->input, step->at,
                           &error),
         error.message);
  if (self->steps && says_version(self->steps))
    expect(!seen_mirror_set_server(mirror, "one", self->steps, NULL), "server");
  while (seen_mirror_next(mirror, &effect))
    continue;
  expect(!seen_mirror_commit(mirror, step->at, &error), error.message);
}

/* A life begins with the link up, a mirror with it down. */
static void link_up(const victim *self, seen_mirror *mirror) {
  naive_step step = {.at = self->life.now};
  step.input.size = sizeof step.input;
  step.input.type = SEEN_INPUT_LINK;
  step.input.u.on = true;
  commit(self, mirror, &step);
}

/* A byte for each step that was lived through and committed; at the latest it
 * dies after the last one. */
static void live_until_killed(victim *self, int out) {
  seen_error error = SEEN_ERROR_INIT;
  seen_mirror *mirror;
  alarm(MOST);
  mirror = open_mirror(self, &error);
  expect(mirror, error.message);
  if (!self->steps) link_up(self, mirror);
  for (size_t i = 0; i < MOST_STEPS; i++) {
    naive_step step = life_take(&self->life);
    self->steps++;
    commit(self, mirror, &step);
    if (step.deed == NAIVE_RESTART) {
      close_mirror(self, mirror);
      mirror = open_mirror(self, &error);
      expect(mirror, error.message);
    }
    expect(write(out, "", 1) == 1, "nobody listens");
  }
  kill(getpid(), SIGKILL);
}

static uint64_t microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Somewhere in what follows a step: a commit takes about as long. */
static void kill_at_some_moment(victim *self, pid_t child, int in,
                                size_t *steps) {
  size_t after = (size_t)test_random_below(&self->random, MOST_STEPS);
  uint64_t until;
  char byte;
  while (*steps < after && read(in, &byte, 1) == 1)
    ++*steps;
  until = microseconds() + test_random_below(&self->random, 3000);
  while (microseconds() < until)
    ;
  kill(child, SIGKILL);
}

/* Returns how many steps the child says to have lived through. */
static size_t kill_once(victim *self) {
  int ends[2], status;
  size_t steps = 0;
  char byte;
  pid_t child;
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    close(ends[0]);
    if (self->by_call)
      test_vfs_fail(TEST_FAULT_KILL,
                    1 + test_random_below(&self->random, CALLS), false);
    live_until_killed(self, ends[1]);
  }
  test_random_next(&self->random);
  close(ends[1]);
  if (!self->by_call) kill_at_some_moment(self, child, ends[0], &steps);
  while (read(ends[0], &byte, 1) == 1)
    steps++;
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGKILL);
  self->kills++;
  return steps;
}

static void take_step(victim *self) {
  life_take(&self->life);
  self->steps++;
  assert_in_range(self->steps, 1, sizeof self->times / sizeof *self->times - 1);
  self->times[self->steps] = self->life.now;
}

static bool holds(victim *self, const char *found) {
  char *wanted = life_records(&self->life);
  bool same = strcmp(wanted, found) == 0;
  free(wanted);
  return same;
}

/* Lives up to what the store holds: all that was said to be committed, and
 * maybe one step more. */
static void catch_up(victim *self, size_t steps) {
  test_loaded found;
  store_open(self->files);
  found = store_load(self->files->store);
  store_close(self->files);
  assert_int_equal(found.status, SEEN_OK);
  while (steps--)
    take_step(self);
  if (!holds(self, found.text.text)) take_step(self);
  if (!holds(self, found.text.text)) {
    char *wanted = life_records(&self->life);
    printf("# there is\n%s\n# and not\n%s\n", found.text.text, wanted);
    fail_msg("another state is there than was written");
  }
  store_loaded_free(&found);
}

/* Whether something is unwritten that came with that version, or before. */
static bool lacks(const victim *self, uint64_t version) {
  return version > self->version &&
         life_unwritten(&self->life) < self->times[version];
}

/*
 * S2: nothing that came with a version, or before, is missing. The step that
 * was being committed may have written nothing else, or the same once more.
 */
static void check_version(victim *self, seen_mirror *mirror) {
  seen_meta meta;
  seen_mirror_server(mirror, &meta);
  if (meta.version > self->steps || lacks(self, meta.version)) take_step(self);
  assert_in_range(meta.version, self->version, self->steps);
  assert_false(lacks(self, meta.version));
  self->version = meta.version;
}

static void check_audit(victim *self, seen_mirror *mirror) {
  seen_engine *engine = seen_mirror_engine(mirror);
  seen_input audit = {.size = sizeof audit, .type = SEEN_INPUT_AUDIT};
  seen_metrics metrics = {.size = sizeof metrics};
  assert_int_equal(seen_mirror_unwritten(mirror), 0);
  assert_int_equal(seen_engine_feed(engine, &audit, self->life.now, NULL), 0);
  seen_engine_metrics(engine, &metrics);
  assert_int_equal(metrics.unread_drift, 0);
}

static void check_file(victim *self, seen_mirror *mirror) {
  seen_totals shown, totals;
  seen_error error = SEEN_ERROR_INIT;
  seen_engine_totals(seen_mirror_engine(mirror), &totals);
  if (seen_badge_read(self->files->options.path, NULL, &shown, &error))
    fail_msg("%s", error.message);
  assert_memory_equal(&shown, &totals, sizeof totals);
  assert_int_equal(store_number(self->files,
                                "SELECT count(*) FROM pragma_integrity_check"
                                " WHERE integrity_check <> 'ok'"),
                   0);
  assert_int_equal(
      store_number(self->files,
                   "SELECT count(*) FROM pragma_foreign_key_check"),
      0);
}

static void check_all(victim *self) {
  seen_error error = SEEN_ERROR_INIT;
  seen_mirror *mirror = open_mirror(self, &error);
  if (!mirror) {
    fail_msg("it can't be opened: %s", error.message);
    return;
  }
  check_version(self, mirror);
  life_restart(&self->life);
  life_check(&self->life, seen_mirror_engine(mirror));
  check_audit(self, mirror);
  check_file(self, mirror);
  close_mirror(self, mirror);
}

static void begin_life(victim *self, uint64_t seed) {
  day_clear(self->files);
  self->steps = 0;
  self->version = 0;
  life_begin(&self->life, seed,
             seed % 4 ? NAIVE_MOOD_CONSISTENT : NAIVE_MOOD_HOSTILE);
}

static void kill_all(bool by_call) {
  static victim self;
  time_t end = test_soak_end();
  size_t wanted = (size_t)test_scaled(KILLS);
  memset(&self, 0, sizeof self);
  self.random.state = test_fresh_seed() + by_call;
  self.by_call = by_call;
  self.files = store_start();
  test_vfs_begin();
  if (by_call) self.files->options.vfs = TEST_VFS;
  while (self.kills < wanted || time(NULL) < end) {
    begin_life(&self, test_random_next(&self.random));
    for (size_t i = 0; i < KILLS_A_LIFE; i++) {
      catch_up(&self, kill_once(&self));
      check_all(&self);
    }
    life_end(&self.life);
  }
  printf("# killed %zu times\n", self.kills);
  test_vfs_end();
  store_end(self.files);
}

static void test_kill__at_random_moments(void **state) {
  (void)state;
  kill_all(false);
}

static void test_kill__at_calls_to_the_disk(void **state) {
  (void)state;
  kill_all(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kill__at_random_moments),
      cmocka_unit_test(test_kill__at_calls_to_the_disk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
