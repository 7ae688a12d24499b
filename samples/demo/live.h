/*
 * The demo in a terminal: seen-chat as one person, while the others of a real
 * chat go on talking and reading at the pace of its log.
 */
#ifndef DEMO_LIVE_H
#define DEMO_LIVE_H

#include "crowd.h"

/* Runs until the person ends the chat; false where it can't be started. */
bool live_run(demo_devices *all, demo_crowd *crowd, const char *chat_program,
              const char *me);

#endif
