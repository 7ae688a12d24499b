/*
 * A run of steps that can be played again, and made smaller while it still
 * shows a difference.
 */
#ifndef NAIVE_SHRINK_H
#define NAIVE_SHRINK_H

#include "naive/player.h"
#include "naive/world.h"

typedef struct naive_run {
  seen_options options;
  naive_fault fault;
  char kind[64]; /* of difference that counts as one; empty: any */
  naive_step *steps;
  size_t count;
  naive_world *world; /* owns what the steps point at; may be NULL */
} naive_run;

void naive_run_add(naive_run *run, const naive_step *step);
void naive_run_free(naive_run *run);

/* Whether engine and model differ; `why` may be NULL. */
bool naive_run_differs(const naive_run *run, char *why, size_t size);

/* Drops and simplifies steps of a run that differs. */
void naive_run_shrink(naive_run *run);

/* Prints it as a trace. */
void naive_run_print(const naive_run *run);

#endif
