/*
 * A device: engine, mirror and session as a client runs them, without its
 * threads; its disk outlives its process.
 */
#ifndef TESTS_SIM_DEVICE_H
#define TESTS_SIM_DEVICE_H

#include "sim/sim.h"

/* Starts the process, from what is on its disk. */
void device_boot(sim_device *device);

/* Ends it as a kill does, and starts it again after `ms`; with `reboot` its
 * clock begins anew, with `wipe` its disk too. false: it did not run. */
bool device_kill(sim_device *device, uint64_t ms, bool reboot, bool wipe);

/* Ends it for good, disk and all. */
void device_end(sim_device *device);

/* Feeds the engine what a person or the system did; then all that follows. */
void device_feed(sim_device *device, const seen_input *input);

/* An event of the network. */
void device_transport(sim_device *device, const seen_transport_event *event);

/* A request of the person; its number, 0: it makes no sense. */
uint64_t device_request(sim_device *device, const sn_ask *ask);

/* After a call of the session: lets all that follows happen. */
void device_turn(sim_device *device);

uint64_t device_now(const sim_device *device);

/* The engine's state of a conversation; false: there is no row. */
bool device_state(const sim_device *device, uint32_t conv, seen_state *state);

void device_happen(sim_world *sim, sim_event *event);

#endif
