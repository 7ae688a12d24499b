/*
 * Two engines that are told the same. One has all the memory it asks for; of
 * the other each allocation fails once: the call then says SEEN_ENOMEM, and
 * the next try, with memory, ends as the first engine did.
 */
#ifndef TESTS_ALLOC_SWEEP_H
#define TESTS_ALLOC_SWEEP_H

#include "support/alloc.h"
#include "support/dump.h"

enum { SWEEP_RECORDS = 300 };

/* One engine, with what it sent and what was written of it. */
typedef struct sweep_side {
  test_alloc memory;
  seen_options options;
  seen_engine *engine;
  test_dump sent;
  test_dump records[SWEEP_RECORDS]; /* by handle; empty: none */
} sweep_side;

typedef struct sweep_pair {
  sweep_side calm;
  sweep_side swept;
  uint64_t failures; /* calls that were failed and told so */
  bool on;           /* fail all that follow as well */
  uint64_t fed;      /* inputs so far */
  const char *name;  /* what is played, for a person */
} sweep_pair;

void sweep_start(sweep_pair *sweep, const seen_options *options);
void sweep_feed(sweep_pair *sweep, const seen_input *input, uint64_t now);
void sweep_restart(sweep_pair *sweep, uint64_t now);
void sweep_restore(sweep_pair *sweep, const seen_record *record);

/* Frees both and asserts that nothing leaked. */
void sweep_end(sweep_pair *sweep);

#endif
