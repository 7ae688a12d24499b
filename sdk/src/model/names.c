/*
 * A table of words for each enum, by value. They are a few words long, so that
 * a search from the beginning is the fast one.
 */
#include "model/names.h"

#include <string.h>

#define COUNT(words) (sizeof(words) / sizeof *(words))

/* Words by value; NULL where a value has none. */
static const char *const kinds[] = {
    [SEEN_KIND_DIRECT] = "direct",
    [SEEN_KIND_GROUP] = "group",
    [SEEN_KIND_LARGE] = "large",
};

static const char *const message_kinds[] = {
    [SEEN_MESSAGE_TEXT] = "text",         [SEEN_MESSAGE_SYSTEM] = "system",
    [SEEN_MESSAGE_RECALL] = "recall",     [SEEN_MESSAGE_EDIT] = "edit",
    [SEEN_MESSAGE_REACTION] = "reaction",
};

static const char *const whys[] = {
    [SEEN_MENTION_ME] = "me",
    [SEEN_MENTION_ALL] = "all",
    [SEEN_MENTION_QUOTE] = "quote",
};

static const char *const refusals[] = {
    [SEEN_REFUSAL_CONFLICT] = "conflict",
    [SEEN_REFUSAL_SEQ_OUT_OF_RANGE] = "seq_out_of_range",
    [SEEN_REFUSAL_EPOCH_AHEAD] = "epoch_ahead",
    [SEEN_REFUSAL_RATE_LIMITED] = "rate_limited",
    [SEEN_REFUSAL_NOT_MEMBER] = "not_member",
    [SEEN_REFUSAL_NOT_FOUND] = "not_found",
};

static const char *const requests[] = {
    [SEEN_REQUEST_REPORT] = "report",
    [SEEN_REQUEST_MARK_UNREAD] = "mark_unread",
    [SEEN_REQUEST_READ_ALL] = "read_all",
};

/* A negative value of an enum that is signed is beyond the end too. */
static const char *word(const char *const *words, size_t count, size_t value) {
  return value < count ? words[value] : NULL;
}

/* The value of a word; `count` where it is none of them. */
static size_t value_of(const char *const *words, size_t count,
                       const char *name) {
  size_t value;
  for (value = 0; value < count; value++)
    if (words[value] && strcmp(words[value], name) == 0) break;
  return value;
}

/* The two functions of one enum. */
#define NAMES(noun, type, words)                                               \
  const char *sn_##noun##_name(type value) {                                   \
    return word(words, COUNT(words), (size_t)value);                           \
  }                                                                            \
  bool sn_##noun##_parse(const char *name, type *value) {                      \
    size_t found = value_of(words, COUNT(words), name);                        \
    if (found == COUNT(words)) return false;                                   \
    *value = (type)found;                                                      \
    return true;                                                               \
  }

NAMES(kind, seen_kind, kinds)
NAMES(message_kind, seen_message_kind, message_kinds)
NAMES(mention_why, seen_mention_why, whys)
NAMES(refusal, seen_refusal, refusals)
NAMES(request, seen_request, requests)
