/*
 * Whom messages mention, and which of these a member has still open (M1).
 *
 * A message says it once, for all: nothing is written for each member. What a
 * member has open is read from an index of the messages that name them or
 * everyone, from the seq on up to which their own list is settled; it is
 * settled anew, and written, only when they clear something.
 *
 * The text of a message's mentions has a line for each: "*" everyone, "@u"
 * the user u, ">u" it quotes u. An edit's is the whole new set.
 */
#ifndef SERVER_MENTIONS_H
#define SERVER_MENTIONS_H

#include "core.h"

/* Adds what a message or an edit says; rising seqs. */
void mentions_add(conversation *conv, uint64_t seq, uint64_t target,
                  const char *said);

/* The newest event about a message; NULL: nothing was ever said. */
const mention_event *mentions_latest(const conversation *conv, uint64_t target);

seen_mention_why mentions_why(const mention_event *event, const char *user);

/* As above, but NONE where the event before said so already. */
seen_mention_why mentions_newly(const conversation *conv,
                                const mention_event *event, const char *user);

/* The open ones, rising; room for OPEN_MENTIONS. How many: none of who left. */
size_t mentions_list(const conversation *conv, const member *of,
                     seen_mention *list);

/*
 * Clears those in (after, to], and those named. Whether any was open: then
 * the member's list is settled and has to be written.
 */
bool mentions_clear(conversation *conv, member *of, uint64_t after, uint64_t to,
                    const uint64_t *named, size_t count);

/* At a new membership: whatever was said before is not for them. */
void mentions_forget(conversation *conv, member *of);

void mentions_write(const member *of, text *into);
int mentions_read(member *of, const char *from);

void mentions_free(conversation *conv);

#endif
