#include "texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy(const char *from) {
  size_t size = strlen(from) + 1;
  char *to = malloc(size);

  if (to != NULL) memcpy(to, from, size);
  return to;
}

static void drop(chat_text *text) {
  free(text->from);
  free(text->body);
}

void texts_free(chat_texts *texts) {
  for (size_t i = 0; i < texts->count; i++)
    drop(&texts->items[i]);
  free(texts->items);
  memset(texts, 0, sizeof *texts);
}

/* Where a seq stands, or would. */
static size_t place_of(const chat_texts *texts, uint64_t seq) {
  size_t low = 0, high = texts->count;

  while (low < high) {
    size_t middle = low + (high - low) / 2;

    if (texts->items[middle].seq < seq)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static chat_text *find(const chat_texts *texts, uint64_t seq) {
  size_t at = place_of(texts, seq);

  return at < texts->count && texts->items[at].seq == seq ? &texts->items[at]
                                                          : NULL;
}

const chat_text *texts_find(const chat_texts *texts, uint64_t seq) {
  return find(texts, seq);
}

uint64_t texts_first(const chat_texts *texts) {
  return texts->count > 0 ? texts->items[0].seq : 0;
}

bool texts_shown(const chat_text *text) {
  return text->kind == SEEN_MESSAGE_TEXT || text->kind == SEEN_MESSAGE_SYSTEM;
}

static bool reserve(chat_texts *texts) {
  size_t capacity = texts->capacity < 64 ? 64 : texts->capacity * 2;
  chat_text *items;

  if (texts->count < texts->capacity) return true;
  items = realloc(texts->items, capacity * sizeof *items);
  if (items == NULL) return false;
  texts->items = items;
  texts->capacity = capacity;
  return true;
}

static bool fill(chat_text *text, const seen_text *message) {
  memset(text, 0, sizeof *text);
  text->seq = message->seq;
  text->target = message->target;
  text->sent_at = message->sent_at;
  text->kind = message->kind;
  text->mention = message->mention;
  text->hidden = message->hidden;
  text->recalled = message->recalled;
  text->taken_down = message->taken_down;
  text->from = copy(message->from);
  if (message->body != NULL) text->body = copy(message->body);
  if (text->from != NULL && (message->body == NULL || text->body != NULL))
    return true;
  drop(text);
  return false;
}

static void take_body(chat_text *target) {
  free(target->body);
  target->body = NULL;
}

static void add_reaction(chat_text *target, const char *body) {
  size_t had = strlen(target->reactions);

  snprintf(target->reactions + had, sizeof target->reactions - had, "%s%s",
           had > 0 ? " " : "", body);
}

/* What a message does to an older one. */
static bool apply(const chat_text *act, chat_text *target) {
  char *body;

  switch (act->kind) {
  case SEEN_MESSAGE_RECALL:
    target->recalled = true;
    take_body(target);
    return true;
  case SEEN_MESSAGE_EDIT:
    if (act->body == NULL || target->recalled || target->taken_down)
      return true;
    if ((body = copy(act->body)) == NULL) return false;
    take_body(target);
    target->body = body;
    target->edited = true;
    return true;
  case SEEN_MESSAGE_REACTION:
    if (act->body != NULL) add_reaction(target, act->body);
    return true;
  default: return true;
  }
}

/* Applies all acts that are held on one message, in their order: pages come
 * from the newest down, so an older act may come after a newer one. */
static bool settle(chat_texts *texts, uint64_t seq) {
  chat_text *target = find(texts, seq);

  if (target == NULL) return true;
  target->reactions[0] = '\0';
  for (size_t i = place_of(texts, seq + 1); i < texts->count; i++)
    if (texts->items[i].target == seq && !apply(&texts->items[i], target))
      return false;
  return true;
}

bool texts_add(chat_texts *texts, const seen_text *message) {
  size_t at = place_of(texts, message->seq);
  chat_text added;

  if (!reserve(texts) || !fill(&added, message)) return false;
  if (at < texts->count && texts->items[at].seq == message->seq) {
    drop(&texts->items[at]);
  } else {
    memmove(&texts->items[at + 1], &texts->items[at],
            (texts->count - at) * sizeof *texts->items);
    texts->count++;
  }
  texts->items[at] = added;
  return settle(texts, added.seq) &&
         (added.target == 0 || settle(texts, added.target));
}

bool texts_add_page(chat_texts *texts, const seen_text *messages, size_t count,
                    bool more) {
  for (size_t i = 0; i < count; i++)
    if (!texts_add(texts, &messages[i])) return false;
  texts->begun = true;
  texts->more = more;
  return true;
}
