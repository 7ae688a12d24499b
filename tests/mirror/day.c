#define _XOPEN_SOURCE 700

#include "mirror/day.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <unistd.h>

#include <cmocka.h>

enum { CONVS = 6, PEOPLE = 40, ROUND = 11, SETTLING = 5, LATER = 60000 };

static const char *const CONV_IDS[CONVS] = {"a", "b", "c", "d", "e", "f"};

static struct {
  day_step steps[DAY_STEPS];
  size_t count;
  uint64_t now;
  uint64_t version;
  uint64_t last[CONVS];
  seen_member members[PEOPLE];
  char names[PEOPLE][8];
  seen_run runs[DAY_STEPS];
  seen_mention mentions[DAY_STEPS];
} made;

static seen_input *add(seen_input_type type, size_t conv, uint64_t after) {
  day_step *step = &made.steps[made.count++];
  made.now += after;
  step->at = made.now;
  step->input.size = sizeof step->input;
  step->input.type = type;
  if (SEEN_INPUT_HAS_CONV(type)) step->input.id = CONV_IDS[conv];
  step->durable = type == SEEN_INPUT_CLOSE;
  return &step->input;
}

static void add_on(seen_input_type type, bool on) {
  add(type, 0, 90)->u.on = on;
  made.steps[made.count - 1].durable = type == SEEN_INPUT_APP && !on;
}

static seen_word word_of(size_t conv, uint64_t read) {
  seen_run *run = &made.runs[made.count];
  seen_mention *mention = &made.mentions[made.count];
  seen_word word = {.read = {0, read, read},
                    .last_seq = made.last[conv],
                    .version = ++made.version,
                    .uncountable = run,
                    .uncountable_count = 1,
                    .mentions = mention,
                    .mention_count = 1};
  *run = (seen_run){made.last[conv] - 1, made.last[conv] - 1};
  *mention = (seen_mention){made.last[conv], SEEN_MENTION_ME};
  return word;
}

static void add_row(size_t conv, size_t people) {
  static const seen_kind kinds[] = {SEEN_KIND_DIRECT, SEEN_KIND_GROUP,
                                    SEEN_KIND_LARGE};
  seen_word word = word_of(conv, made.last[conv] - 4);
  seen_snapshot *said = &add(SEEN_INPUT_CONVERSATION, conv, 10)->u.snapshot;
  said->kind = kinds[conv % 3];
  said->word = word;
  said->fields = SEEN_SNAPSHOT_MUTED | SEEN_SNAPSHOT_UPDATED_AT;
  said->muted = conv == 4;
  said->updated_at = made.now;
  if (people) {
    said->fields |= SEEN_SNAPSHOT_ROSTER;
    said->roster = made.members;
    said->roster_count = people;
  }
  made.steps[made.count - 1].version = made.version;
}

static void add_message(size_t conv) {
  seen_message *said = &add(SEEN_INPUT_MESSAGE, conv, 70)->u.message;
  *said = (seen_message){.seq = ++made.last[conv],
                         .from = made.names[made.count % 7],
                         .kind = SEEN_MESSAGE_TEXT,
                         .sent_at = 1000 + made.now};
  if (said->seq % 4 == 0) said->mention = SEEN_MENTION_ALL;
}

static void add_word(size_t conv) {
  seen_word word = word_of(conv, made.last[conv] - 3);
  add(SEEN_INPUT_POSITION, conv, 60)->u.word = word;
  made.steps[made.count - 1].version = made.version;
}

/* What comes up once a day. */
static void add_rare(size_t round) {
  switch (round) {
  case 0: add_on(SEEN_INPUT_LINK, false); break;
  case 1: add_on(SEEN_INPUT_LINK, true); break;
  case 2: add(SEEN_INPUT_MARK_UNREAD, 1, 80); break;
  case 3: add(SEEN_INPUT_FORGET, 5, 80); break;
  case 4: add_on(SEEN_INPUT_APP, false); break;
  default: add_on(SEEN_INPUT_APP, true); break;
  }
}

static void add_usual(size_t number) {
  size_t round = number / ROUND, conv = (number + round) % CONVS;
  size_t open = round % CONVS;
  switch (number % ROUND) {
  case 1: add(SEEN_INPUT_OPEN, open, 40); break;
  case 2:
    add(SEEN_INPUT_VISIBLE, open, 20)->u.range =
        (seen_run){made.last[open] - 2, made.last[open]};
    break;
  case 5: add(SEEN_INPUT_MARK_READ, conv, 120); break;
  case 7: add(SEEN_INPUT_CLOSE, open, 30); break;
  case 8: add_word(conv); break;
  case 9: add_rare(round); break;
  default: add_message(conv); break;
  }
}

const day_step *day_steps(void) {
  if (made.count) return made.steps;
  for (size_t i = 0; i < PEOPLE; i++) {
    snprintf(made.names[i], sizeof made.names[i], "u%zu", i + 2);
    made.members[i] = (seen_member){
        .user = made.names[i], .join_seq = 1, .read_seq = 1 + i % 5};
  }
  for (size_t i = 0; i < CONVS; i++) {
    made.last[i] = 9;
    add_row(i, i == 1 ? PEOPLE : 0);
  }
  while (made.count < DAY_STEPS - 2)
    add_usual(made.count - CONVS);
  add_row(1, 3); /* its long list becomes a short one */
  add(SEEN_INPUT_MARK_READ, 0, 50);
  return made.steps;
}

