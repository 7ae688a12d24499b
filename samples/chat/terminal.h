/*
 * The chat in a terminal, by ncurses: draws the screen, turns keys and the
 * wheel into commands. A terminal that tells when it has the focus is asked
 * to: what stands in a window behind others is not read.
 */
#ifndef CHAT_TERMINAL_H
#define CHAT_TERMINAL_H

#include "screen.h"

/* Runs until the person ends it. Returns the program's result. */
int terminal_run(chat_app *chat, chat_screen *screen);

#endif
