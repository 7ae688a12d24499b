#include "client/recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/player.h"
#include "support/alloc.h"

/* An engine and its recorder, which has memory of its own. */
typedef struct recorded {
  seen_options options;
  test_alloc memory;
  seen_engine *engine;
  seen_recorder *recorder;
} recorded;

static seen_recorder_options keeping(size_t capacity) {
  seen_recorder_options options;

  seen_recorder_options_init(&options);
  options.capacity = capacity;
  return options;
}

static int try_record(recorded *self, const seen_recorder_options *options,
                      seen_error *error) {
  seen_options watched = self->options;

  watched.allocator = &self->memory.allocator;
  return seen_recorder_new(options, &watched, self->engine, NULL,
                           &self->recorder, error);
}

static void begin(recorded *self, size_t capacity) {
  const seen_recorder_options options = keeping(capacity);

  *self = (recorded){0};
  seen_options_init(&self->options);
  self->options.user = "u1";
  self->options.device = "d1";
  test_alloc_init(&self->memory);
  assert_int_equal(seen_engine_new(&self->options, 0, &self->engine, NULL),
                   SEEN_OK);
  assert_int_equal(try_record(self, &options, NULL), SEEN_OK);
}

static void end(recorded *self) {
  seen_recorder_free(self->recorder);
  test_alloc_check(&self->memory);
  seen_engine_free(self->engine);
}

static void feed(recorded *self, const seen_input *input, uint64_t at) {
  seen_effect effect = {.size = sizeof effect};
  seen_error error = SEEN_ERROR_INIT;

  if (seen_engine_feed(self->engine, input, at, &error) != SEEN_OK)
    fail_msg("%s", error.message);
  while (seen_engine_next(self->engine, &effect))
    continue;
}

/* A tick at each deadline, then the input; what the last note came to. */
static int try_play(recorded *self, uint64_t at, const char *text) {
  const seen_input tick = {.size = sizeof tick, .type = SEEN_INPUT_TICK};
  seen_trace_line *line;
  uint64_t due;
  int status;

  assert_int_equal(seen_trace_parse(text, strlen(text), NULL, &line, NULL),
                   SEEN_OK);
  while ((due = seen_engine_deadline(self->engine)) <= at) {
    feed(self, &tick, due);
    (void)seen_recorder_note(self->recorder, &tick, due, NULL);
  }
  feed(self, &line->u.input, at);
  status = seen_recorder_note(self->recorder, &line->u.input, at, NULL);
  seen_trace_line_free(line);
  return status;
}

static void play(recorded *self, uint64_t at, const char *text) {
  assert_int_equal(try_play(self, at, text), SEEN_OK);
}

#define ROW                                                                    \
  "{\"conversation\":{\"id\":\"g\",\"kind\":\"group\",\"read\":{\"epoch\":0,"  \
  "\"seq\":8},\"last_seq\":10,\"roster\":[{\"user\":\"u1\"},{\"user\":"        \
  "\"zoe\"}]}}"
#define MESSAGE(seq)                                                           \
  "{\"message\":{\"conv\":\"g\",\"seq\":" seq ",\"from\":\"zoe\"}}"

static int take(const char *line, size_t length, void *user_data) {
  test_dump *text = user_data;

  assert_int_equal(strlen(line), length);
  test_dump_say(text, "%s\n", line);
  return SEEN_OK;
}

static void dump(recorded *self, seen_recorder_names names, test_dump *text) {
  seen_error error = SEEN_ERROR_INIT;

  test_dump_clear(text);
  if (seen_recorder_dump(self->recorder, names, take, text, &error) != SEEN_OK)
    fail_msg("%s", error.message);
}

static void check_dump(recorded *self, const char *want) {
  test_dump text = {0};

  dump(self, SEEN_NAMES_REAL, &text);
  assert_string_equal(text.text, want);
  test_dump_free(&text);
}

/* What is recorded replays to what the engine holds now. */
static void check_replay(recorded *self) {
  script trace;

  script_dump(&trace, self->recorder);
  player_check(&trace, self->engine);
  script_free(&trace);
}

