/*
 * One conversation with all its parts and no engine around it, for what works
 * on a conversation alone.
 */
#ifndef TESTS_SUPPORT_CONV_H
#define TESTS_SUPPORT_CONV_H

#include "engine/conversation.h"
#include "support/engine.h"

typedef struct test_conv {
  test_alloc memory;
  sn_conv conv;
} test_conv;

/* Begins with facts and a reading; ends with nothing leaked. */
void conv_begin(test_conv *t);
void conv_end(test_conv *t);

/* The server's word, whole: false where its count is not its list's (U8). */
bool conv_take(test_conv *t, const seen_word *word);

/* A live message above the tally, of somebody else. */
void conv_come(test_conv *t, seen_message message);

/* Found here; NONE: it does not count (U7). */
void conv_find(test_conv *t, uint64_t seq, seen_mention_why mention);

/* A wish that shows `seq` and read up to `read`. */
void conv_wish(test_conv *t, uint64_t read, uint64_t seq);

#endif
