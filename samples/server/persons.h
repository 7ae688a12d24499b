/* Users who are connected, and how fast they may go (rule 4). */
#ifndef SERVER_PERSONS_H
#define SERVER_PERSONS_H

#include "core.h"

/* Known from now on, for as long as they are connected or asking. */
person *persons_find(server *self, const char *user);

/* Takes one token; 0, or the ms until there is one. */
uint64_t persons_spend(bucket *from, uint32_t per_second, uint32_t burst,
                       uint64_t now);

/* Forgets who has no connection and has long asked for nothing. */
void persons_sweep(server *self);
void persons_free(server *self);

#endif
