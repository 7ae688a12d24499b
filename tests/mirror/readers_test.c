/*
 * Processes that read the badge while others write, close, open again and are
 * killed: no read ever fails, and each gives what was committed at some time
 * between its beginning and its end.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "mirror/day.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
/* cmocka wants some of those. */
#include <cmocka.h>

enum {
  READERS = 2,
  READS = 3000,
  LOGGED = 1 << 18,
  COMMITS_A_LIFE = 400,
  COMMITS_A_FILE = 90,
  PATIENCE = 20, /* seconds, for the writer to log what it committed */
  MOST = 300     /* seconds: a child ends by then */
};

/* What was committed. */
typedef struct entry {
  seen_totals totals;
  seen_row row; /* of "a" */
} entry;

/* Shared by all processes. */
typedef struct shared {
  _Atomic size_t count; /* of entries that are logged */
  entry entries[LOGGED];
} shared;

/* The one conversation, and the next message of it. */
typedef struct writer {
  test_store *files;
  day life;
  size_t step;
} writer;

static void give_up(const char *what) {
  fprintf(stderr, "a child: %s\n", what);
  _exit(3);
}

static int take_row(const seen_record *record, const seen_row *row,
                    void *user_data) {
  entry *into = user_data;
  if (strcmp(record->id, "a") == 0) into->row = *row;
  return SEEN_OK;
}

/* What the store holds now, read beside those who read. */
static void log_commit(shared *log, seen_store *store) {
  size_t count = atomic_load(&log->count);
  entry *fresh = &log->entries[count];
  uint64_t records;
  if (count + 1 == LOGGED) give_up("the log is full");
  if (store->totals(store, &fresh->totals, &records, NULL) ||
      store->load(store, take_row, fresh, NULL))
    give_up("what was committed can't be read");
  atomic_store(&log->count, count + 1);
}

/* Messages, and now and then a read of them. */
static seen_input next_input(writer *self) {
  static const char *const ids[] = {"a", "b", "c"};
  seen_input input = {.size = sizeof input};
  size_t step = self->step++;
  input.id = ids[step % 3];
  input.type = step % 7 == 6 ? SEEN_INPUT_MARK_READ : SEEN_INPUT_MESSAGE;
  if (input.type == SEEN_INPUT_MESSAGE)
    input.u.message =
        (seen_message){.seq = 1000 + step, .from = "u2", .sent_at = step + 1};
  return input;
}

static void open_mirror(writer *self) {
  seen_error error = SEEN_ERROR_INIT;
  if (day_open(&self->life, self->files, 0, &error)) give_up(error.message);
  if (self->files->store->origin == SEEN_ORIGIN_REPLACED) give_up("replaced");
}

static void write_one(writer *self) {
  seen_error error = SEEN_ERROR_INIT;
  day_step step = {.at = self->life.now + 250};
  step.input = next_input(self);
  if (day_live(&self->life, &step, &error)) give_up(error.message);
}

static void begin_rows(writer *self) {
  seen_error error = SEEN_ERROR_INIT;
  for (size_t i = 0; i < 6; i++)
    if (day_live(&self->life, &day_steps()[i], &error)) give_up(error.message);
  self->life.now += 1000;
}

/* A byte for each commit; ends by being killed. */
static void write_on(test_store *files, shared *log, int out) {
  writer self = {.files = files, .step = atomic_load(&log->count)};
  open_mirror(&self);
  if (!self.step) begin_rows(&self);
  log_commit(log, files->store);
  for (size_t i = 1;; i++) {
    write_one(&self);
    log_commit(log, files->store);
    if (write(out, "", 1) != 1) give_up("nobody listens");
    if (i % COMMITS_A_FILE) continue;
    day_close(&self.life);
    open_mirror(&self);
  }
}

static bool same_row(const seen_row *a, const seen_row *b) {
  return a->unread == b->unread && a->mentions == b->mentions &&
         a->badge == b->badge && a->exact == b->exact && a->muted == b->muted &&
         a->marked_unread == b->marked_unread && a->listed == b->listed;
}

static bool is_entry(const entry *logged, const entry *got, bool totals) {
  return totals ? memcmp(&logged->totals, &got->totals, sizeof got->totals) == 0
                : same_row(&logged->row, &got->row);
}

/* What is committed is logged a moment later, or by the next writer. */
static void find_entry(const shared *log, const entry *got, bool totals,
                       size_t first, size_t last) {
  time_t end = time(NULL) + PATIENCE;
  for (size_t i = first; i <= last; i++) {
    while (atomic_load(&log->count) <= i)
      if (time(NULL) > end) give_up("what was read was never committed");
    if (is_entry(&log->entries[i], got, totals)) return;
  }
  give_up("what was read was not committed just then");
}

static void read_on(const test_store *files, const shared *log) {
  const char *path = files->options.path;
  seen_error error = SEEN_ERROR_INIT;
  entry got = {.row = {.size = sizeof got.row}};
  for (uint64_t i = 0; i < test_scaled(READS); i++) {
    size_t first = atomic_load(&log->count) - 1, last;
    bool totals = i % 2;
    int status = totals ? seen_badge_read(path, NULL, &got.totals, &error)
                        : seen_badge_read_conversation(path, NULL, "a",
                                                       &got.row, &error);
    if (status) give_up(error.message);
    last = atomic_load(&log->count);
    find_entry(log, &got, totals, first, last);
  }
  _exit(0);
}

static pid_t fork_one(void) {
  pid_t child;
  fflush(NULL);
  child = fork();
  assert_true(child >= 0);
  if (child == 0) alarm(MOST);
  return child;
}

/* A writer that commits a number of times, and is killed in the middle of
 * something. */
static void kill_a_writer(test_store *files, shared *log, size_t commits) {
  int ends[2], status;
  pid_t child;
  char byte;
  assert_int_equal(pipe(ends), 0);
  child = fork_one();
  if (child == 0) {
    close(ends[0]);
    write_on(files, log, ends[1]);
  }
  close(ends[1]);
  while (commits-- && read(ends[0], &byte, 1) == 1)
    continue;
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  close(ends[0]);
}

static size_t count_ended(pid_t *readers) {
  size_t ended = 0;
  for (size_t i = 0; i < READERS; i++) {
    int status;
    if (readers[i] && waitpid(readers[i], &status, WNOHANG) == readers[i]) {
      assert_true(WIFEXITED(status));
      assert_int_equal(WEXITSTATUS(status), 0);
      readers[i] = 0;
    }
    ended += !readers[i];
  }
  return ended;
}

static void test_readers__see_what_was_committed(void **state) {
  test_store *files = store_start();
  shared *log = mmap(NULL, sizeof *log, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t readers[READERS];
  size_t writers = 1;
  (void)state;
  assert_true(log != MAP_FAILED);
  files->options.busy_ms = 1000;
  kill_a_writer(files, log, 3);
  for (size_t i = 0; i < READERS; i++) {
    readers[i] = fork_one();
    if (readers[i] == 0) read_on(files, log);
  }
  for (; count_ended(readers) < READERS; writers++)
    kill_a_writer(files, log, COMMITS_A_LIFE);
  printf("# %zu commits of %zu writers\n", atomic_load(&log->count), writers);
  munmap(log, sizeof *log);
  store_end(files);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_readers__see_what_was_committed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
