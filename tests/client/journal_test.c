#include "client/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/player.h"
#include "support/alloc.h"
#include "support/folder.h"

/* An engine with a recorder that writes files. */
typedef struct journal_test {
  test_folder folder;
  char path[300];
  char logged[300];
  seen_options options;
  test_alloc memory;
  seen_engine *engine;
  seen_recorder *recorder;
  uint64_t at;
} journal_test;

static void note_log(seen_log_level level, const char *text, void *user_data) {
  journal_test *self = user_data;

  assert_int_equal(level, SEEN_LOG_WARN);
  snprintf(self->logged, sizeof self->logged, "%s", text);
}

static void record(journal_test *self, uint64_t file_bytes) {
  seen_recorder_options options;

  seen_recorder_options_init(&options);
  options.capacity = 5;
  options.path = self->path;
  options.file_bytes = file_bytes;
  assert_int_equal(seen_recorder_new(&options, &self->options, self->engine,
                                     NULL, &self->recorder, NULL),
                   SEEN_OK);
}

static void begin(journal_test *self, uint64_t file_bytes) {
  *self = (journal_test){0};
  test_folder_make(&self->folder);
  snprintf(self->path, sizeof self->path, "%s/flight", self->folder.path);
  test_alloc_init(&self->memory);
  seen_options_init(&self->options);
  self->options.user = "u1";
  self->options.log = note_log;
  self->options.log_user_data = self;
  self->options.allocator = &self->memory.allocator;
  assert_int_equal(seen_engine_new(&self->options, 0, &self->engine, NULL),
                   SEEN_OK);
  record(self, file_bytes);
}

static void end(journal_test *self) {
  seen_recorder_free(self->recorder);
  seen_engine_free(self->engine);
  test_alloc_check(&self->memory);
  test_folder_remove(&self->folder);
}

static void feed(journal_test *self, const seen_input *input, uint64_t at) {
  seen_effect effect = {.size = sizeof effect};

  assert_int_equal(seen_engine_feed(self->engine, input, at, NULL), SEEN_OK);
  while (seen_engine_next(self->engine, &effect))
    continue;
  assert_int_equal(seen_recorder_note(self->recorder, input, at, NULL),
                   SEEN_OK);
}

static void play(journal_test *self, const char *text) {
  const seen_input tick = {.size = sizeof tick, .type = SEEN_INPUT_TICK};
  seen_trace_line *line;

  assert_int_equal(seen_trace_parse(text, strlen(text), NULL, &line, NULL),
                   SEEN_OK);
  self->at += 10;
  while (seen_engine_deadline(self->engine) <= self->at)
    feed(self, &tick, seen_engine_deadline(self->engine));
  feed(self, &line->u.input, self->at);
  seen_trace_line_free(line);
}

static void play_row(journal_test *self, const char *id) {
  char text[300];

  snprintf(text, sizeof text,
           "{\"conversation\":{\"id\":\"%s\",\"kind\":\"group\",\"read\":{"
           "\"epoch\":0,\"seq\":8},\"last_seq\":10}}",
           id);
  play(self, text);
}

static void play_message(journal_test *self, unsigned seq) {
  char text[300];

  snprintf(text, sizeof text,
           "{\"message\":{\"conv\":\"g\",\"seq\":%u,\"from\":\"u2\"}}", seq);
  play(self, text);
}

static void play_messages(journal_test *self, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    play_message(self, 11 + i);
}

static int take(const char *line, size_t length, void *user_data) {
  script_add(user_data, line, length);
  return SEEN_OK;
}

static int try_read(journal_test *self, script *trace) {
  *trace = (script){0};
  return seen_recorder_read(self->path, SEEN_NAMES_REAL, NULL, take, trace,
                            NULL);
}

/* What is in the files replays to what the engine holds. */
static void check_replay(journal_test *self) {
  script trace;

  assert_int_equal(try_read(self, &trace), SEEN_OK);
  player_check(&trace, self->engine);
  script_free(&trace);
}

static uint64_t size_of(journal_test *self, unsigned turn) {
  char path[310];
  uint64_t size = 0;

  snprintf(path, sizeof path, "%s-%u", self->path, turn);
  if (sn_platform_size(path, &size, NULL) != SEEN_OK) return 0;
  return size;
}

