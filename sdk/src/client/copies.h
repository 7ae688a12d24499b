/* Whole copies of what a session only lends: replies, and live messages. */
#ifndef SN_CLIENT_COPIES_H
#define SN_CLIENT_COPIES_H

#include <seen/reply.h>
#include <seen/sys/alloc.h>

/*
 * Copies a reply; all that it points at lies in `*block`, which the caller
 * releases. SEEN_ENOMEM: `*copy` and `*block` are untouched.
 */
int sn_copy_reply(const seen_allocator *memory, const seen_reply *reply,
                  seen_reply *copy, void **block);

/* How many bytes the strings of a message take, and their copies at `*at`,
 * which moves on behind them. */
size_t sn_message_size(const seen_text *message);
void sn_copy_message(const seen_text *message, seen_text *copy, char **at);

#endif
