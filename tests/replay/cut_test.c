/*
 * A recorder's dump replays to the present state, wherever it is taken: each
 * trace is cut at each line, the dump is played, and then the rest.
 */
#include "naive/random.h"
#include "replay/player.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What there is after a line, without a cut. */
typedef struct after {
  char *state;
  char *sent;
} after;

static size_t cuts;

static void note_after(after *self, player *from) {
  test_dump state = {0};

  test_dump_engine(&state, from->engine);
  self->state = state.text;
  self->sent = from->sent.text;
  from->sent = (test_dump){0};
}

/* Shows what is around the first difference. */
static void same(const char *name, size_t cut, size_t line, const char *what,
                 const char *want, const char *got) {
  size_t at = 0;

  if (strcmp(want, got) == 0) return;
  while (want[at] == got[at])
    at++;
  at = at > 100 ? at - 100 : 0;
  fail_msg("%s cut behind line %zu, behind line %zu: %s\n"
           "expected …%.250s\ngot …%.250s",
           name, cut, line, what, want + at, got + at);
}

static void compare(const char *name, size_t cut, size_t line,
                    const after *want, player *got) {
  test_dump state = {0};

  test_dump_engine(&state, got->engine);
  same(name, cut, line, "state", want->state, state.text);
  if (line > cut) same(name, cut, line, "sent", want->sent, got->sent.text);
  test_dump_free(&state);
}

/* What was written is the same as well, though no state shows it. */
static void compare_kept(const char *name, const player *want,
                         const player *got) {
  for (size_t i = 0; i < want->kept_count || i < got->kept_count; i++) {
    test_dump texts[2] = {{0}, {0}};
    const player *players[] = {want, got};

    for (size_t k = 0; k < 2; k++) {
      size_t length = 0;
      const seen_trace_line *line =
          i < players[k]->kept_count ? players[k]->kept[i].line : NULL;
      char *text;

      if (line != NULL) seen_trace_write(line, NULL, 0, &length, NULL);
      text = calloc(length + 1, 1);
      assert_non_null(text);
      if (line != NULL) seen_trace_write(line, text, length + 1, &length, NULL);
      test_dump_say(&texts[k], "%s", text);
      free(text);
    }
    if (strcmp(texts[0].text, texts[1].text) != 0)
      fail_msg("%s: written %s, after the dump %s", name, texts[0].text,
               texts[1].text);
    test_dump_free(&texts[0]);
    test_dump_free(&texts[1]);
  }
}

static void play_dump(player *self, const script *dump, size_t capacity) {
  player_begin(self, dump, capacity);
  for (size_t i = 1; i < dump->count; i++)
    player_play(self, dump->lines[i]);
}

/* A recorder that begins in the middle says the same. */
static void check_middle(const char *name, size_t cut, const after *want,
                         player *middle) {
  seen_recorder *recorder = player_record(middle, 1);
  script dump;
  player again;

  script_dump(&dump, recorder);
  play_dump(&again, &dump, 0);
  compare(name, cut, cut, want, &again);
  compare_kept(name, middle, &again);
  player_end(&again);
  script_free(&dump);
  seen_recorder_free(recorder);
}

static void cut_here(const char *name, const script *trace, size_t cut,
                     const after *want, const player *at) {
  script dump;
  player rest;

  script_dump(&dump, at->recorder);
  play_dump(&rest, &dump, 0);
  compare(name, cut, cut, &want[cut], &rest);
  compare_kept(name, at, &rest);
  check_middle(name, cut, &want[cut], &rest);
  rest.at = at->at; /* what expects something lets time pass unheard */
  for (size_t i = cut + 1; i < trace->count; i++) {
    player_play(&rest, trace->lines[i]);
    compare(name, cut, i, &want[i], &rest);
  }
  player_end(&rest);
  script_free(&dump);
  cuts++;
}

static void play(player *self, const script *trace, after *states) {
  for (size_t i = 1; i < trace->count; i++) {
    player_play(self, trace->lines[i]);
    note_after(&states[i], self);
  }
}

/* Cuts a trace behind each line that `every` divides, or is the last. */
static void cut_trace(const script *trace, const char *name, size_t capacity,
                      size_t every) {
  after *states = calloc(trace->count, sizeof *states);
  player self;

  assert_non_null(states);
  player_begin(&self, trace, 0);
  play(&self, trace, states);
  player_end(&self);
  player_begin(&self, trace, capacity);
  for (size_t i = 1; i < trace->count; i++) {
    player_play(&self, trace->lines[i]);
    if (self.recorder != NULL && (i % every == 0 || i + 1 == trace->count))
      cut_here(name, trace, i, states, &self);
  }
  player_end(&self);
  for (size_t i = 0; i < trace->count; i++) {
    free(states[i].state);
    free(states[i].sent);
  }
  free(states);
}

static void cut_with_all_inputs(const script *trace, const char *name) {
  cut_trace(trace, name, 4096, 1);
}

static void cut_with_few_inputs(const script *trace, const char *name) {
  cut_trace(trace, name, 2, 1);
}

static void cut_folder(const char *folder) {
  size_t played;

  cuts = 0;
  played = script_each(folder, cut_with_all_inputs);
  script_each(folder, cut_with_few_inputs);
  printf("# %s: %zu traces, %zu cuts\n", folder, played, cuts);
  assert_true(cuts > 2 * played);
}

static void test_cut__each_rule(void **s) {
  (void)s;
  cut_folder("rules");
}

static void test_cut__each_case(void **s) {
  (void)s;
  cut_folder("cases");
}

/* A run of a world of tests/naive, with its restarts. */
static void make_random(script *self, uint64_t seed, bool hostile,
                        size_t steps) {
  seen_trace_line line = {.size = sizeof line,
                          .type = SEEN_TRACE_ME,
                          .has_at = true,
                          .incarnation = "b"};
  char why[512];
  naive_run run;

  *self = (script){0};
  naive_random_run(seed, hostile ? NAIVE_MOOD_HOSTILE : NAIVE_MOOD_CONSISTENT,
                   NAIVE_FAULT_NONE, steps, &run, why, sizeof why);
  if (why[0] != '\0') fail_msg("%s", why);
  line.u.me = run.options;
  script_add_line(self, &line);
  for (size_t i = 0; i < run.count; i++) {
    if (run.steps[i].deed == NAIVE_MOVE) continue;
    line.at = run.steps[i].at;
    line.type = run.steps[i].deed == NAIVE_RESTART ? SEEN_TRACE_RESTART
                                                   : SEEN_TRACE_INPUT;
    line.u.input = run.steps[i].input;
    script_add_line(self, &line);
  }
  naive_run_free(&run);
}

static void cut_random(uint64_t seed, bool hostile) {
  test_random random = {seed};
  char name[64];
  script trace;

  make_random(&trace, seed, hostile, 300);
  snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
  cut_trace(&trace, name, 1 + test_random_below(&random, 60),
            30 + test_random_below(&random, 30));
  script_free(&trace);
}

static void test_cut__random_sequences(void **s) {
  uint64_t seed = test_fresh_seed();
  uint64_t runs = test_scaled(40);
  (void)s;
  for (uint64_t i = 0; i < runs; i++) {
    cut_random(1000 + i, i % 2 != 0);
    cut_random(seed + i, i % 2 != 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cut__each_rule),
      cmocka_unit_test(test_cut__each_case),
      cmocka_unit_test(test_cut__random_sequences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
