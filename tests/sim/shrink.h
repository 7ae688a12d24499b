/* Makes a plan that fails smaller, as long as it fails by the same rule. */
#ifndef TESTS_SIM_SHRINK_H
#define TESTS_SIM_SHRINK_H

#include "sim/sim.h"

/* `why` is what it failed by; it becomes what the smaller one fails by. */
void shrink_plan(sim_plan *plan, char why[SIM_WHY]);

#endif
