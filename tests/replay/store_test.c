/*
 * A database and a store in memory are the same to an engine: each trace is
 * played over both, with a restart behind each line in turn.
 */
#define _POSIX_C_SOURCE 200809L

#include "replay/script.h"
#include "support/dump.h"
#include "support/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <seen/sys/mirror.h>
#include <sys/stat.h>

/* One of the two. */
typedef struct side {
  const char *path; /* of the database; NULL: in memory */
  seen_options options;
  seen_store *store;
  seen_mirror *mirror;
  uint64_t at;
  test_dump sent; /* by the last line */
} side;

static test_folder folder;
static size_t restarts;

static void must(int status, const seen_error *error) {
  if (status != SEEN_OK)
    fail_msg("%s: %s", seen_error_name(status), error->message);
}

static void open_store(side *self) {
  seen_error error = SEEN_ERROR_INIT;
  seen_sqlite_options options;

  if (self->path == NULL) {
    must(seen_store_open_memory(NULL, &self->store, &error), &error);
    return;
  }
  seen_sqlite_options_init(&options);
  options.path = self->path;
  must(seen_store_open_sqlite(&options, &self->store, &error), &error);
}

static void begin(side *self, const script *trace, const char *path) {
  seen_error error = SEEN_ERROR_INIT;
  seen_engine *engine;

  *self = (side){.path = path};
  self->options = trace->lines[0]->u.me;
  self->at = trace->lines[0]->at;
  open_store(self);
  must(seen_engine_new(&self->options, self->at, &engine, &error), &error);
  must(seen_mirror_attach(&self->options, engine, self->store, &self->mirror,
                          &error),
       &error);
}

static void end(side *self) {
  seen_mirror_free(self->mirror);
  self->store->close(self->store);
  test_dump_free(&self->sent);
}

static void feed(side *self, const seen_input *input) {
  seen_engine *engine = seen_mirror_engine(self->mirror);
  seen_effect effect = {.size = sizeof effect};
  seen_error error = SEEN_ERROR_INIT;

  must(seen_engine_feed(engine, input, self->at, &error), &error);
  while (seen_mirror_next(self->mirror, &effect))
    if (effect.type < SEEN_EFFECT_STORE)
      test_dump_effect(&self->sent, engine, &effect);
  must(seen_mirror_commit(self->mirror, self->at, &error), &error);
}

static void run_until(side *self, uint64_t at) {
  const seen_input tick = {.size = sizeof tick, .type = SEEN_INPUT_TICK};
  uint64_t due;

  while ((due = seen_engine_deadline(seen_mirror_engine(self->mirror))) <= at) {
    if (due > self->at) self->at = due;
    feed(self, &tick);
  }
  self->at = at;
}

/* The process is killed and starts again. */
static void restart(side *self) {
  seen_error error = SEEN_ERROR_INIT;
  size_t left_out;

  seen_mirror_free(self->mirror);
  if (self->path != NULL) {
    self->store->close(self->store);
    open_store(self);
  }
  must(seen_mirror_open(&self->options, self->store, self->at, &self->mirror,
                        &left_out, &error),
       &error);
  assert_int_equal(left_out, 0);
}

