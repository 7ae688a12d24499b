/*
 * A random life of a device: the world and the model of tests/naive, and an
 * engine in memory whose records say what a store has to hold. A fork of it
 * lives the same life, so that one process can foretell another.
 */
#ifndef TESTS_MIRROR_LIFE_H
#define TESTS_MIRROR_LIFE_H

#include "naive/world.h"

enum { LIFE_CONVS = 160 };

typedef struct life {
  naive_world *world;
  naive *model;
  seen_engine *engine;
  uint64_t now;
  char *records[LIFE_CONVS]; /* by handle; NULL: nothing was written */
} life;

void life_begin(life *self, uint64_t seed, naive_mood mood);
void life_end(life *self);

/* Lives through what happens next, and says what it was. Asserts that what the
 * person did by name, a close and a background are written at once (S6). */
naive_step life_take(life *self);

/* The process dies and starts again. */
void life_restart(life *self);

/* What a store has to hold, as store_load() has it. The caller frees it. */
char *life_records(const life *self);

/* Asserts that an engine that was just restored shows what the model does. */
void life_check(const life *self, seen_engine *engine);

/* Since when something is not written; SEEN_NEVER: all is. */
uint64_t life_unwritten(const life *self);

#endif
