/*
 * A store in memory: each conversation's record as a `state` line of a trace.
 */
#ifndef REPLAY_STORE_H
#define REPLAY_STORE_H

#include <seen/sys/engine.h>

typedef struct store_row {
  char *id;
  char *text;
} store_row;

typedef struct store {
  store_row *rows;
  size_t count;
  size_t capacity;
} store;

int store_write(store *self, const seen_record *record, seen_error *error);
void store_delete(store *self, const char *id);

/* Gives a new engine everything back. */
int store_restore(const store *self, seen_engine *engine, seen_error *error);

void store_free(store *self);

#endif
