/*
 * A day on a mirror: a fixed list of inputs that have everything written that
 * there is to write, long lists too, and what plays them.
 */
#ifndef TESTS_MIRROR_DAY_H
#define TESTS_MIRROR_DAY_H

#include <seen/sys/mirror.h>

#include "support/store.h"

enum { DAY_STEPS = 72 };

typedef struct day_step {
  uint64_t at;
  seen_input input;
  bool durable;     /* it, and all before it, outlives a power failure */
  uint64_t version; /* that the server said with it; 0: none */
} day_step;

/* They, and what they point at, live as long as the process. */
const day_step *day_steps(void);

/* A mirror that lives through it. */
typedef struct day {
  test_store *files;
  seen_mirror *mirror; /* NULL: it could not be opened */
  size_t left_out;
  uint64_t now;
} day;

/* Opens store and mirror; returns what the first that fails says. */
int day_open(day *self, test_store *files, uint64_t now, seen_error *error);
void day_close(day *self);

/* Removes every file of the folder: nothing was there yet. */
void day_clear(const test_store *files);

/* Feeds, pulls, commits; returns what the commit says. */
int day_live(day *self, const day_step *step, seen_error *error);

/* Writes what is unwritten, however long it has to wait; asserts that it is
 * the end of it. */
void day_settle(day *self);

/* A conversation's record and row as store_load() has them; NULL: it has none.
 * The caller frees it. */
char *day_line(seen_engine *engine, seen_conv conv);

/* Sorts `count` lines, frees them, and returns them as one text. */
test_dump day_text(char **lines, size_t count);

/* The records of the engine as store_load() has those of a store. */
test_loaded day_engine(day *self);

/* The store holds what the engine does, with the sums over it. */
void day_check(day *self);

#endif
