/*
 * One act of a plan as it is carried out: by people (people.c), or against
 * them (mishaps.c). What carries one out says whether it did anything.
 */
#ifndef TESTS_SIM_ACTING_H
#define TESTS_SIM_ACTING_H

#include "sim/sim.h"

typedef struct sim_acting {
  sim_world *sim;
  sim_device *device;
  const sim_act *act;
  const char *conv;
} sim_acting;

/* An input of that device, and conversation where it has one. */
seen_input acting_input(const sim_acting *acting, seen_input_type type);
bool acting_feed(const sim_acting *acting, seen_input_type type);
bool acting_feed_on(const sim_acting *acting, seen_input_type type, bool on);

/* The app goes to the background. */
bool acting_away(const sim_acting *acting);

/* Whatever goes wrong: of links, devices, accounts and the server. */
bool mishap_act(const sim_acting *acting);

/* All accounts are enabled again. */
void mishap_enable(sim_world *sim);

/* Nothing goes wrong any more. */
void mishap_rest(sim_world *sim);

#endif