static void test_dump__of_nothing_is_who_and_how_it_began(void **s) {
  recorded r;
  (void)s;
  begin(&r, 4);
  check_dump(&r, "{\"at\":0,\"me\":{\"user\":\"u1\",\"device\":\"d1\"}}\n"
                 "{\"state\":{\"bucket\":{\"units\":4000},\"random\":"
                 "\"9e3779b97f4a7c15\"}}\n");
  play(&r, 7, "{\"tick\":{}}");
  check_dump(&r, "{\"at\":0,\"me\":{\"user\":\"u1\",\"device\":\"d1\"}}\n"
                 "{\"state\":{\"bucket\":{\"units\":4000},\"random\":"
                 "\"9e3779b97f4a7c15\"}}\n{\"at\":7,\"tick\":{}}\n");
  end(&r);
}

static void test_dump__what_falls_out_of_the_ring_is_state(void **s) {
  recorded r;
  (void)s;
  begin(&r, 2);
  play(&r, 10, ROW);
  play(&r, 20, MESSAGE("11"));
  play(&r, 20, MESSAGE("12"));
  check_dump(
      &r,
      "{\"at\":10,\"me\":{\"user\":\"u1\",\"device\":\"d1\"}}\n"
      "{\"state\":{\"conv\":\"g\",\"kind\":\"group\",\"read\":{\"epoch\":0,"
      "\"seq\":8},\"last_seq\":10,\"join_seq\":1,\"tally\":{\"last_seq\":10,"
      "\"from\":8,\"base\":8,\"counted\":0},\"members\":[{\"user\":\"u1\"},{"
      "\"user\":\"zoe\"}],\"peers\":[{\"user\":\"zoe\"}],\"working\":{"
      "\"unwritten\":true}}}\n"
      "{\"state\":{\"bucket\":{\"units\":4000},\"random\":"
      "\"9e3779b97f4a7c15\",\"dirty_since\":10}}\n"
      "{\"at\":20,\"message\":{\"conv\":\"g\",\"seq\":11,\"from\":\"zoe\"}}"
      "\n{\"at\":20,\"message\":{\"conv\":\"g\",\"seq\":12,\"from\":"
      "\"zoe\"}}\n");
  end(&r);
}

static void test_dump__by_handle_is_by_id(void **s) {
  seen_input input = {.size = sizeof input, .type = SEEN_INPUT_OPEN};
  recorded r;
  test_dump text = {0};
  (void)s;
  begin(&r, 9);
  play(&r, 0, ROW);
  input.conv = seen_engine_find(r.engine, "g");
  feed(&r, &input, 5);
  assert_int_equal(seen_recorder_note(r.recorder, &input, 5, NULL), SEEN_OK);
  dump(&r, SEEN_NAMES_REAL, &text);
  assert_non_null(strstr(text.text, "{\"at\":5,\"open\":{\"conv\":\"g\"}}\n"));
  check_replay(&r);
  test_dump_free(&text);
  end(&r);
}

static void test_dump__a_tick_only_lets_time_pass(void **s) {
  recorded r;
  (void)s;
  begin(&r, 1);
  play(&r, 0, ROW);
  play(&r, 5000, "{\"tick\":{}}");
  play(&r, 6000, "{\"tick\":{}}");
  check_replay(&r);
  play(&r, 6000, MESSAGE("15")); /* whose gap becomes late by itself */
  play(&r, 7000, "{\"tick\":{}}");
  check_replay(&r);
  end(&r);
}

static void test_note__fewer_are_kept_where_they_take_too_much(void **s) {
  seen_recorder_options options = keeping(100);
  recorded r;
  test_dump text = {0};
  (void)s;
  begin(&r, 100);
  seen_recorder_free(r.recorder);
  options.bytes = 90;
  assert_int_equal(try_record(&r, &options, NULL), SEEN_OK);
  play(&r, 0, ROW);
  for (int i = 0; i < 20; i++)
    play(&r, 1, MESSAGE("11"));
  dump(&r, SEEN_NAMES_REAL, &text);
  assert_null(strstr(text.text, "conversation"));
  check_replay(&r);
  test_dump_free(&text);
  end(&r);
}

static void test_note__time_does_not_go_back(void **s) {
  const seen_input flush = {.size = sizeof flush, .type = SEEN_INPUT_FLUSH};
  seen_error error = SEEN_ERROR_INIT;
  recorded r;
  (void)s;
  begin(&r, 4);
  play(&r, 10, ROW);
  assert_int_equal(seen_recorder_note(r.recorder, &flush, 9, &error),
                   SEEN_ECLOCK);
  assert_string_equal(error.message, "now is 9, after 10");
  check_replay(&r);
  end(&r);
}

