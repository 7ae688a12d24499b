/*
 * A recount of one conversation: what the state part says of it, from indexes,
 * runs and trees, against the stored messages one by one.
 */
#ifndef SERVER_RECOUNT_H
#define SERVER_RECOUNT_H

#include "storage.h"

/* Each difference is a line. A SEEN_E… where the storage can't be read. */
int recount(const storage *over, const char *conv,
            void (*print)(void *self, const char *line), void *to);

#endif
