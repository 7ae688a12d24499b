/* Who of a message's audience has read it, by pages (R4). */
#ifndef SERVER_READERS_H
#define SERVER_READERS_H

#include "core.h"

/* Those of `status` after `last`, sorted by bytes, into a JSON array; how many
 * are left after at most `limit` of them. `*end` is the last one written. */
size_t readers_page(const conversation *conv, uint64_t seq, const char *sender,
                    const char *status, const char *last, size_t limit,
                    text *into, const char **end);

bool readers_is_status(const char *status);

#endif
