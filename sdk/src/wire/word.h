/* The server's word on a conversation, and its row, from JSON. */
#ifndef SN_WIRE_WORD_H
#define SN_WIRE_WORD_H

#include <seen/sys/input.h>

#include "wire/take.h"

/*
 * A word's members of the object. Where lists are left out there is nothing in
 * them: a tally is whole (S3).
 */
void sn_take_word(sn_taking *t, const sn_json *object, seen_word *word);

/* A row's, without its `id`. */
void sn_take_row(sn_taking *t, const sn_json *object, seen_snapshot *row);

/* `me`, `all` or `quote`. */
seen_mention_why sn_take_why(sn_taking *t, const sn_json *object,
                             const char *name);

#endif
