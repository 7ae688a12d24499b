/* Acts as sentences. */
#ifndef TESTS_INTERLEAVINGS_WORDS_H
#define TESTS_INTERLEAVINGS_WORDS_H

#include "play.h"

/*
 * The acts one after another from the start, a line each. `swapped` says
 * after which of them the two devices changed places.
 */
void model_say_way(const model_scene *scene, const model_act *acts,
                   const uint8_t *swapped, unsigned count);

#endif
