/* The conversation list on a terminal, redrawn in place, or as plain lines. */
#ifndef DEMO_SCREEN_H
#define DEMO_SCREEN_H

#include "simulation.h"

/* Draws the list; again: over what was drawn before. */
void screen_draw(simulation *of, bool again);

/* One conversation as one line, with what was done before it. */
void screen_print(const simulation *of, const char *conv, const char *done);

#endif