static void newest_file(journal_test *self, char *name, size_t size) {
  sn_journal_text text;

  assert_int_equal(
      sn_journal_read(&text, self->path, seen_allocator_default(), NULL),
      SEEN_OK);
  snprintf(name, size, "%s-%u", self->path, (unsigned)(text.number % 2));
  sn_journal_text_free(&text);
}

static void test_journal__after_each_input_it_is_the_present(void **s) {
  journal_test t;
  (void)s;
  begin(&t, 1 << 20);
  check_replay(&t);
  play_row(&t, "g");
  check_replay(&t);
  for (unsigned seq = 11; seq < 30; seq++) {
    play_message(&t, seq);
    check_replay(&t);
  }
  assert_int_equal(size_of(&t, 0), 0);
  end(&t);
}

static void test_journal__two_files_take_turns_and_stay_small(void **s) {
  bool seen[2] = {false, false};
  journal_test t;
  (void)s;
  begin(&t, 4096);
  play_row(&t, "g");
  for (unsigned seq = 11; seq < 1000; seq++) {
    play_message(&t, seq);
    for (unsigned turn = 0; turn < 2; turn++) {
      assert_in_range(size_of(&t, turn), 0, 4096);
      seen[turn] |= size_of(&t, turn) > 0;
    }
    if (seq % 50 == 0) check_replay(&t);
  }
  assert_true(seen[0] && seen[1]);
  end(&t);
}

static void test_journal__states_that_do_not_fit_are_left_out(void **s) {
  journal_test t;
  script trace;
  char id[64];
  (void)s;
  begin(&t, 4096);
  for (unsigned i = 0; i < 200; i++) {
    snprintf(id, sizeof id, "a_conversation_with_a_long_name_%u", i);
    play_row(&t, id);
  }
  play_messages(&t, 100);
  assert_int_equal(try_read(&t, &trace), SEEN_OK);
  assert_int_equal(trace.lines[0]->type, SEEN_TRACE_ME);
  assert_true(trace.count > 10);
  for (size_t i = 1; i < trace.count; i++)
    assert_int_equal(trace.lines[i]->type, SEEN_TRACE_INPUT);
  assert_int_equal(trace.lines[trace.count - 1]->at, t.at);
  assert_int_equal(trace.lines[trace.count - 1]->u.input.u.message.seq, 110);
  script_free(&trace);
  end(&t);
}

static void test_journal__another_recorder_leaves_the_newest_file(void **s) {
  journal_test t;
  char name[310];
  char *before;
  char *after;
  size_t size;
  (void)s;
  begin(&t, 4096);
  play_row(&t, "g");
  play_messages(&t, 300);
  seen_recorder_free(t.recorder);
  check_replay(&t);
  newest_file(&t, name, sizeof name);
  before = test_file_read(name, &size);
  record(&t, 4096);
  after = test_file_read(name, &size);
  assert_string_equal(before, after);
  check_replay(&t);
  free(before);
  free(after);
  end(&t);
}

static void test_read__a_torn_tail_is_ignored(void **s) {
  char name[310];
  size_t size;
  char *bytes;
  journal_test t;
  size_t lines = 0;
  (void)s;
  begin(&t, 1 << 20);
  play_row(&t, "g");
  play_messages(&t, 20);
  newest_file(&t, name, sizeof name);
  bytes = test_file_read(name, &size);
  for (size_t cut = 0; cut < 60; cut++) {
    script trace;
    test_file_write(name, bytes, size - cut);
    assert_int_equal(try_read(&t, &trace), SEEN_OK);
    assert_true(cut == 0 || trace.count <= lines);
    lines = trace.count;
    script_free(&trace);
  }
  assert_in_range(lines, 18, 21);
  free(bytes);
  end(&t);
}

static void test_read__a_file_without_its_beginning_is_none(void **s) {
  char name[310];
  size_t size;
  char *bytes;
  journal_test t;
  script trace;
  (void)s;
  begin(&t, 4096);
  play_row(&t, "g");
  play_messages(&t, 300);
  newest_file(&t, name, sizeof name);
  bytes = test_file_read(name, &size);
  test_file_write(name, bytes, 60); /* it died while it began this one */
  assert_int_equal(try_read(&t, &trace), SEEN_OK);
  assert_true(trace.count > 5);
  script_free(&trace);
  newest_file(&t, name, sizeof name);
  test_file_write(name, bytes, 60);
  assert_int_equal(try_read(&t, &trace), SEEN_ECORRUPT);
  script_free(&trace);
  free(bytes);
  end(&t);
}

