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

/* Follows a user's switch, and what they read behind it (S7). */
void privacy_settings(sim_world *sim);

#endif
