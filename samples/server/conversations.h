/*
 * Conversations in memory: loaded whole at their first use, dropped by last
 * use when the cache is full. A pointer to one holds until the next call of
 * conversations_find, or the end of the turn.
 */
#ifndef SERVER_CONVERSATIONS_H
#define SERVER_CONVERSATIONS_H

#include "core.h"

/* NULL: there is none, or the storage failed (`self->failed`). */
conversation *conversations_find(server *self, const char *id);

/* A new one, written; it has no members yet. */
conversation *conversations_create(server *self, const char *id, seen_kind kind,
                                   unsigned flags);

/* NULL: never was a member. */
member *conversations_member(const conversation *conv, const char *user);

/* Who never was one; in memory only, until it is saved. */
member *conversations_add_member(server *self, conversation *conv,
                                 const char *user);

/* Loads the seqs that are the member's own, before any word for them. */
void conversations_own(server *self, conversation *conv, member *of);

/* Their state, as it will be then, is written before the commit. */
void conversations_save(server *self, conversation *conv);
void conversations_save_member(server *self, conversation *conv, member *of);

/* Writes what was saved: before a commit, and before rows are read. */
void conversations_write(server *self);

/* Whether the member's connections get what happens here. */
void conversations_attach(server *self, conversation *conv, member *of);
void conversations_detach(conversation *conv, member *of);

/* A user's first connection came, or the last one went. */
void conversations_online(server *self, person *who, bool online);

/* Makes room; called between two turns. */
void conversations_trim(server *self);
void conversations_drop_all(server *self);

#endif
