/*
 * A small mirror, each region of whose files is spoilt in turn: nothing
 * crashes or hangs, it is opened or set aside, no number that is shown as
 * exact is wrong, and what another process reads was once committed.
 */
#define _XOPEN_SOURCE 700

#include "mirror/day.h"
#include "support/vfs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>
/* cmocka wants some of those. */
#include <cmocka.h>

/* Pages are small, so that a region is much of one. HANG is in seconds, for
 * all regions of a file. */
enum {
  REGION = 24,
  FEW = 5,
  HEADER = 100, /* of a database; that of a log is shorter */
  COMMITS = DAY_STEPS + 2,
  CONVS = 6,
  HANG = 900
};

typedef enum damage {
  DAMAGE_FLIP, /* a bit */
  DAMAGE_ZERO,
  DAMAGE_RANDOM,
  DAMAGE_CUT, /* the file ends here */
  DAMAGES
} damage;

/* What was committed at one time. */
typedef struct committed {
  seen_totals totals;
  seen_row rows[CONVS];
} committed;

typedef struct mirror {
  test_store *files;
  test_random random;
  size_t region; /* how much is spoilt at a time */
  committed states[COMMITS];
  size_t state_count;
  char *bytes[2]; /* of the database and its log */
  size_t sizes[2];
} mirror;

static const char *const TAILS[] = {"", "-wal"};
static const char *const IDS[CONVS] = {"a", "b", "c", "d", "e", "f"};

static struct {
  int file;
  int damage;
  size_t at;
} last;

static int say_last(void **state) {
  (void)state;
  printf("# the last was mirror.db%s, damage %d at %zu\n", TAILS[last.file],
         last.damage, last.at);
  return 0;
}

static const char *path_of(const mirror *of, int number) {
  char name[32];
  snprintf(name, sizeof name, "mirror.db%s", TAILS[number]);
  return test_folder_file(&of->files->folder, name);
}

/* Numbers as a reader in another process gets them. */
static void note_state(mirror *of) {
  committed *now = &of->states[of->state_count++];
  seen_error error = SEEN_ERROR_INIT;
  assert_in_range(of->state_count, 1, COMMITS);
  if (seen_badge_read(of->files->options.path, NULL, &now->totals, &error))
    fail_msg("%s", error.message);
  for (size_t i = 0; i < CONVS; i++) {
    now->rows[i].size = sizeof now->rows[i];
    seen_badge_read_conversation(of->files->options.path, NULL, IDS[i],
                                 &now->rows[i], NULL);
  }
}

static void live(mirror *of, size_t from, size_t to) {
  day life;
  seen_error error = SEEN_ERROR_INIT;
  if (day_open(&life, of->files, day_steps()[from].at, &error))
    fail_msg("%s", error.message);
  note_state(of);
  for (size_t i = from; i < to; i++) {
    if (day_live(&life, &day_steps()[i], &error)) fail_msg("%s", error.message);
    note_state(of);
  }
  day_close(&life);
}

/* The half of the day is in the database, the rest in its log, unless that was
 * copied. */
static void make(mirror *of, bool at_rest) {
  memset(of, 0, sizeof *of);
  of->files = store_start();
  of->files->options.vfs = TEST_VFS; /* which syncs nothing */
  of->random.state = test_fresh_seed();
  store_sql(of->files, "PRAGMA page_size = 512; VACUUM");
  live(of, 0, DAY_STEPS / 2);
  store_sql(of->files, "PRAGMA wal_checkpoint(TRUNCATE)");
  live(of, DAY_STEPS / 2, DAY_STEPS);
  if (at_rest) store_sql(of->files, "PRAGMA wal_checkpoint(TRUNCATE)");
  for (int i = 0; i < 2; i++)
    if (test_file_exists(path_of(of, i)))
      of->bytes[i] = test_file_read(path_of(of, i), &of->sizes[i]);
}

static void end(mirror *of) {
  free(of->bytes[0]);
  free(of->bytes[1]);
  store_end(of->files);
}

/* Returns what is left of the file. */
static size_t spoil(mirror *of, char *bytes, size_t size, size_t at,
                    damage how) {
  size_t length = size - at < of->region ? size - at : of->region;
  size_t byte = at + (size_t)test_random_below(&of->random, length);
  switch (how) {
  case DAMAGE_FLIP:
    bytes[byte] ^= (char)(1 << test_random_below(&of->random, 8));
    break;
  case DAMAGE_ZERO: memset(bytes + at, 0, length); break;
  case DAMAGE_RANDOM:
    for (size_t i = at; i < at + length; i++)
      bytes[i] = (char)test_random_next(&of->random);
    break;
  default: return byte;
  }
  return size;
}

static void put_spoilt(mirror *of, int number, size_t at, damage how) {
  char *bytes = malloc(of->sizes[number] + 1);
  size_t size;
  assert_non_null(bytes);
  memcpy(bytes, of->bytes[number], of->sizes[number]);
  size = spoil(of, bytes, of->sizes[number], at, how);
  day_clear(of->files);
  if (of->bytes[1 - number])
    test_file_write(path_of(of, 1 - number), of->bytes[1 - number],
                    of->sizes[1 - number]);
  test_file_write(path_of(of, number), bytes, size);
  free(bytes);
}

