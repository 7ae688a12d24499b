/*
 * Each allocation fails once, for each input of each trace and of random
 * runs: the call says so, the state before is kept, the next try ends as if
 * nothing had been, nothing leaks.
 */
#define _POSIX_C_SOURCE 200809L

#include "alloc/sweep.h"
#include "naive/world.h"

#include <seen/sys/trace.h>

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants some of those. */
#include <cmocka.h>

/* Plays one line; expectations are for others to check. */
static void play_line(sweep_pair *sweep, const seen_trace_line *line,
                      uint64_t *now) {
  if (line->has_at) *now = line->at;
  switch (line->type) {
  case SEEN_TRACE_ME: sweep_start(sweep, &line->u.me); break;
  case SEEN_TRACE_RECORD: sweep_restore(sweep, &line->u.record); break;
  case SEEN_TRACE_INPUT: sweep_feed(sweep, &line->u.input, *now); break;
  case SEEN_TRACE_RESTART:
    sweep_feed(sweep, &(seen_input){.size = (uint32_t)sizeof(seen_input)},
               *now);
    sweep_restart(sweep, *now);
    break;
  default: break;
  }
}

static uint64_t play_trace(const char *path, bool on) {
  static sweep_pair sweep;
  seen_trace_line *me = NULL;
  char *text = NULL;
  size_t size = 0;
  uint64_t now = 0;
  ssize_t length;
  FILE *file = fopen(path, "r");

  assert_non_null(file);
  sweep.name = path;
  while ((length = getline(&text, &size, file)) >= 0) {
    seen_trace_line *line;

    assert_int_equal(seen_trace_parse(text, (size_t)length, NULL, &line, NULL),
                     SEEN_OK);
    play_line(&sweep, line, &now);
    sweep.on = on;
    if (line->type == SEEN_TRACE_ME)
      me = line; /* its options are borrowed */
    else
      seen_trace_line_free(line);
  }
  free(text);
  fclose(file);
  sweep_end(&sweep);
  seen_trace_line_free(me);
  return sweep.failures;
}

/* Every trace of a folder, or every SEEN_SCALE-th. */
static void play_folder(const char *folder, bool on) {
  uint64_t failures = 0, every = 1000 / test_scaled(1000), at = 0, played = 0;
  struct dirent **names;
  char path[1024];
  int count;

  snprintf(path, sizeof path, "%s/tests/traces/%s", SEEN_ROOT, folder);
  count = scandir(path, &names, NULL, alphasort);
  assert_in_range(count, 3, 10000);
  for (int i = 0; i < count; i++) {
    const char *name = names[i]->d_name;

    if (strstr(name, ".jsonl") != NULL && at++ % every == 0) {
      snprintf(path, sizeof path, "%s/tests/traces/%s/%s", SEEN_ROOT, folder,
               name);
      failures += play_trace(path, on);
      played++;
    }
    free(names[i]);
  }
  free(names);
  printf("# %s: %llu calls failed\n", folder, (unsigned long long)failures);
  assert_in_range(failures, played, UINT64_MAX);
}

static void test_sweep__each_rule_with_one_failure(void **state) {
  (void)state;
  play_folder("rules", false);
}

static void test_sweep__each_case_with_one_failure(void **state) {
  (void)state;
  play_folder("cases", false);
}

static void test_sweep__each_rule_with_no_memory_left(void **state) {
  (void)state;
  play_folder("rules", true);
}

static void play_world(uint64_t seed, naive_mood mood) {
  naive_world *world = naive_world_new(seed, mood);
  naive *model = naive_new(naive_world_options(world), 0);
  static sweep_pair sweep;

  sweep.name = mood == NAIVE_MOOD_HOSTILE ? "hostile" : "consistent";
  sweep_start(&sweep, naive_world_options(world));
  sweep.on = seed % 2 != 0;
  for (size_t i = 0; i < 150; i++) {
    naive_step step = naive_world_next(world, model);

    naive_outputs_clear(model);
    if (step.deed == NAIVE_MOVE) continue;
    if (step.deed == NAIVE_RESTART) {
      naive_restart(model, step.at);
      sweep_restart(&sweep, step.at);
      continue;
    }
    naive_feed(model, &step.input, step.at);
    if (step.input.id != NULL) naive_write(model, step.input.id);
    sweep_feed(&sweep, &step.input, step.at);
    naive_world_hear(world, model);
  }
  sweep_end(&sweep);
  naive_free(model);
  naive_world_free(world);
}

static void test_sweep__random_runs(void **state) {
  (void)state;
  for (uint64_t seed = test_scaled(40); seed > 0; seed--) {
    play_world(seed, NAIVE_MOOD_CONSISTENT);
    play_world(seed, NAIVE_MOOD_HOSTILE);
  }
}

static void test_sweep__a_fresh_random_run(void **state) {
  uint64_t seed = test_fresh_seed();

  (void)state;
  play_world(seed, NAIVE_MOOD_CONSISTENT);
  play_world(seed + 1, NAIVE_MOOD_HOSTILE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sweep__each_rule_with_one_failure),
      cmocka_unit_test(test_sweep__each_case_with_one_failure),
      cmocka_unit_test(test_sweep__each_rule_with_no_memory_left),
      cmocka_unit_test(test_sweep__random_runs),
      cmocka_unit_test(test_sweep__a_fresh_random_run),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
