/*
 * Whom a text names: "@ann" is ann, "@all" is everybody.
 */
#ifndef CHAT_MENTIONS_H
#define CHAT_MENTIONS_H

#include <stdbool.h>
#include <stddef.h>

#define MENTIONS_MAX 64

typedef struct chat_mentions {
  char *users[MENTIONS_MAX];
  size_t count;
  bool all;
} chat_mentions;

void mentions_find(chat_mentions *mentions, const char *text);
void mentions_free(chat_mentions *mentions);

#endif
