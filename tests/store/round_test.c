/*
 * Every record that any trace brings about is written to a store and loaded
 * again, at each point where the engine asks for it.
 */
#define _POSIX_C_SOURCE 200809L

#include <seen/sys/engine.h>
#include <seen/sys/trace.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>

#include "support/random.h"
#include "support/store.h"

enum { CONVERSATIONS = 256 };

/* A trace being played, and what the store has to hold. */
typedef struct play {
  const char *path;
  test_store *t;
  seen_options options;
  seen_engine *engine;
  char *wanted[CONVERSATIONS]; /* by handle; NULL: nothing */
  uint64_t written;
} play;

static seen_row row_of(const seen_engine *engine, seen_conv conv) {
  seen_state state = {.size = sizeof state};
  seen_row row = {.size = sizeof row};
  if (seen_engine_state(engine, conv, &state)) return row;
  row = (seen_row){sizeof row,  state.unread, state.mentions,      state.badge,
                   state.exact, state.muted,  state.marked_unread, true};
  return row;
}

static void write_effect(play *self, const seen_effect *effect) {
  seen_store *store = self->t->store;
  seen_record record = {.size = sizeof record};
  seen_row row = row_of(self->engine, effect->conv);
  test_dump dump = {0};
  assert_in_range(effect->conv, 1, CONVERSATIONS - 1);
  free(self->wanted[effect->conv]);
  self->wanted[effect->conv] = NULL;
  if (effect->type == SEEN_EFFECT_DELETE) {
    const char *id = seen_engine_id(self->engine, effect->conv);
    assert_int_equal(store->remove(store, id, NULL), SEEN_OK);
    return;
  }
  assert_int_equal(seen_engine_record(self->engine, effect->conv, &record), 0);
  assert_int_equal(store->put(store, &record, &row, NULL), SEEN_OK);
  test_record_text(&dump, &record);
  test_dump_say(&dump, "  shows %d %llu", row.listed,
                (unsigned long long)row.unread);
  self->wanted[effect->conv] = dump.text;
  self->written++;
}

typedef struct looking {
  play *play;
  size_t found;
} looking;

static int look(const seen_record *record, const seen_row *row,
                void *user_data) {
  looking *at = user_data;
  seen_conv conv = seen_engine_find(at->play->engine, record->id);
  test_dump dump = {0};
  assert_in_range(conv, 1, CONVERSATIONS - 1);
  test_record_text(&dump, record);
  test_dump_say(&dump, "  shows %d %llu", row->listed,
                (unsigned long long)row->unread);
  if (!at->play->wanted[conv] || strcmp(dump.text, at->play->wanted[conv]) != 0)
    fail_msg("%s: loaded\n%s\nand not\n%s", at->play->path, dump.text,
             at->play->wanted[conv] ? at->play->wanted[conv] : "nothing");
  test_dump_free(&dump);
  at->found++;
  return SEEN_OK;
}

static size_t wanted_count(const play *self) {
  size_t count = 0;
  for (size_t i = 0; i < CONVERSATIONS; i++)
    count += self->wanted[i] != NULL;
  return count;
}

static void check(play *self) {
  looking at = {self, 0};
  seen_error error = SEEN_ERROR_INIT;
  if (self->t->store->load(self->t->store, look, &at, &error))
    fail_msg("%s: %s", self->path, error.message);
  assert_int_equal(at.found, wanted_count(self));
}

static void pull(play *self) {
  seen_store *store = self->t->store;
  seen_effect effect;
  seen_totals totals;
  uint64_t before = self->written;
  assert_int_equal(store->begin(store, false, NULL), SEEN_OK);
  while (seen_engine_next(self->engine, &effect))
    if (effect.type == SEEN_EFFECT_STORE || effect.type == SEEN_EFFECT_DELETE)
      write_effect(self, &effect);
  seen_engine_totals(self->engine, &totals);
  assert_int_equal(store->put_totals(store, &totals, wanted_count(self), NULL),
                   SEEN_OK);
  assert_int_equal(store->commit(store, NULL), SEEN_OK);
  if (self->written != before) check(self);
}

static void feed(play *self, const seen_input *input, uint64_t now) {
  seen_error error = SEEN_ERROR_INIT;
  if (seen_engine_feed(self->engine, input, now, &error))
    fail_msg("%s: %s", self->path, error.message);
  pull(self);
}

static int restore(const seen_record *record, const seen_row *row,
                   void *user_data) {
  (void)row;
  return seen_engine_restore(user_data, record, NULL);
}

/* The store goes on; the engine is another. */
static void restart(play *self, uint64_t now) {
  seen_engine *old = self->engine;
  char *wanted[CONVERSATIONS] = {NULL};
  assert_int_equal(seen_engine_new(&self->options, now, &self->engine, NULL),
                   0);
  assert_int_equal(
      self->t->store->load(self->t->store, restore, self->engine, NULL),
      SEEN_OK);
  for (seen_conv conv = 1; conv < CONVERSATIONS; conv++) {
    const char *id = seen_engine_id(old, conv);
    if (id && self->wanted[conv])
      wanted[seen_engine_find(self->engine, id)] = self->wanted[conv];
  }
  memcpy(self->wanted, wanted, sizeof wanted);
  seen_engine_free(old);
}

