/*
 * The chat without a terminal: commands from a file, screens as text. Besides
 * the chat's commands a script has: `show`, `size WxH`, `wait MS`, and `until
 * WHAT …`, which waits until something is so, for half a minute at most.
 */
#ifndef CHAT_SCRIPT_H
#define CHAT_SCRIPT_H

#include "screen.h"

/* Runs the script, or the chat alone where there is none. Returns the
 * program's result. */
int script_run(chat_app *chat, chat_screen *screen);

#endif
