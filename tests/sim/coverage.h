/*
 * Which frames met which state of a connection. What is legal has to be
 * reached; what is not is tried in states_test.c.
 */
#ifndef TESTS_SIM_COVERAGE_H
#define TESTS_SIM_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/names.h"

typedef enum sim_state {
  SIM_STATE_FRESH,     /* open, hello not answered */
  SIM_STATE_PAGING,    /* rows of the welcome are not all there */
  SIM_STATE_SYNCED,    /* they are */
  SIM_STATE_SLOW,      /* what is sent is not taken now */
  SIM_STATE_RESYNCING, /* told so, and nothing is pushed */
  SIM_STATE_POLLED,    /* by requests */
  SIM_STATE_DRAINING,  /* the server is about to go */
  SIM_STATES
} sim_state;

enum { SIM_SAYS = SN_SAY_SETTINGS + 1, SIM_FRAMES = SN_FRAME_ERROR + 1 };

typedef struct sim_coverage {
  uint64_t up[SIM_SAYS][SIM_STATES];
  uint64_t down[SIM_FRAMES][SIM_STATES];
} sim_coverage;

void coverage_add(sim_coverage *sum, const sim_coverage *more);

/* Prints how often what was reached. */
void coverage_print(const sim_coverage *coverage);

/* Prints what is legal and was not reached; how many. */
unsigned coverage_missing(const sim_coverage *coverage);

#endif