static void play(side *self, const seen_trace_line *line) {
  test_dump_clear(&self->sent);
  run_until(self, line->has_at ? line->at : self->at);
  if (line->type == SEEN_TRACE_INPUT)
    feed(self, &line->u.input);
  else if (line->type == SEEN_TRACE_RESTART)
    restart(self);
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A mark's random number, behind `before`, is left out. */
static void blot(char *text, const char *before) {
  while ((text = strstr(text, before)) != NULL) {
    text += strlen(before);
    memmove(text, text + strspn(text, "0123456789abcdef"),
            strlen(text + strspn(text, "0123456789abcdef")) + 1);
  }
}

/* Handles follow the order in which a store hands out what it holds, and of
 * marks that leave together the one with the lower handle draws first. */
static void say_all(side *self, test_dump *out) {
  seen_engine *engine = seen_mirror_engine(self->mirror);
  seen_state row = {.size = sizeof row};
  const char *ids[256];
  size_t count = 0;
  seen_totals totals;

  while (count < 256 &&
         (ids[count] = seen_engine_id(engine, (seen_conv)count + 1)) != NULL)
    count++;
  qsort(ids, count, sizeof *ids, by_text);
  for (size_t i = 0; i < count; i++)
    test_dump_conv(out, engine, seen_engine_find(engine, ids[i]));
  for (size_t i = 0; seen_engine_page(engine, i, 1, &row) == 1; i++)
    test_dump_say(out, "\n%s", row.id);
  seen_engine_totals(engine, &totals);
  test_dump_say(
      out, "\n%llu %llu %llu %llu, %llu\n%s", (unsigned long long)totals.unread,
      (unsigned long long)totals.conversations,
      (unsigned long long)totals.muted, (unsigned long long)totals.mentions,
      (unsigned long long)seen_engine_deadline(engine),
      self->sent.text != NULL ? self->sent.text : "");
  blot(out->text, "\"op\":\"");
  blot(out->text, " op ");
}

static void compare(const char *name, size_t cut, size_t line, side *memory,
                    side *file) {
  test_dump texts[2] = {{0}, {0}};

  say_all(memory, &texts[0]);
  say_all(file, &texts[1]);
  if (strcmp(texts[0].text, texts[1].text) != 0) {
    printf("memory %s\nfile %s\n", texts[0].text, texts[1].text);
    fail_msg("%s, with a restart behind line %zu, differs behind line %zu",
             name, cut, line);
  }
  test_dump_free(&texts[0]);
  test_dump_free(&texts[1]);
}

static void play_both(side *memory, side *file, const char *name, size_t cut,
                      size_t at, const seen_trace_line *line) {
  play(memory, line);
  play(file, line);
  compare(name, cut, at, memory, file);
}

/* What is inserted. */
static const seen_trace_line dies = {.type = SEEN_TRACE_RESTART};
static const seen_trace_line link_up = {
    .type = SEEN_TRACE_INPUT,
    .u.input = {
        .size = sizeof link_up.u.input, .type = SEEN_INPUT_LINK, .u.on = true}};

static void play_with_a_restart(const script *trace, const char *name,
                                size_t cut) {
  static const char *const parts[] = {"", "-wal", "-shm", "-lock"};
  char path[300];
  side memory;
  side file;

  snprintf(path, sizeof path, "%s/db", folder.path);
  begin(&memory, trace, NULL);
  begin(&file, trace, path);
  for (size_t i = 1; i < trace->count; i++) {
    play_both(&memory, &file, name, cut, i, trace->lines[i]);
    if (i != cut) continue;
    play_both(&memory, &file, name, cut, i, &dies);
    play_both(&memory, &file, name, cut, i, &link_up);
    restarts++;
  }
  end(&memory);
  end(&file);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char part[310];
    snprintf(part, sizeof part, "%s%s", path, parts[i]);
    remove(part);
  }
}

static void play_trace(const script *trace, const char *name) {
  for (size_t cut = 1; cut < trace->count; cut++)
    play_with_a_restart(trace, name, cut);
}

static void play_folder(const char *of) {
  size_t played;

  restarts = 0;
  test_folder_make(&folder);
  played = script_each(of, play_trace);
  test_folder_remove(&folder);
  printf("# %s: %zu traces, %zu restarts\n", of, played, restarts);
  assert_true(restarts > played);
}

static void test_store__each_rule(void **s) {
  (void)s;
  play_folder("rules");
}

static void test_store__each_case(void **s) {
  (void)s;
  play_folder("cases");
}

/* Writes a conversation with a number that is not what it counts to. */
static void write_wrong_numbers(const char *path) {
  seen_record record = {.size = sizeof record,
                        .id = "g",
                        .kind = SEEN_KIND_GROUP,
                        .last_seq = 9,
                        .tally_last = 9,
                        .join_seq = 1,
                        .flags = SEEN_RECORD_COUNTED};
  const seen_row row = {.size = sizeof row,
                        .unread = 8,
                        .badge = SEEN_BADGE_NUMBER,
                        .exact = true,
                        .listed = true};
  const seen_meta meta = {
      .size = sizeof meta, .user = "u1", .device = "", .incarnation = ""};
  const seen_totals totals = {8, 1, 0, 0};
  side wrong = {.path = path};
  seen_store *store;

  open_store(&wrong);
  store = wrong.store;
  assert_int_equal(store->begin(store, false, NULL), SEEN_OK);
  assert_int_equal(store->put(store, &record, &row, NULL), SEEN_OK);
  assert_int_equal(store->put_totals(store, &totals, 1, NULL), SEEN_OK);
  assert_int_equal(store->put_meta(store, &meta, NULL), SEEN_OK);
  assert_int_equal(store->commit(store, NULL), SEEN_OK);
  store->close(store);
}

