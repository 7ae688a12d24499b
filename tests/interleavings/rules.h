/* What has to hold, in words; NULL where it does. */
#ifndef TESTS_INTERLEAVINGS_RULES_H
#define TESTS_INTERLEAVINGS_RULES_H

#include "play.h"

/* Of a step and the state that it led to. */
const char *model_rule_broken(const model_scene *scene, const model_state *from,
                              model_act act, const model_state *to);

/* Of a state in which nothing is left to be done. */
const char *model_unquiet(const model_state *state);

#endif
