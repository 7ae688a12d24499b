/* The database of a server, or of a command that needs it for itself. */
#ifndef SERVER_DATABASE_H
#define SERVER_DATABASE_H

#include "storage.h"

#include <stdbool.h>

/* A path, or "" for memory. False: `why` (at least 512 bytes) says why not. */
bool database_open(const char *path, storage *opened, char *why);

/*
 * Takes one that is there for this process, until it ends: what it does with
 * it is its own affair.
 */
bool database_lock(const char *path, char *why);

/* The name of a new history. False: there is no randomness. */
bool database_name_history(char name[33]);

#endif
