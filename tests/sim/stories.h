/*
 * What seldom happens by chance: a few acts of the same people in a row, as
 * they have gone wrong in chat clients. Drawn with the plan, act by act, so
 * that they are cut like any others.
 */
#ifndef TESTS_SIM_STORIES_H
#define TESTS_SIM_STORIES_H

#include "sim/plan.h"

enum { SIM_STORY_ACTS = 40 }; /* no story has more */

/* Adds a story of those in `which` from a time on; when it ends. */
uint64_t story_draw(sim_plan *plan, test_random *random, uint32_t which,
                    uint64_t at);

/* Which of them a seed has, each with a chance of its own. */
uint32_t stories_pick(test_random *random);

#endif
