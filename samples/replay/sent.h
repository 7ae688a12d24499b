/* What an engine sent since it was last asked for, as an `expect_sent`. */
#ifndef REPLAY_SENT_H
#define REPLAY_SENT_H

#include <seen/sys/trace.h>

typedef struct sent_list {
  seen_trace_output *outputs;
  size_t count;
  size_t capacity;
} sent_list;

/* Whether an effect is one that goes to the server. */
bool sent_is_output(const seen_effect *effect);

/* Keeps a copy of an output; `conv` is its conversation's id or NULL. */
void sent_add(sent_list *list, const seen_effect *effect, const char *conv);

void sent_clear(sent_list *list); /* keeps nothing, frees all */

#endif
