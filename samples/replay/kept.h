/*
 * What was written of an engine: a store in memory, or a database.
 */
#ifndef REPLAY_KEPT_H
#define REPLAY_KEPT_H

#include <seen/sys/engine.h>
#include <seen/sys/store.h>

typedef struct kept {
  const char *path;     /* of the database; NULL: in memory */
  seen_store *store;    /* NULL: closed */
  seen_engine *written; /* what a trace's states say of it; NULL: nothing */
} kept;

/* A database is made, where there is none. */
int kept_open(kept *self, const char *path, seen_error *error);

/* Says what was written, before the first input; then writes all of it. */
int kept_add(kept *self, const seen_options *options, const seen_record *record,
             seen_error *error);
int kept_write(kept *self, seen_error *error);

/* Lets go of a database without a goodbye and opens it again. */
int kept_reopen(kept *self, seen_error *error);

void kept_close(kept *self);

/* Whether there is a database; deletes one that kept_open() made. */
bool kept_is_there(const char *path);
void kept_remove(const char *path);

#endif