static void play_line(play *self, const seen_trace_line *line, uint64_t *now) {
  seen_input tick = {.size = sizeof tick};
  if (line->has_at) *now = line->at;
  if (line->type == SEEN_TRACE_ME) {
    self->options = line->u.me;
    assert_int_equal(seen_engine_new(&self->options, *now, &self->engine, NULL),
                     0);
  }
  if (!self->engine) return;
  switch (line->type) {
  case SEEN_TRACE_RECORD:
    assert_int_equal(seen_engine_restore(self->engine, &line->u.record, NULL),
                     SEEN_OK);
    break;
  case SEEN_TRACE_INPUT: feed(self, &line->u.input, *now); break;
  case SEEN_TRACE_RESTART:
    feed(self, &tick, *now);
    restart(self, *now);
    break;
  default: break;
  }
}

/* The store is as it was before the trace. */
static void forget_all(const play *self) {
  seen_store *store = self->t->store;
  const seen_totals totals = {0};
  assert_int_equal(store->begin(store, false, NULL), SEEN_OK);
  for (seen_conv conv = 1; conv < CONVERSATIONS; conv++) {
    const char *id = seen_engine_id(self->engine, conv);
    if (id && self->wanted[conv])
      assert_int_equal(store->remove(store, id, NULL), SEEN_OK);
  }
  assert_int_equal(store->put_totals(store, &totals, 0, NULL), SEEN_OK);
  assert_int_equal(store->commit(store, NULL), SEEN_OK);
  assert_int_equal(store_count_of(store), 0);
}

static uint64_t play_trace(test_store *t, const char *path) {
  play self = {.path = path, .t = t};
  char *text = test_file_read(path, NULL), *at = text, *end;
  seen_trace_line *lines[2000];
  size_t count = 0;
  uint64_t now = 0;
  for (; *at; at = end + 1) {
    end = strchr(at, '\n');
    assert_non_null(end);
    assert_in_range(count, 0, 1999);
    assert_int_equal(
        seen_trace_parse(at, (size_t)(end - at), NULL, &lines[count++], NULL),
        SEEN_OK);
    play_line(&self, lines[count - 1], &now);
  }
  forget_all(&self);
  seen_engine_free(self.engine);
  for (size_t i = 0; i < count; i++)
    seen_trace_line_free(lines[i]);
  for (size_t i = 0; i < CONVERSATIONS; i++)
    free(self.wanted[i]);
  free(text);
  return self.written;
}

static void open_sqlite(test_store *t) {
  store_open(t);
}

static void open_memory(test_store *t) {
  assert_int_equal(
      seen_store_open_memory(&t->memory.allocator, &t->store, NULL), SEEN_OK);
}

/* Every trace of a folder, or every SEEN_SCALE-th. */
static uint64_t play_folder(const char *folder, void (*open)(test_store *)) {
  uint64_t written = 0, every = 1000 / test_scaled(1000), at = 0;
  test_store *t = store_start();
  struct dirent **names;
  char path[1024];
  int count;
  snprintf(path, sizeof path, "%s/tests/traces/%s", SEEN_ROOT, folder);
  count = scandir(path, &names, NULL, alphasort);
  assert_in_range(count, 3, 10000);
  open(t);
  for (int i = 0; i < count; i++) {
    const char *name = names[i]->d_name;
    snprintf(path, sizeof path, "%s/tests/traces/%s/%s", SEEN_ROOT, folder,
             name);
    if (strstr(name, ".jsonl") && at++ % every == 0)
      written += play_trace(t, path);
    free(names[i]);
  }
  free(names);
  store_end(t);
  printf("# %s: %llu records\n", folder, (unsigned long long)written);
  return written;
}

static void test_round__every_record_of_the_rules_in_sqlite(void **state) {
  (void)state;
  assert_in_range(play_folder("rules", open_sqlite), 1, UINT64_MAX);
}

static void test_round__every_record_of_the_cases_in_sqlite(void **state) {
  (void)state;
  assert_in_range(play_folder("cases", open_sqlite), 1, UINT64_MAX);
}

static void test_round__every_record_of_the_rules_in_memory(void **state) {
  (void)state;
  assert_in_range(play_folder("rules", open_memory), 1, UINT64_MAX);
}

static void test_round__every_record_of_the_cases_in_memory(void **state) {
  (void)state;
  assert_in_range(play_folder("cases", open_memory), 1, UINT64_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round__every_record_of_the_rules_in_sqlite),
      cmocka_unit_test(test_round__every_record_of_the_cases_in_sqlite),
      cmocka_unit_test(test_round__every_record_of_the_rules_in_memory),
      cmocka_unit_test(test_round__every_record_of_the_cases_in_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
