/*
 * The whole word on a conversation for one member (U1, U2, rule 5 of the
 * protocol). Its cost follows the runs that it lists, never the unread.
 */
#ifndef SERVER_TALLY_H
#define SERVER_TALLY_H

#include "core.h"

typedef struct word {
  seen_position read;
  uint64_t last_seq;
  seen_run runs[WORD_RUNS]; /* the newest first */
  size_t run_count;
  uint64_t from;
  bool has_counted;
  uint64_t counted;
  seen_mention mentions[OPEN_MENTIONS];
  size_t mention_count;
  uint64_t floor;
  uint64_t version;
  uint64_t unread;
} word;

/* The seq below which nothing is unread, whatever the position. */
uint64_t tally_low(const conversation *conv, const member *of);
/* The highest seq that this member can see. */
uint64_t tally_last(const conversation *conv, const member *of);
uint64_t tally_unread(const conversation *conv, const member *of);

/* All need the member's own seqs: conversations_own(). */
void tally_word(const conversation *conv, const member *of, word *into);

#endif
