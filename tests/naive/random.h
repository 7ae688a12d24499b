/* Random runs of engine and model side by side, for tests and soaks. */
#ifndef NAIVE_RANDOM_H
#define NAIVE_RANDOM_H

#include "naive/shrink.h"
#include "naive/world.h"

/*
 * Plays up to `count` steps of a world. Returns how many were played; where
 * `*why` is not empty afterwards, the last one showed that difference, and
 * the run was shrunk and printed.
 */
size_t naive_random_run(uint64_t seed, naive_mood mood, naive_fault fault,
                        size_t count, naive_run *run, char *why, size_t size);

/* Plays runs from a seed until `inputs` were fed, and fails at a difference. */
void naive_random_runs(uint64_t seed, naive_mood mood, uint64_t inputs);

#endif
