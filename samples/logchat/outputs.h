/* Outputs: what an engine sent, kept for later as a trace says it. */
#ifndef LOGCHAT_OUTPUTS_H
#define LOGCHAT_OUTPUTS_H

#include <seen/sys/trace.h>

typedef struct output_list {
  seen_trace_output *outputs;
  size_t count;
  size_t capacity;
} output_list;

/* Whether an effect is one that goes to the server. */
bool effect_is_output(const seen_effect *effect);

/* Whether what was named is so. */
bool output_matches(const seen_trace_output *want,
                    const seen_trace_output *got);

/* Keeps a copy of an output; `conv` is its conversation's id or NULL. */
void outputs_add(output_list *list, const seen_effect *effect,
                 const char *conv);

void outputs_clear(output_list *list); /* keeps nothing, frees all */

#endif
