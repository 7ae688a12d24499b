#include "mirror/life.h"

#include "mirror/day.h"
#include "naive/truth.h"

#include <seen/sys/trace.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants some of those. */
#include <cmocka.h>

static void make_engine(life *self) {
  assert_int_equal(seen_engine_new(naive_world_options(self->world), self->now,
                                   &self->engine, NULL),
                   SEEN_OK);
}

void life_begin(life *self, uint64_t seed, naive_mood mood) {
  memset(self, 0, sizeof *self);
  self->world = naive_world_new(seed, mood);
  self->model = naive_new(naive_world_options(self->world), 0);
  make_engine(self);
}

void life_end(life *self) {
  for (size_t i = 0; i < LIFE_CONVS; i++)
    free(self->records[i]);
  seen_engine_free(self->engine);
  naive_free(self->model);
  naive_world_free(self->world);
}

static void write_records(life *self) {
  seen_effect effect = {.size = sizeof effect};
  while (seen_engine_next(self->engine, &effect)) {
    if (effect.type != SEEN_EFFECT_STORE && effect.type != SEEN_EFFECT_DELETE)
      continue;
    assert_in_range(effect.conv, 1, LIFE_CONVS - 1);
    free(self->records[effect.conv]);
    self->records[effect.conv] = day_line(self->engine, effect.conv);
    naive_write(self->model, seen_engine_id(self->engine, effect.conv));
  }
}

uint64_t life_unwritten(const life *self) {
  uint64_t since = SEEN_NEVER;
  for (size_t i = 0; i < self->world->truth_count; i++) {
    uint64_t one = naive_unwritten(self->model, self->world->truths[i].id);
    if (one < since) since = one;
  }
  return since;
}

static void check_at_once(const life *self, const seen_input *input) {
  switch (input->type) {
  case SEEN_INPUT_MARK_READ:
  case SEEN_INPUT_MARK_UNREAD:
  case SEEN_INPUT_CLEAR_MENTIONS:
  case SEEN_INPUT_CLOSE:
    assert_true(naive_unwritten(self->model, input->id) == SEEN_NEVER);
    break;
  case SEEN_INPUT_APP:
    assert_true(input->u.on || life_unwritten(self) == SEEN_NEVER);
    break;
  default: break;
  }
}

static void restore(life *self, const char *record) {
  seen_trace_line *line;
  size_t length = strcspn(record, "\n");
  assert_int_equal(seen_trace_parse(record, length, NULL, &line, NULL), 0);
  assert_int_equal(seen_engine_restore(self->engine, &line->u.record, NULL), 0);
  seen_trace_line_free(line);
}

static int by_id(const void *a, const void *b) {
  const char *x = *(char *const *)a, *y = *(char *const *)b;
  return x && y ? strcmp(x, y) : (y != NULL) - (x != NULL);
}

/* Handles are given anew, in the order of the ids as a store has it: what is
 * random, as the op of a mark, is drawn by them. */
static void make_engine_again(life *self) {
  seen_input link = {.size = sizeof link, .type = SEEN_INPUT_LINK};
  seen_engine_free(self->engine);
  make_engine(self);
  qsort(self->records, LIFE_CONVS, sizeof *self->records, by_id);
  memmove(self->records + 1, self->records,
          (LIFE_CONVS - 1) * sizeof *self->records);
  self->records[0] = NULL;
  for (size_t i = 1; self->records[i]; i++)
    restore(self, self->records[i]);
  assert_int_equal(seen_engine_feed(self->engine, &link, self->now, NULL), 0);
}

/* An engine that is moved to another one is no matter of a store. Before a
 * restart, what is due by then happens. */
static naive_step next_step(life *self) {
  naive_step step;
  do
    step = naive_world_next(self->world, self->model);
  while (step.deed == NAIVE_MOVE);
  if (step.deed == NAIVE_RESTART) step.input = (seen_input){.size = 0};
  step.input.size = sizeof step.input;
  return step;
}

naive_step life_take(life *self) {
  naive_step step = next_step(self);
  self->now = step.at;
  naive_outputs_clear(self->model);
  naive_feed(self->model, &step.input, step.at);
  assert_int_equal(seen_engine_feed(self->engine, &step.input, step.at, NULL),
                   SEEN_OK);
  write_records(self);
  check_at_once(self, &step.input);
  naive_world_hear(self->world, self->model);
  if (step.deed == NAIVE_RESTART) {
    naive_restart(self->model, step.at);
    make_engine_again(self);
  }
  return step;
}

/* What was to reach the device at this moment does not. */
void life_restart(life *self) {
  naive_world *world = self->world;
  world->queue_first = world->queue_count;
  world->link_number++;
  world->open = NULL;
  world->link = false;
  naive_restart(self->model, self->now);
  make_engine_again(self);
  world_toggle_link(world);
}

char *life_records(const life *self) {
  char *lines[LIFE_CONVS];
  size_t count = 0;
  for (size_t i = 0; i < LIFE_CONVS; i++) {
    if (!self->records[i]) continue;
    lines[count] = malloc(strlen(self->records[i]) + 1);
    assert_non_null(lines[count]);
    strcpy(lines[count++], self->records[i]);
  }
  return day_text(lines, count).text;
}

static void check_row(const life *self, seen_engine *engine, const char *id) {
  seen_state got = {.size = sizeof got}, wanted = {.size = sizeof wanted};
  bool there = naive_state(self->model, id, &wanted);
  int status = seen_engine_state(engine, seen_engine_find(engine, id), &got);
  assert_int_equal(status, there ? SEEN_OK : SEEN_ENOTFOUND);
  if (!there) return;
  assert_int_equal(got.unread, wanted.unread);
  assert_int_equal(got.exact, wanted.exact);
  assert_int_equal(got.mentions, wanted.mentions);
  assert_int_equal(got.read_seq, wanted.read_seq);
  assert_int_equal(got.last_seq, wanted.last_seq);
  assert_int_equal(got.pending, wanted.pending);
  assert_int_equal(got.marked_unread, wanted.marked_unread);
  assert_int_equal(got.muted, wanted.muted);
  assert_int_equal(got.pinned, wanted.pinned);
  assert_memory_equal(&got.server_read, &wanted.server_read,
                      sizeof got.server_read);
}

void life_check(const life *self, seen_engine *engine) {
  seen_totals got, wanted;
  for (size_t i = 0; i < self->world->truth_count; i++)
    check_row(self, engine, self->world->truths[i].id);
  seen_engine_totals(engine, &got);
  naive_totals(self->model, &wanted);
  assert_memory_equal(&got, &wanted, sizeof got);
}
