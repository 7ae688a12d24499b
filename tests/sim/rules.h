/*
 * What must hold: at every step of a device and of the server, in every
 * frame, and when all has gone quiet.
 */
#ifndef TESTS_SIM_RULES_H
#define TESTS_SIM_RULES_H

#include <stdio.h>

#include "sim/sim.h"

/* After a device's turn, and of what its engine wants to send. */
void rules_device(sim_world *sim, sim_device *device);
void rules_effect(sim_world *sim, sim_device *device, const seen_effect *effect,
                  const char *id);

/* After a server's turn. */
void rules_server(sim_world *sim);

/* Of frames on their way. */
void rules_frame_up(sim_world *sim, size_t link, sim_state state,
                    const char *text);
void rules_frame_down(sim_world *sim, size_t link, sim_state state,
                      const char *text, size_t length);

/* A conversation was closed, or the app put away: all is written (S6). */
void rules_farewell(sim_device *device);

/* What can be promised no more. */
void rules_killed(sim_world *sim, sim_device *device, bool wiped);
void rules_restored(sim_world *sim);

/* A person saw, or named, a conversation up to a seq. */
void rules_seen(sim_device *device, uint32_t conv, uint64_t seq);

/* What is on screen changed, or whether somebody looks at it. */
void rules_screen(sim_device *device);

/* Whether no unread message of the user lies in (from, to]. */
bool rules_nothing_unread(sim_world *sim, uint32_t conv, uint32_t user,
                          uint64_t from, uint64_t to);

/* How many are unread as of what a device knows; false: it can't be said. */
bool rules_recount(const sim_world *sim, const sim_device *device,
                   uint32_t conv, const seen_state *state, sim_range *may);

/* Writes what a device should show in the end as lines of a trace (truth.c). */
void rules_expect(sim_world *sim, const sim_device *device, FILE *out);

/* When the network is healed and time has passed (truth.c). */
void rules_quiet(sim_world *sim);

#endif
