/*
 * Open mentions by brute force, at every step: all that nobody can have
 * cleared are listed, nothing else is, what went stays away, and an input of a
 * person clears what it clears and no more (M1 to M4).
 */
#ifndef TESTS_SIM_NAMINGS_H
#define TESTS_SIM_NAMINGS_H

#include "sim/sim.h"

/* How a conversation stood before an input of a person. */
typedef struct sim_before {
  bool looked[SIM_CONVS];
  uint64_t read[SIM_CONVS];
  uint64_t count[SIM_CONVS];
  uint64_t last[SIM_CONVS];
} sim_before;

void namings_before(const sim_device *device, const seen_input *input,
                    sim_before *before);
void namings_after(const sim_device *device, const seen_input *input,
                   const sim_before *before);

/* A person may have cleared up to there, on any device. */
void namings_touched(sim_device *device, uint32_t conv, uint64_t seq);

/* What changed is compared with all that happened. */
void namings_check(sim_device *device, uint32_t conv, const seen_state *state);

/* Of a row that went, or a process that did: it may begin anew. */
void namings_forget(sim_device *device, uint32_t conv);

#endif
