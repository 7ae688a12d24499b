/*
 * A simulated person: comes back every so often, opens each conversation,
 * scrolls from its divider to the end and closes it.
 */
#ifndef LOGCHAT_READER_H
#define LOGCHAT_READER_H

#include <seen/sys/engine.h>

typedef enum reader_step {
  READER_OPENS,
  READER_SCROLLS,
  READER_CLOSES
} reader_step;

/* How a person reads; `rows` 0: not at all. */
typedef struct reader_habit {
  uint64_t every_ms;
  uint64_t rows;    /* on screen, and in one step of scrolling */
  uint64_t step_ms; /* each step lasts this long */
} reader_habit;

typedef struct reader_place {
  const char *conv;
  uint64_t last_visit; /* none begins later */
} reader_place;

typedef struct reader {
  reader_habit habit;
  reader_place *places;
  size_t count;
  size_t at; /* the place that is or will be visited */
  reader_step step;
  uint64_t due; /* SEEN_NEVER: will not come back */
  uint64_t visit;
  uint64_t to; /* the last row on screen; 0: none yet */
} reader;

/* `places` stay the caller's. */
void reader_begin(reader *self, const reader_habit *habit, reader_place *places,
                  size_t count);

/* What is done at `due`, which then becomes the time of the next act. */
seen_input reader_act(reader *self, const seen_engine *engine);

#endif
