/*
 * The epochs of everybody: one each mark and each rejoin, counted in the end
 * (P4, P5); and what was marked as unread is not read by a mark all as read
 * that was made before (V11).
 */
#ifndef TESTS_SIM_EPOCHS_H
#define TESTS_SIM_EPOCHS_H

#include "sim/sim.h"

/* Notes what a frame, or a request by its path, may move. */
void epochs_frame(sim_world *sim, const char *user, const char *text);

/* A position, as it was before the server's turn and is behind it. */
void epochs_moved(sim_world *sim, uint32_t conv, uint32_t user,
                  const seen_position *before, const stored_member *now);

/* The turn is over, committed or not. */
void epochs_turn(sim_world *sim);
void epochs_restored(sim_world *sim);

void epochs_check(sim_world *sim);

#endif
