/*
 * The server's side: the state part in turns that end with a commit, a crash
 * that loses what was not committed, a restore from an older backup.
 */
#ifndef TESTS_SIM_BACKEND_H
#define TESTS_SIM_BACKEND_H

#include "sim/sim.h"

void backend_open(sim_world *sim);
void backend_end(sim_world *sim);

/* A link's other end: by its device's token. */
connection *backend_connect(sim_world *sim, size_t link);

/* Sends what the server's connections hold for links that can take it. */
void backend_gather(sim_world *sim);

/* One frame of somebody at a desk of their own, printf-like; its answer is
 * not looked at. false: nobody is there to hear it; so below. */
bool backend_say(sim_world *sim, const char *user, bool admin,
                 const char *frame, ...) __attribute__((format(printf, 4, 5)));

/* It asks for what is unsent, and goes a moment later, by and by. */
bool backend_drain(sim_world *sim);

/* The process dies, and is there again after `ms`. */
bool backend_crash(sim_world *sim, uint64_t ms);

void backend_happen(sim_world *sim, sim_event *event);

/* The token of a user's device, and when it ends. */
void backend_token(const sim_world *sim, uint32_t user, uint64_t ends,
                   char token[64]);

/* An HTTP answer by path, for checks; free it with response_free(). */
response backend_ask(sim_world *sim, uint32_t user, const char *path);

#endif
