/*
 * The messages of one conversation as far as they are on this screen: what
 * history and the live link brought, in order of seq, with recalls, edits and
 * reactions put where they belong. Nothing here is kept over a restart.
 */
#ifndef CHAT_TEXTS_H
#define CHAT_TEXTS_H

#include <seen/reply.h>

/* One message. */
typedef struct chat_text {
  uint64_t seq;
  uint64_t target;
  uint64_t sent_at;
  seen_message_kind kind;
  seen_mention_why mention;
  char *from;
  char *body;         /* NULL: it is gone */
  char reactions[96]; /* "": none; those that fit */
  bool hidden;
  bool recalled;
  bool taken_down;
  bool edited;
} chat_text;

typedef struct chat_texts {
  chat_text *items; /* rising by seq */
  size_t count;
  size_t capacity;
  bool begun; /* a page of history came */
  bool more;  /* there are older ones at the server */
} chat_texts;

void texts_free(chat_texts *texts);

/* Takes a message, or a newer form of it; false: there is no memory. */
bool texts_add(chat_texts *texts, const seen_text *message);

/* Takes a page of history; false: there is no memory. */
bool texts_add_page(chat_texts *texts, const seen_text *messages, size_t count,
                    bool more);

/* The message of a seq, or NULL. */
const chat_text *texts_find(const chat_texts *texts, uint64_t seq);

/* The lowest seq held; 0: none. */
uint64_t texts_first(const chat_texts *texts);

/* Whether a message has a row of its own on the screen. */
bool texts_shown(const chat_text *text);

#endif
