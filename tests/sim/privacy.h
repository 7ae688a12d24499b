/* What a frame of the server may say, and to whom. */
#ifndef TESTS_SIM_PRIVACY_H
#define TESTS_SIM_PRIVACY_H

#include "sim/sim.h"

/* A frame that leaves for a device; returns its type. */
sn_frame_type privacy_frame(sim_world *sim, const sim_link *link,
                            const char *text, size_t length);

/* The body of an HTTP answer. */
void privacy_answer(sim_world *sim, const sim_device *to, const char *path,
                    const char *body, size_t length);

/* S7: after a frame, dates the switches that it threw; at the end of the
 * server's turn follows them, or forgets them where nothing was committed. */
void privacy_switches(sim_world *sim);
void privacy_turn(sim_world *sim, bool committed);

/* Another history: who is private in it, from here on. */
void privacy_restored(sim_world *sim);

#endif