static void test_read__any_byte_may_be_wrong(void **s) {
  char name[310];
  size_t size;
  char *bytes;
  journal_test t;
  (void)s;
  begin(&t, 1 << 20);
  play_row(&t, "g");
  play_messages(&t, 10);
  newest_file(&t, name, sizeof name);
  bytes = test_file_read(name, &size);
  for (size_t i = 0; i < size; i++) {
    script trace;
    int status;
    bytes[i] ^= 32;
    test_file_write(name, bytes, size);
    status = try_read(&t, &trace);
    assert_true(status == SEEN_OK || status == SEEN_ECORRUPT);
    script_free(&trace);
    bytes[i] ^= 32;
  }
  free(bytes);
  end(&t);
}

static void test_read__where_there_is_nothing(void **s) {
  seen_error error = SEEN_ERROR_INIT;
  script trace = {0};
  journal_test t;
  (void)s;
  begin(&t, 4096);
  assert_int_equal(seen_recorder_read("no/such/file", SEEN_NAMES_REAL, NULL,
                                      take, &trace, &error),
                   SEEN_ENOTFOUND);
  assert_non_null(strstr(error.message, "no/such/file"));
  end(&t);
}

static void test_read__without_memory_nothing_leaks(void **s) {
  int status = SEEN_ENOMEM;
  journal_test t;
  uint64_t n;
  (void)s;
  begin(&t, 1 << 20);
  play_row(&t, "g");
  play_messages(&t, 5);
  for (n = 1; status == SEEN_ENOMEM; n++) {
    script trace = {0};
    test_alloc memory;
    test_alloc_init(&memory);
    test_alloc_fail(&memory, n);
    status = seen_recorder_read(t.path, SEEN_NAMES_PSEUDONYMS,
                                &memory.allocator, take, &trace, NULL);
    script_free(&trace);
    test_alloc_check(&memory);
  }
  assert_int_equal(status, SEEN_OK);
  assert_true(n > 20);
  end(&t);
}

static void test_journal__a_folder_that_is_not_there_is_told(void **s) {
  journal_test t;
  (void)s;
  begin(&t, 4096);
  seen_recorder_free(t.recorder);
  snprintf(t.path, sizeof t.path, "%s/none/flight", t.folder.path);
  record(&t, 4096);
  assert_non_null(strstr(t.logged, "recorder: can't make"));
  play_row(&t, "g");
  play_messages(&t, 300);
  end(&t);
}

/* A folder in the place of both files is in the way, and then no longer. */
static void test_journal__it_is_tried_again(void **s) {
  test_folder in_the_way[2];
  journal_test t;
  (void)s;
  begin(&t, 4096);
  seen_recorder_free(t.recorder);
  for (unsigned turn = 0; turn < 2; turn++) {
    char name[310];
    snprintf(name, sizeof name, "%s-%u", t.path, turn);
    remove(name);
    test_folder_make(&in_the_way[turn]);
    assert_int_equal(rename(in_the_way[turn].path, name), 0);
    snprintf(in_the_way[turn].path, sizeof in_the_way[turn].path, "%s", name);
  }
  record(&t, 4096);
  assert_non_null(strstr(t.logged, "recorder: can't make"));
  play_row(&t, "g");
  test_folder_remove(&in_the_way[0]);
  test_folder_remove(&in_the_way[1]);
  play_messages(&t, 300);
  check_replay(&t);
  end(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_journal__after_each_input_it_is_the_present),
      cmocka_unit_test(test_journal__two_files_take_turns_and_stay_small),
      cmocka_unit_test(test_journal__states_that_do_not_fit_are_left_out),
      cmocka_unit_test(test_journal__another_recorder_leaves_the_newest_file),
      cmocka_unit_test(test_read__a_torn_tail_is_ignored),
      cmocka_unit_test(test_read__a_file_without_its_beginning_is_none),
      cmocka_unit_test(test_read__any_byte_may_be_wrong),
      cmocka_unit_test(test_read__where_there_is_nothing),
      cmocka_unit_test(test_read__without_memory_nothing_leaks),
      cmocka_unit_test(test_journal__a_folder_that_is_not_there_is_told),
      cmocka_unit_test(test_journal__it_is_tried_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
