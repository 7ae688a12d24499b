/*
 * What can be done in the chat, by name: keys, the input line ("/mute") and
 * scripts say the same commands.
 */
#ifndef CHAT_COMMAND_H
#define CHAT_COMMAND_H

#include "screen.h"

/* Does one command; false, and why, where it can't be done. */
bool command_run(chat_app *chat, chat_screen *screen, const char *line,
                 char why[256]);

#endif
