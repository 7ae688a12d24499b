#include "mentions.h"

#include <stdlib.h>
#include <string.h>

/* How long the name at `text` is. */
static size_t name_length(const char *text) {
  size_t length = strcspn(text, " \t\n@,;:!?()\"");

  while (length > 0 && text[length - 1] == '.')
    length--;
  return length;
}

static bool has(const chat_mentions *mentions, const char *name,
                size_t length) {
  for (size_t i = 0; i < mentions->count; i++)
    if (strlen(mentions->users[i]) == length &&
        strncmp(mentions->users[i], name, length) == 0)
      return true;
  return false;
}

static void add(chat_mentions *mentions, const char *name, size_t length) {
  if (length == 0 || length > 64 || has(mentions, name, length)) return;
  if (length == 3 && strncmp(name, "all", 3) == 0) {
    mentions->all = true;
    return;
  }
  if (mentions->count == MENTIONS_MAX) return;
  mentions->users[mentions->count] = strndup(name, length);
  if (mentions->users[mentions->count] != NULL) mentions->count++;
}

void mentions_find(chat_mentions *mentions, const char *text) {
  memset(mentions, 0, sizeof *mentions);
  for (const char *at = text; (at = strchr(at, '@')) != NULL; at++)
    /* Not within a word: an address is no mention. */
    if (at == text || strchr(" \t\n(\"", at[-1]) != NULL)
      add(mentions, at + 1, name_length(at + 1));
}

void mentions_free(chat_mentions *mentions) {
  for (size_t i = 0; i < mentions->count; i++)
    free(mentions->users[i]);
}
