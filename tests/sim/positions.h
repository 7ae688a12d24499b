/*
 * The server's positions by brute force. Where one frame alone may have moved
 * one in a turn, it is where P2 and P4 put it, and where V11 leaves it. In the
 * end an epoch has begun with each mark and each rejoin (P4, P5).
 */
#ifndef TESTS_SIM_POSITIONS_H
#define TESTS_SIM_POSITIONS_H

#include "sim/sim.h"

/* Notes what a frame may move; `again`: its op was said before. */
void positions_frame(sim_world *sim, const char *user, const char *text,
                     bool again);

/* A report by a request of its own. */
void positions_request(sim_world *sim, uint32_t user, const char *path);

/* A position, as it was before the server's turn and is behind it. */
void positions_moved(sim_world *sim, uint32_t conv, uint32_t user,
                     const seen_position *before, const stored_member *now);

/* The turn is over, committed or not; or what was said in it is lost. */
void positions_turn(sim_world *sim);
void positions_crashed(sim_world *sim);
void positions_restored(sim_world *sim);

void positions_check(sim_world *sim);

#endif
