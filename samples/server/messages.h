/* Putting messages into a conversation, and before those who are online. */
#ifndef SERVER_MESSAGES_H
#define SERVER_MESSAGES_H

#include "core.h"

/*
 * Takes the next seq: two writes, whatever the number of members. The caller
 * has set kind, state, target, mentions and body; seq, version and time are
 * filled in.
 */
void messages_append(server *self, conversation *conv, stored_message *message);

/* The live `message`, to everybody's connections but one. */
void messages_deliver(conversation *conv, const stored_message *message,
                      const connection *but);

/* A notice of what happened: a system message with this body. */
void messages_notice(server *self, conversation *conv, const char *from,
                     const char *body);

/* Tells all who are online a newer word or row. */
void messages_mark_all(conversation *conv, bool row);

/* A message that was there does not count any more, or counts again. */
void messages_bury(conversation *conv, uint64_t seq, const char *from);
void messages_unbury(conversation *conv, uint64_t seq, const char *from);

/* The members of a `message` that are the same for everybody. */
void messages_write(text *into, const stored_message *message, bool body);

#endif
