#include "sent.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

bool sent_is_output(const seen_effect *effect) {
  return effect->type >= SEEN_EFFECT_RESYNC &&
         effect->type <= SEEN_EFFECT_SUBSCRIBE;
}

/* What a whole output says; what a report has only "if any" is left out. */
static uint32_t fields_of(const seen_effect *effect) {
  const seen_report *report = &effect->u.report;

  switch (effect->type) {
  case SEEN_EFFECT_REPORT:
    return SEEN_SENT_CONV | SEEN_SENT_EPOCH | SEEN_SENT_SEQ |
           (report->cleared_count > 0 ? SEEN_SENT_CLEARED : 0u) |
           (report->keep ? SEEN_SENT_KEEP : 0u);
  case SEEN_EFFECT_MARK_UNREAD:
    return SEEN_SENT_CONV | SEEN_SENT_EXPECTED_EPOCH | SEEN_SENT_EXPECTED_SEQ |
           SEEN_SENT_TARGET;
  case SEEN_EFFECT_DELIVERED: return SEEN_SENT_CONV | SEEN_SENT_SEQ;
  case SEEN_EFFECT_SUBSCRIBE:
  case SEEN_EFFECT_UNSUBSCRIBE:
    return SEEN_SENT_CONV | SEEN_SENT_FROM | SEEN_SENT_TO;
  case SEEN_EFFECT_MUTE:
  case SEEN_EFFECT_PIN: return SEEN_SENT_CONV | SEEN_SENT_ON;
  case SEEN_EFFECT_FETCH: return SEEN_SENT_CONV;
  default: return 0;
  }
}

/* The effect borrows the list that the copy has to own. */
static void own_cleared(seen_report *report) {
  size_t count = report->cleared_count;
  uint64_t *copy;

  if (count == 0) return;
  copy = must_allocate(count, sizeof *copy);
  memcpy(copy, report->cleared, count * sizeof *copy);
  report->cleared = copy;
}

void sent_add(sent_list *list, const seen_effect *effect, const char *conv) {
  seen_trace_output *output;

  list->outputs = MUST_GROW(list->outputs, list->count, list->capacity);
  output = &list->outputs[list->count++];
  memset(output, 0, sizeof *output);
  output->fields = fields_of(effect);
  output->conv = conv != NULL ? must_copy(conv, strlen(conv)) : NULL;
  output->effect = *effect;
  if (effect->type == SEEN_EFFECT_REPORT) own_cleared(&output->effect.u.report);
}

void sent_clear(sent_list *list) {
  size_t i;

  for (i = 0; i < list->count; i++) {
    seen_trace_output *output = &list->outputs[i];

    free((char *)output->conv);
    if (output->effect.type == SEEN_EFFECT_REPORT)
      free((uint64_t *)output->effect.u.report.cleared);
  }
  free(list->outputs);
  memset(list, 0, sizeof *list);
}
