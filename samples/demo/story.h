/*
 * The demo without a terminal: one person with a phone and a desktop, the
 * others of a real chat, and what each device shows, line by line.
 */
#ifndef DEMO_STORY_H
#define DEMO_STORY_H

#include "crowd.h"

/* Plays it; false where what is shown is not what it has to be. */
bool story_play(demo_devices *all, demo_crowd *crowd, const char *me,
                const char *conv);

#endif
