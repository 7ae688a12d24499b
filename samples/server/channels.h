/*
 * What is told of a conversation at most once a window (R5): what peers have
 * read, to everybody in a small one; counts, to who subscribed. However many
 * report, what is sent is bounded by subscribers and windows.
 */
#ifndef SERVER_CHANNELS_H
#define SERVER_CHANNELS_H

#include "core.h"

typedef struct channel channel;

/* R4: whether positions travel to every member. */
bool channels_tell_peers(const server *self, const conversation *conv);

/* A period of a member rose from `old_receipt` and `old_delivered`. */
void channels_moved(server *self, const conversation *conv, const member *of,
                    const period *moved, uint64_t old_receipt,
                    uint64_t old_delivered);

/* Whether how far a member has come is still to be told in this window. */
bool channels_owes(const server *self, const conversation *conv,
                   const char *user);

/* Counts changed in some other way: all rows are looked at again. */
void channels_changed(server *self, const conversation *conv);

/*
 * Subscribes, and answers with all rows; false: the connection has no
 * subscription left. Members are told of their own messages, admins of
 * everybody's: by role, or by token without being a member.
 */
bool channels_subscribe(server *self, connection *to, uint64_t id,
                        conversation *conv, uint64_t lo, uint64_t hi);
void channels_unsubscribe(server *self, const connection *to, const char *conv,
                          uint64_t lo, uint64_t hi);
void channels_leave(server *self, const connection *gone);

/* Tells what is due; when something will be. */
void channels_tick(server *self);
uint64_t channels_deadline(const server *self);

/* Forgets channels that nobody listens to. */
void channels_sweep(server *self);
void channels_free(server *self);

#endif