static seen_options options_of(const day *self) {
  seen_options options;
  seen_options_init(&options);
  options.user = "u1";
  options.device = "d1";
  options.allocator = &self->files->memory.allocator;
  return options;
}

int day_open(day *self, test_store *files, uint64_t now, seen_error *error) {
  seen_options options;
  int status;
  *self = (day){.files = files, .now = now};
  options = options_of(self);
  status = store_try(files, error);
  if (!status)
    status = seen_mirror_open(&options, files->store, now, &self->mirror,
                              &self->left_out, error);
  if (status) day_close(self);
  return status;
}

void day_close(day *self) {
  seen_mirror_free(self->mirror);
  self->mirror = NULL;
  store_close(self->files);
}

void day_clear(const test_store *files) {
  DIR *list = opendir(files->folder.path);
  struct dirent *entry;
  assert_non_null(list);
  while ((entry = readdir(list)))
    if (entry->d_name[0] != '.')
      unlink(test_folder_file(&files->folder, entry->d_name));
  closedir(list);
}

static int commit(day *self, seen_error *error) {
  seen_effect effect = {.size = sizeof effect};
  while (seen_mirror_next(self->mirror, &effect))
    assert_int_not_equal(effect.type, SEEN_EFFECT_DRIFT);
  return seen_mirror_commit(self->mirror, self->now, error);
}

int day_live(day *self, const day_step *step, seen_error *error) {
  seen_error refused = SEEN_ERROR_INIT;
  self->now = step->at > self->now ? step->at : self->now;
  if (seen_engine_feed(seen_mirror_engine(self->mirror), &step->input,
                       self->now, &refused))
    fail_msg("the input is refused: %s", refused.message);
  if (step->version)
    assert_int_equal(
        seen_mirror_set_server(self->mirror, "one", step->version, NULL), 0);
  return commit(self, error);
}

void day_settle(day *self) {
  seen_input tick = {.size = sizeof tick};
  seen_error error = SEEN_ERROR_INIT;
  int status = SEEN_OK;
  for (size_t i = 0; i < SETTLING; i++) {
    self->now += LATER;
    assert_int_equal(seen_engine_feed(seen_mirror_engine(self->mirror), &tick,
                                      self->now, NULL),
                     SEEN_OK);
    status = commit(self, &error);
    if (status) continue;
    assert_int_equal(seen_mirror_unwritten(self->mirror), 0);
    assert_true(seen_mirror_deadline(self->mirror) == SEEN_NEVER);
    return;
  }
  fail_msg("it can't be written: %s: %s", seen_error_name(status),
           error.message);
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

char *day_line(seen_engine *engine, seen_conv conv) {
  seen_record record = {.size = sizeof record};
  seen_state state = {.size = sizeof state};
  test_dump dump = {0};
  bool listed = seen_engine_state(engine, conv, &state) == SEEN_OK;
  int status = seen_engine_record(engine, conv, &record);
  if (status == SEEN_ENOTFOUND) return NULL;
  assert_int_equal(status, SEEN_OK);
  test_record_text(&dump, &record);
  test_dump_say(&dump, "  shows %llu @%llu %d%d%d%d%d",
                (unsigned long long)state.unread,
                (unsigned long long)state.mentions, (int)state.badge,
                state.exact, state.muted, state.marked_unread, listed);
  return dump.text;
}

test_dump day_text(char **lines, size_t count) {
  test_dump text = {0};
  test_dump_clear(&text);
  qsort(lines, count, sizeof *lines, by_text);
  for (size_t i = 0; i < count; i++) {
    test_dump_say(&text, "%s\n", lines[i]);
    free(lines[i]);
  }
  return text;
}

test_loaded day_engine(day *self) {
  seen_engine *engine = seen_mirror_engine(self->mirror);
  test_loaded loaded = {0};
  char *lines[64] = {NULL};
  for (seen_conv conv = 1; seen_engine_id(engine, conv); conv++) {
    assert_in_range(loaded.count, 0, 63);
    lines[loaded.count] = day_line(engine, conv);
    loaded.count += lines[loaded.count] != NULL;
  }
  loaded.text = day_text(lines, loaded.count);
  return loaded;
}

static void check_sums(day *self, size_t records) {
  seen_store *store = self->files->store;
  seen_totals stored, totals;
  uint64_t count;
  seen_error error = SEEN_ERROR_INIT;
  if (store->totals(store, &stored, &count, &error))
    fail_msg("%s", error.message);
  seen_engine_totals(seen_mirror_engine(self->mirror), &totals);
  assert_memory_equal(&stored, &totals, sizeof totals);
  assert_int_equal(count, records);
}

void day_check(day *self) {
  test_loaded engine = day_engine(self),
              stored = store_load(self->files->store);
  assert_int_equal(stored.status, SEEN_OK);
  assert_string_equal(stored.text.text, engine.text.text);
  check_sums(self, engine.count);
  store_loaded_free(&engine);
  store_loaded_free(&stored);
}
