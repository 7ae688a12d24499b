/* Answers to requests: acks and pages, item by item. */
#ifndef SERVER_ANSWERS_H
#define SERVER_ANSWERS_H

#include "core.h"

/* An answer that goes as several frames where one does not hold it. */
typedef struct answer {
  connection *to;
  text frame;
  size_t head; /* how long it is without items */
} answer;

/* `members` are taken and stand before `list`, which holds the items. */
void answer_begin_with(answer *self, connection *to, const char *type,
                       uint64_t id, text *members, const char *list);
void answer_begin_ack(answer *self, connection *to, uint64_t id,
                      const char *of);

/* Takes the text of one item. */
void answer_item(answer *self, text *item);

/* `more` is false in the last frame. */
void answer_end(answer *self);

/* An `ack` of one item; `item` is taken. */
void answer_one(connection *to, uint64_t id, const char *of, text *item);

/* The beginning of an item: {"conv":…,"result":…; `code` "" is taken. */
text item_begin(const char *conv, const char *result, const char *code);

#endif
