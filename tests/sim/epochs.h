/* The epochs of everybody, counted: one each mark and each rejoin (P4, P5). */
#ifndef TESTS_SIM_EPOCHS_H
#define TESTS_SIM_EPOCHS_H

#include "sim/sim.h"

void epochs_check(sim_world *sim);

#endif
