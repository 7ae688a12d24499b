#include "reader.h"

#include "host.h"

#include <string.h>

/* From closing one conversation to opening the next. */
#define PAUSE_MS 500

/* The next place that is still visited, from `at` on; or there is none. */
static void go_on(reader *self) {
  while (self->at < self->count &&
         self->places[self->at].last_visit < self->visit)
    self->at++;
}

/* The next visit begins after this one ended. */
static void come_back(reader *self, uint64_t after) {
  uint64_t every = self->habit.every_ms;

  self->visit = (after / every + 1) * every;
  self->at = 0;
  go_on(self);
  self->due = self->at < self->count ? self->visit : SEEN_NEVER;
}

void reader_begin(reader *self, const reader_habit *habit, reader_place *places,
                  size_t count) {
  memset(self, 0, sizeof *self);
  self->habit = *habit;
  self->places = places;
  self->count = count;
  self->due = SEEN_NEVER;
  if (habit->rows > 0) come_back(self, 0);
}

/* The next rows: from the divider, or the newest where nothing is unread. */
static seen_run next_rows(const reader *self, const seen_state *state) {
  uint64_t rows = self->habit.rows;
  seen_run range = {0, 0};

  if (state->last_seq == 0) return range;
  if (self->to > 0)
    range.lo = self->to + 1;
  else if (state->first_unread > 0)
    range.lo = state->first_unread;
  else
    range.lo = state->last_seq > rows ? state->last_seq - rows + 1 : 1;
  range.hi =
      state->last_seq - range.lo < rows ? state->last_seq : range.lo + rows - 1;
  return range;
}

static seen_input scroll(reader *self, const char *conv,
                         const seen_state *state) {
  seen_input input = host_input(SEEN_INPUT_VISIBLE, conv);

  input.u.range = next_rows(self, state);
  self->to = input.u.range.hi;
  self->due += self->habit.step_ms;
  if (self->to == 0) self->step = READER_CLOSES; /* an empty conversation */
  return input;
}

static seen_input leave(reader *self, const char *conv) {
  self->step = READER_OPENS;
  self->at++;
  go_on(self);
  if (self->at < self->count)
    self->due += PAUSE_MS;
  else
    come_back(self, self->due);
  return host_input(SEEN_INPUT_CLOSE, conv);
}

seen_input reader_act(reader *self, const seen_engine *engine) {
  const char *conv = self->places[self->at].conv;
  seen_state state;

  if (self->step == READER_OPENS) {
    self->step = READER_SCROLLS;
    self->to = 0;
    return host_input(SEEN_INPUT_OPEN, conv);
  }
  state = host_state(engine, conv);
  if (self->step == READER_CLOSES ||
      (self->to > 0 && self->to >= state.last_seq))
    return leave(self, conv);
  return scroll(self, conv, &state);
}
