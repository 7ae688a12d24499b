/* Writing frames: words, rows, how each begins. */
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

#endif
