/* What a connection is to its user, and the pages of rows that it is sent. */
#ifndef SERVER_SESSION_H
#define SERVER_SESSION_H

#include "core.h"

void session_leave(server *self, connection *from);

/* A `changes`: a page of what changed above a version. */
void session_changes(server *self, connection *to, uint64_t id, uint64_t above,
                     size_t limit);

#endif
