/* Writing frames: words, rows, messages, answers. */
#ifndef SERVER_FRAMES_H
#define SERVER_FRAMES_H

#include "core.h"
#include "tally.h"

/* {"t":"…" and the `id` after it; the caller closes the object. */
text frames_begin(const char *type);
text frames_begin_answer(const char *type, uint64_t id);

text frames_error(bool has_id, uint64_t id, const char *code,
                  const char *message, uint64_t retry_ms);

/* The members of the word on a conversation. */
void frames_word(server *of, text *into, conversation *conv, member *whose);

/* One row, an object. */
void frames_row(server *of, text *into, conversation *conv, member *whose);

/* Finishes a `changes` of one row, a `position`. */
void frames_rows(server *of, text *into, conversation *conv, member *whose);
void frames_position(server *of, text *into, conversation *conv, member *whose);

const char *frames_kind(seen_message_kind kind);
const char *frames_why(seen_mention_why why);
const char *frames_conversation_kind(seen_kind kind);

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