static void test_note__what_no_engine_takes_is_not_noted(void **s) {
  const seen_input open = {.size = sizeof open, .type = SEEN_INPUT_OPEN};
  recorded r;
  (void)s;
  begin(&r, 4);
  play(&r, 10, ROW);
  assert_int_equal(seen_recorder_note(r.recorder, &open, 10, NULL),
                   SEEN_EINVAL);
  check_replay(&r);
  end(&r);
}

static void test_restart__begins_with_the_state_that_there_is(void **s) {
  test_dump text = {0};
  recorded r;
  (void)s;
  begin(&r, 4);
  play(&r, 10, ROW);
  play(&r, 20, MESSAGE("11"));
  assert_int_equal(seen_recorder_restart(r.recorder, NULL), SEEN_OK);
  dump(&r, SEEN_NAMES_REAL, &text);
  assert_null(strstr(text.text, "\"message\""));
  check_replay(&r);
  test_dump_free(&text);
  end(&r);
}

static void test_names__no_real_one_is_left(void **s) {
  recorded r;
  test_dump text = {0};
  (void)s;
  begin(&r, 2);
  play(&r, 10, ROW);
  play(&r, 20, MESSAGE("11"));
  play(&r, 30, MESSAGE("12"));
  dump(&r, SEEN_NAMES_PSEUDONYMS, &text);
  assert_null(strstr(text.text, "zoe"));
  assert_null(strstr(text.text, "\"g\""));
  assert_non_null(
      strstr(text.text, "\"me\":{\"user\":\"u1\",\"device\":\"d1\"}"));
  assert_non_null(strstr(
      text.text,
      "{\"at\":30,\"message\":{\"conv\":\"c1\",\"seq\":12,\"from\":\"u2\"}}"));
  test_dump_free(&text);
  end(&r);
}

static int refuse(const char *line, size_t length, void *user_data) {
  (void)line;
  (void)length;
  return ++*(int *)user_data == 2 ? 77 : 0;
}

static void test_dump__ends_where_the_callee_says_so(void **s) {
  recorded r;
  int lines = 0;
  (void)s;
  begin(&r, 4);
  play(&r, 10, ROW);
  assert_int_equal(
      seen_recorder_dump(r.recorder, SEEN_NAMES_REAL, refuse, &lines, NULL),
      77);
  assert_int_equal(lines, 2);
  end(&r);
}

static void test_new__options_that_make_no_sense(void **s) {
  seen_recorder_options options = keeping(0);
  seen_error error = SEEN_ERROR_INIT;
  recorded r;
  (void)s;
  begin(&r, 4);
  seen_recorder_free(r.recorder);
  assert_int_equal(try_record(&r, &options, &error), SEEN_EINVAL);
  assert_string_equal(error.message, "a recorder of no inputs");
  assert_null(r.recorder);
  options = keeping(1);
  options.path = "unused";
  options.file_bytes = 100;
  assert_int_equal(try_record(&r, &options, &error), SEEN_EINVAL);
  assert_string_equal(error.message, "file_bytes is below 4096");
  options = keeping(1);
  options.size--;
  assert_int_equal(try_record(&r, &options, &error), SEEN_EINVAL);
  end(&r);
}

/* Whatever fails: what is recorded afterwards is the truth. */
static bool play_without(uint64_t n, bool on) {
  static const char *const texts[] = {
      ROW,
      MESSAGE("11"),
      "{\"open\":{\"conv\":\"g\"}}",
      "{\"visible\":{\"conv\":\"g\",\"from\":9,\"to\":11}}",
      MESSAGE("14"),
      "{\"mark_read\":{\"conv\":\"g\",\"seq\":12}}",
      "{\"mark_unread\":{\"conv\":\"g\"}}",
      MESSAGE("15"),
      MESSAGE("16")};
  bool failed = false;
  recorded r;

  begin(&r, 3);
  if (on)
    test_alloc_fail_on(&r.memory, n);
  else
    test_alloc_fail(&r.memory, n);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    int status = try_play(&r, 200 * i, texts[i]);

    if (status == SEEN_OK) continue;
    assert_int_equal(status, SEEN_ENOMEM);
    failed = true;
    if (on && i > 5) test_alloc_fail(&r.memory, 0);
  }
  test_alloc_fail(&r.memory, 0);
  check_replay(&r);
  end(&r);
  return failed;
}

