/*
 * What a device owes, as long as its link is up: a row that has a gap is asked
 * for (U5), what is unsent is said (V3, V4), and a mark that is said again is
 * the same one (P7).
 */
#ifndef TESTS_SIM_PROMISES_H
#define TESTS_SIM_PROMISES_H

#include "sim/sim.h"

/* Something of its engine leaves for the server; `id` is NULL for all. */
void promises_effect(sim_device *device, const seen_effect *effect,
                     const char *id);

/* After a device's turn. */
void promises_check(sim_device *device);

/* A process begins; `lost`: not all that it knew was written. */
void promises_begin(sim_device *device, bool lost);

#endif
