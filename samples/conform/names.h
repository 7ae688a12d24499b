/*
 * What stands for something else in a vector: `$ann` in any string is a name
 * that is fresh for each vector, a string `@v` is what was saved as v.
 */
#ifndef CONFORM_NAMES_H
#define CONFORM_NAMES_H

#include <cjson/cJSON.h>
#include <stdbool.h>

typedef struct names {
  unsigned long long run; /* random: two runs share no name */
  unsigned vector;
  cJSON *saved; /* an object: all that this vector saved */
} names;

/* Seeds a run; false: there is no randomness. */
bool names_open(names *self);
void names_close(names *self);

/* Begins a vector. */
void names_next(names *self);

/* A copy of `step` with everything in its place; NULL: no memory. */
cJSON *names_resolve(const names *self, const cJSON *step);

/* One text, to be freed. */
char *names_text(const names *self, const char *text);

void names_save(names *self, const char *name, const cJSON *value);

#endif
