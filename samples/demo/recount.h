/*
 * The numbers counted anew, line by line, from the logs and the read positions
 * that the server ended with; nothing of it comes from the engine.
 */
#ifndef DEMO_RECOUNT_H
#define DEMO_RECOUNT_H

#include "simulation.h"

/* Prints engine and recount side by side; true where they agree. */
bool recount_agrees(const simulation *of);

#endif
