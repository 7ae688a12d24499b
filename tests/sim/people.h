/* What people, moderators and misfortune do: acts of the plan, carried out. */
#ifndef TESTS_SIM_PEOPLE_H
#define TESTS_SIM_PEOPLE_H

#include "sim/sim.h"

/* Users and conversations, before anything happens. */
void people_begin(sim_world *sim);

void people_act(sim_world *sim, const sim_act *act);

/* Everybody puts their devices down: nothing is on screen. */
void people_rest(sim_world *sim);

#endif