static void test_note__without_memory_no_trace_is_wrong(void **s) {
  uint64_t n = 1;
  (void)s;
  while (play_without(n, false))
    n++;
  assert_true(n > 50);
  for (n = 1; play_without(n, true);)
    n++;
  assert_true(n > 50);
}

static void test_dump__without_memory_it_can_be_had_again(void **s) {
  test_dump text = {0};
  test_dump again = {0};
  int status = SEEN_ENOMEM;
  recorded r;
  uint64_t n;
  (void)s;
  begin(&r, 2);
  play(&r, 10, ROW);
  play(&r, 20, MESSAGE("11"));
  play(&r, 30, MESSAGE("12"));
  dump(&r, SEEN_NAMES_PSEUDONYMS, &text);
  for (n = 1; status == SEEN_ENOMEM; n++) {
    test_dump_clear(&again);
    test_alloc_fail(&r.memory, n);
    status = seen_recorder_dump(r.recorder, SEEN_NAMES_PSEUDONYMS, take, &again,
                                NULL);
  }
  test_alloc_fail(&r.memory, 0);
  assert_int_equal(status, SEEN_OK);
  assert_true(n > 20);
  assert_string_equal(again.text, text.text);
  check_replay(&r);
  test_dump_free(&text);
  test_dump_free(&again);
  end(&r);
}

/* Memory that is asked for while the lock is free, or it hangs. */
typedef struct looking {
  seen_allocator allocator;
  test_alloc memory;
  sn_mutex *lock;
  size_t looks;
} looking;

static looking *look(void *user_data) {
  looking *self = user_data;
  sn_platform_mutex_lock(self->lock);
  sn_platform_mutex_unlock(self->lock);
  self->looks++;
  return self;
}

static void *look_allocate(size_t size, void *user_data) {
  looking *self = look(user_data);
  return self->memory.allocator.allocate(size, &self->memory);
}

static void *look_resize(void *memory, size_t size, void *user_data) {
  looking *self = look(user_data);
  return self->memory.allocator.resize(memory, size, &self->memory);
}

static void look_release(void *memory, void *user_data) {
  looking *self = look(user_data);
  self->memory.allocator.release(memory, &self->memory);
}

static void test_new__holds_up_nobody_who_reads(void **s) {
  const seen_recorder_options recording = keeping(2);
  looking it = {.allocator = {look_allocate, look_resize, look_release, &it}};
  seen_recorder *second;
  seen_options options;
  recorded r;
  (void)s;
  begin(&r, 2);
  play(&r, 10, ROW);
  play(&r, 20, MESSAGE("11"));
  test_alloc_init(&it.memory);
  it.lock = sn_platform_mutex_new(seen_allocator_default());
  options = r.options;
  options.allocator = &it.allocator;
  assert_int_equal(sn_recorder_new(&recording, &options, r.engine, NULL,
                                   it.lock, &second, NULL),
                   SEEN_OK);
  assert_int_equal(seen_recorder_restart(second, NULL), SEEN_OK);
  assert_true(it.looks > 10);
  seen_recorder_free(second);
  test_alloc_check(&it.memory);
  sn_platform_mutex_free(seen_allocator_default(), it.lock);
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dump__of_nothing_is_who_and_how_it_began),
      cmocka_unit_test(test_dump__what_falls_out_of_the_ring_is_state),
      cmocka_unit_test(test_dump__by_handle_is_by_id),
      cmocka_unit_test(test_dump__a_tick_only_lets_time_pass),
      cmocka_unit_test(test_note__fewer_are_kept_where_they_take_too_much),
      cmocka_unit_test(test_note__time_does_not_go_back),
      cmocka_unit_test(test_note__what_no_engine_takes_is_not_noted),
      cmocka_unit_test(test_restart__begins_with_the_state_that_there_is),
      cmocka_unit_test(test_names__no_real_one_is_left),
      cmocka_unit_test(test_dump__ends_where_the_callee_says_so),
      cmocka_unit_test(test_new__options_that_make_no_sense),
      cmocka_unit_test(test_new__holds_up_nobody_who_reads),
      cmocka_unit_test(test_note__without_memory_no_trace_is_wrong),
      cmocka_unit_test(test_dump__without_memory_it_can_be_had_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
