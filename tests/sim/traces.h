/*
 * What each device was fed since it was started last, as a file that
 * seen-replay runs; its end expects what was right, so that what is wrong is
 * what differs.
 */
#ifndef TESTS_SIM_TRACES_H
#define TESTS_SIM_TRACES_H

#include "sim/plan.h"

/* Runs a plan that fails, writes DIR/sim-SEED-DEVICE.jsonl and prints how to
 * look at them. */
void traces_write(const sim_plan *plan, const char *dir);

#endif
