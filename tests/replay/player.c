#include "replay/player.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <seen/sys/working.h>
#include <stdlib.h>
#include <string.h>

bool is_state(const seen_trace_line *line) {
  return line->type == SEEN_TRACE_RECORD || line->type == SEEN_TRACE_WORKING ||
         line->type == SEEN_TRACE_SESSION;
}

static void must(int status, const seen_error *error) {
  if (status != SEEN_OK)
    fail_msg("%s: %s", seen_error_name(status), error->message);
}

/* Keeps a record, or forgets what was kept where it is NULL. */
static void keep(player *self, seen_conv conv, const seen_record *record) {
  seen_trace_line line = {.size = sizeof line, .type = SEEN_TRACE_RECORD};
  script one = {0};

  if (conv >= self->kept_count) {
    self->kept = realloc(self->kept, (conv + 1) * sizeof *self->kept);
    assert_non_null(self->kept);
    memset(self->kept + self->kept_count, 0,
           (conv + 1 - self->kept_count) * sizeof *self->kept);
    self->kept_count = conv + 1;
  }
  seen_trace_line_free(self->kept[conv].line);
  self->kept[conv].line = NULL;
  if (record == NULL) return;
  line.u.record = *record;
  script_add_line(&one, &line);
  self->kept[conv].line = one.lines[0];
  free(one.lines);
}

static void pull(player *self) {
  seen_effect effect = {.size = sizeof effect};
  seen_record record = {.size = sizeof record};

  while (seen_engine_next(self->engine, &effect)) {
    if (effect.type == SEEN_EFFECT_DELETE) {
      keep(self, effect.conv, NULL);
    } else if (effect.type == SEEN_EFFECT_STORE) {
      assert_int_equal(seen_engine_record(self->engine, effect.conv, &record),
                       SEEN_OK);
      keep(self, effect.conv, &record);
    } else if (effect.type < SEEN_EFFECT_STORE) {
      test_dump_effect(&self->sent, self->engine, &effect);
    }
  }
}

static void feed(player *self, const seen_input *input, uint64_t at) {
  seen_error error = SEEN_ERROR_INIT;

  must(seen_engine_feed(self->engine, input, at, &error), &error);
  pull(self);
  if (self->recorder != NULL)
    must(seen_recorder_note(self->recorder, input, at, &error), &error);
}

static void run_until(player *self, uint64_t at) {
  const seen_input tick = {.size = sizeof tick, .type = SEEN_INPUT_TICK};
  uint64_t due;

  while ((due = seen_engine_deadline(self->engine)) <= at) {
    if (due > self->at) self->at = due;
    feed(self, &tick, self->at);
  }
  self->at = at;
}

static int load(seen_store *store, seen_store_take take, void *user_data,
                seen_error *error);

/* A store of which only load is ever called. */
typedef struct kept_store {
  seen_store store;
  const player *of;
} kept_store;

static int load(seen_store *store, seen_store_take take, void *user_data,
                seen_error *error) {
  const player *of = ((kept_store *)(void *)store)->of;
  int status = SEEN_OK;

  (void)error;
  for (size_t i = 0; i < of->kept_count && status == SEEN_OK; i++)
    if (of->kept[i].line != NULL)
      status = take(&of->kept[i].line->u.record, NULL, user_data);
  return status;
}

seen_recorder *player_record(player *self, size_t capacity) {
  kept_store store = {{.size = sizeof store, .load = load}, self};
  seen_error error = SEEN_ERROR_INIT;
  seen_recorder_options options;
  seen_recorder *made;

  seen_recorder_options_init(&options);
  options.capacity = capacity;
  must(seen_recorder_new(&options, &self->options, self->engine, &store.store,
                         &made, &error),
       &error);
  return made;
}

static void begin_engine(player *self) {
  seen_error error = SEEN_ERROR_INIT;

  must(seen_engine_new(&self->options, self->at, &self->engine, &error),
       &error);
}

static void end_engine(player *self) {
  seen_recorder_free(self->recorder);
  seen_engine_free(self->engine);
  self->recorder = NULL;
}

static void restart(player *self) {
  const seen_input down = {.size = sizeof down, .type = SEEN_INPUT_LINK};
  seen_error error = SEEN_ERROR_INIT;
  kept_record *old = self->kept;
  size_t count = self->kept_count;

  end_engine(self);
  begin_engine(self);
  self->kept = NULL;
  self->kept_count = 0;
  for (size_t i = 0; i < count; i++) {
    seen_record *record;

    if (old[i].line == NULL) continue;
    record = &old[i].line->u.record;
    must(seen_engine_restore(self->engine, record, &error), &error);
    keep(self, seen_engine_find(self->engine, record->id), record);
    seen_trace_line_free(old[i].line);
  }
  free(old);
  feed(self, &down, self->at);
}

static void take_state(player *self, const seen_trace_line *line) {
  const char *id =
      line->type == SEEN_TRACE_RECORD ? line->u.record.id : line->u.id;
  bool unwritten = line->working != NULL &&
                   (line->working->flags & SEEN_WORKING_UNWRITTEN) != 0;
  seen_error error = SEEN_ERROR_INIT;
  seen_conv conv;

  if (line->type == SEEN_TRACE_SESSION) {
    seen_session session = line->u.session;

    session.now = self->at;
    must(seen_engine_resume_session(self->engine, &session, &error), &error);
    return;
  }
  if (line->type == SEEN_TRACE_RECORD)
    must(seen_engine_restore(self->engine, &line->u.record, &error), &error);
  must(seen_engine_intern(self->engine, id, &conv, &error), &error);
  if (line->working != NULL)
    must(seen_engine_resume(self->engine, id, line->working, &error), &error);
  if (line->written != NULL)
    keep(self, conv, line->written);
  else if (line->type == SEEN_TRACE_RECORD && !unwritten)
    keep(self, conv, &line->u.record);
}

void player_begin(player *self, const script *trace, size_t capacity) {
  *self = (player){.capacity = capacity};
  assert_true(trace->count > 0);
  assert_int_equal(trace->lines[0]->type, SEEN_TRACE_ME);
  self->options = trace->lines[0]->u.me;
  self->at = trace->lines[0]->at;
  begin_engine(self);
}

void player_end(player *self) {
  end_engine(self);
  for (size_t i = 0; i < self->kept_count; i++)
    seen_trace_line_free(self->kept[i].line);
  free(self->kept);
  test_dump_free(&self->sent);
}

void player_play(player *self, const seen_trace_line *line) {
  uint64_t at = line->has_at ? line->at : self->at;

  test_dump_clear(&self->sent);
  if (is_state(line)) {
    take_state(self, line);
    return;
  }
  if (self->recorder == NULL && self->capacity > 0)
    self->recorder = player_record(self, self->capacity);
  run_until(self, at);
  if (line->type == SEEN_TRACE_INPUT)
    feed(self, &line->u.input, at);
  else if (line->type == SEEN_TRACE_RESTART)
    restart(self);
}

void player_check(const script *trace, seen_engine *engine) {
  test_dump states[2] = {{0}, {0}};
  player again;

  player_begin(&again, trace, 0);
  for (size_t i = 1; i < trace->count; i++)
    player_play(&again, trace->lines[i]);
  test_dump_engine(&states[0], engine);
  test_dump_engine(&states[1], again.engine);
  assert_string_equal(states[1].text, states[0].text);
  test_dump_free(&states[0]);
  test_dump_free(&states[1]);
  player_end(&again);
}
