/*
 * What the program does besides serving, each by its arguments. The result is
 * the exit code; 2: it could not be done, which was said.
 */
#ifndef SERVER_COMMANDS_H
#define SERVER_COMMANDS_H

/* The command of this name, or NULL. */
typedef int command(int count, char **arguments);
command *commands_find(const char *name);

/* Says what went wrong; 2. */
int commands_complain(const char *why);

#endif