static bool same_row(const seen_row *a, const seen_row *b) {
  return a->unread == b->unread && a->mentions == b->mentions &&
         a->badge == b->badge && a->exact == b->exact && a->muted == b->muted &&
         a->marked_unread == b->marked_unread && a->listed == b->listed;
}

static bool was_total(const mirror *of, const seen_totals *totals) {
  for (size_t i = 0; i < of->state_count; i++)
    if (memcmp(&of->states[i].totals, totals, sizeof *totals) == 0) return true;
  return false;
}

static bool was_row(const mirror *of, size_t conv, const seen_row *row) {
  for (size_t i = 0; i < of->state_count; i++)
    if (same_row(&of->states[i].rows[conv], row)) return true;
  return false;
}

static void check_badge(const mirror *of) {
  static const seen_totals zeroes;
  static const seen_row nothing;
  const char *path = of->files->options.path;
  seen_totals totals = {1, 1, 1, 1};
  seen_row row = {.size = sizeof row, .unread = 1};
  int status = seen_badge_read(path, NULL, &totals, NULL);
  if (status ? memcmp(&totals, &zeroes, sizeof totals) != 0
             : !was_total(of, &totals))
    fail_msg("status %d, unread %llu in %llu, muted %llu, mentions %llu",
             status, (unsigned long long)totals.unread,
             (unsigned long long)totals.conversations,
             (unsigned long long)totals.muted,
             (unsigned long long)totals.mentions);
  for (size_t i = 0; i < CONVS; i++) {
    status = seen_badge_read_conversation(path, NULL, IDS[i], &row, NULL);
    assert_true(status ? same_row(&row, &nothing) : was_row(of, i, &row));
  }
}

/* What is shown as exact was once so. */
static void check_shown(const mirror *of, day *life) {
  seen_engine *engine = seen_mirror_engine(life->mirror);
  seen_state state = {.size = sizeof state};
  for (size_t i = 0; i < CONVS; i++) {
    bool found = false;
    if (seen_engine_state(engine, seen_engine_find(engine, IDS[i]), &state))
      continue;
    for (size_t n = 0; n < of->state_count; n++)
      found |= of->states[n].rows[i].listed &&
               of->states[n].rows[i].unread == state.unread;
    assert_true(found || !state.exact);
  }
}

static bool is_clear(int status) {
  return status == SEEN_ECORRUPT || status == SEEN_ESCHEMA ||
         status == SEEN_EIO || status == SEEN_EINVAL;
}

/* A mirror that was whole: the next one who opens it has nothing to mend. */
static void check_mended(const mirror *of) {
  day life;
  seen_error error = SEEN_ERROR_INIT;
  if (day_open(&life, of->files, 0, &error)) fail_msg("%s", error.message);
  assert_int_equal(of->files->store->origin, SEEN_ORIGIN_KEPT);
  assert_int_equal(life.left_out, 0);
  assert_int_equal(seen_mirror_unwritten(life.mirror), 0);
  day_close(&life);
}

/* Returns whether it could be used, and mended. */
static bool try_one(mirror *of, int number, size_t at, damage how) {
  day life;
  seen_error error = SEEN_ERROR_INIT;
  int status;
  put_spoilt(of, number, at, how);
  check_badge(of);
  status = day_open(&life, of->files, 0, &error);
  if (status && !is_clear(status))
    fail_msg("%s: %s", seen_error_name(status), error.message);
  if (status) return false;
  check_shown(of, &life);
  day_live(&life, &day_steps()[DAY_STEPS - 1], &error);
  day_settle(&life);
  day_check(&life);
  day_close(&life);
  check_mended(of);
  return true;
}

static void spoil_each(int number, bool at_rest, size_t region, size_t most) {
  static mirror of;
  size_t used = 0, tried = 0;
  size_t step = region * (size_t)(100 / test_scaled(100));
  alarm(HANG);
  test_vfs_begin();
  make(&of, at_rest);
  of.region = region;
  last.file = number;
  for (size_t at = 0; at < of.sizes[number] && at < most; at += step)
    for (damage how = DAMAGE_FLIP; how < DAMAGES; how++) {
      last.damage = (int)how;
      last.at = at;
      used += try_one(&of, number, at, how);
      tried++;
    }
  printf("# %zu of %zu could be used\n", used, tried);
  assert_in_range(used, tried / 2, tried);
  end(&of);
  test_vfs_end();
  alarm(0);
}

static void test_spoil__each_byte_of_the_header(void **state) {
  (void)state;
  spoil_each(0, false, 1, HEADER);
}

static void test_spoil__each_byte_of_the_header_of_the_log(void **state) {
  (void)state;
  spoil_each(1, false, 1, HEADER);
}

static void test_spoil__each_region_of_the_database(void **state) {
  (void)state;
  spoil_each(0, false, REGION, SIZE_MAX);
}

static void test_spoil__each_region_of_the_log(void **state) {
  (void)state;
  spoil_each(1, false, REGION, SIZE_MAX);
}

static void test_spoil__each_few_bytes_of_a_database_alone(void **state) {
  (void)state;
  spoil_each(0, true, FEW, SIZE_MAX);
}

#define TEST(name) cmocka_unit_test_teardown(name, say_last)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_spoil__each_byte_of_the_header),
      TEST(test_spoil__each_byte_of_the_header_of_the_log),
      TEST(test_spoil__each_region_of_the_database),
      TEST(test_spoil__each_region_of_the_log),
      TEST(test_spoil__each_few_bytes_of_a_database_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