static void test_check__says_what_would_be_corrected(void **s) {
  char command[1000];
  char said[1000];
  char want[1000];
  size_t size;
  FILE *from;
  (void)s;
  test_folder_make(&folder);
  snprintf(command, sizeof command, "%s/db", folder.path);
  write_wrong_numbers(command);
  snprintf(want, sizeof want,
           "%s: g unread is 8, recounted 9\n"
           "%s: totals unread is 8, recounted 9\n",
           command, command);
  snprintf(command, sizeof command, "%s --db %s/db --check", SEEN_REPLAY,
           folder.path);
  from = popen(command, "r");
  assert_non_null(from);
  size = fread(said, 1, sizeof said - 1, from);
  said[size] = '\0';
  assert_int_equal(pclose(from) >> 8, 1);
  assert_string_equal(said, want);
  test_folder_remove(&folder);
}

static int take(const char *line, size_t length, void *user_data) {
  (void)length;
  test_dump_say(user_data, "%s\n", line);
  return SEEN_OK;
}

/* What a recorder wrote is played and explained by the program. */
static void test_recording__is_run_as_a_trace(void **s) {
  static const char row[] =
      "{\"conversation\":{\"id\":\"g\",\"kind\":\"group\",\"read\":{\"epoch\":"
      "0,\"seq\":4},\"last_seq\":9}}";
  seen_recorder_options recording;
  seen_options options;
  seen_recorder *recorder;
  seen_engine *engine;
  test_dump dump = {0};
  script line = {0};
  char command[1000];
  char said[1000];
  FILE *from;
  (void)s;
  test_folder_make(&folder);
  snprintf(said, sizeof said, "%s/flight", folder.path);
  seen_recorder_options_init(&recording);
  recording.path = said;
  seen_options_init(&options);
  options.user = "u1";
  script_add(&line, row, strlen(row));
  assert_int_equal(seen_engine_new(&options, 0, &engine, NULL), SEEN_OK);
  assert_int_equal(
      seen_recorder_new(&recording, &options, engine, NULL, &recorder, NULL),
      SEEN_OK);
  assert_int_equal(seen_engine_feed(engine, &line.lines[0]->u.input, 5, NULL),
                   SEEN_OK);
  assert_int_equal(
      seen_recorder_note(recorder, &line.lines[0]->u.input, 5, NULL), SEEN_OK);
  assert_int_equal(
      seen_recorder_dump(recorder, SEEN_NAMES_REAL, take, &dump, NULL),
      SEEN_OK);
  snprintf(command, sizeof command,
           "%s --recording %s/flight --dump - --explain g", SEEN_REPLAY,
           folder.path);
  from = popen(command, "r");
  assert_non_null(from);
  said[fread(said, 1, sizeof said - 1, from)] = '\0';
  assert_int_equal(pclose(from), 0);
  assert_non_null(strstr(said, "unread 5 = last_seq 9 - base 4"));
  assert_non_null(strstr(said, dump.text));
  seen_recorder_free(recorder);
  seen_engine_free(engine);
  script_free(&line);
  test_dump_free(&dump);
  test_folder_remove(&folder);
}

/* In memory, where there is such a folder: how safe a disk is is not asked. */
static int set_up(void **s) {
  struct stat shared;

  (void)s;
  if (stat("/dev/shm", &shared) == 0) setenv("TMPDIR", "/dev/shm", 0);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_store__each_rule),
      cmocka_unit_test(test_store__each_case),
      cmocka_unit_test(test_check__says_what_would_be_corrected),
      cmocka_unit_test(test_recording__is_run_as_a_trace),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
