/*
 * All states that a scene can reach, breadth first, so that the first fault
 * found is one with a shortest way to it.
 */
#ifndef TESTS_INTERLEAVINGS_SEARCH_H
#define TESTS_INTERLEAVINGS_SEARCH_H

#include "play.h"

typedef struct model_result {
  const char *broken; /* NULL: nothing is */
  size_t states;
  size_t steps;     /* transitions */
  size_t quiet;     /* states in which nothing is left to be done */
  unsigned depth;   /* the furthest state */
  unsigned healing; /* the longest way to quiet once the network is healed */
  unsigned length;  /* of the way to what is broken */
  size_t acts[MODEL_ACT_KINDS];
  size_t taken[MODEL_FRAME_KINDS];
} model_result;

/* Prints the way to what is broken, where something is. */
model_result model_search(const model_scene *scene);

#endif
