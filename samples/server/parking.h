/*
 * Reports over the rate: they wait at their connection and are applied in one
 * go when there is a token, each answered by itself (rule 4).
 */
#ifndef SERVER_PARKING_H
#define SERVER_PARKING_H

#include "core.h"

/* Applies a `read` or `delivered`, or parks it: then true, it is kept. */
bool parking_take(server *self, connection *from, json *frame, const char *type,
                  uint64_t id);

/* All that waits at a connection. */
void parking_apply(server *self, connection *from);

void parking_tick(server *self);
uint64_t parking_deadline(const server *self);

#endif
