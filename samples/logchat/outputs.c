#include "outputs.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

bool effect_is_output(const seen_effect *effect) {
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

void outputs_add(output_list *list, const seen_effect *effect,
                 const char *conv) {
  seen_trace_output *output;

  list->outputs = MUST_GROW(list->outputs, list->count, list->capacity);
  output = &list->outputs[list->count++];
  memset(output, 0, sizeof *output);
  output->fields = fields_of(effect);
  output->conv = conv != NULL ? must_copy(conv, strlen(conv)) : NULL;
  output->effect = *effect;
  if (effect->type == SEEN_EFFECT_REPORT) own_cleared(&output->effect.u.report);
}

void outputs_clear(output_list *list) {
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

static bool report_matches(uint32_t named, const seen_report *want,
                           const seen_report *got) {
  size_t count = want->cleared_count;

  if ((named & SEEN_SENT_EPOCH) != 0 && want->epoch != got->epoch) return false;
  if ((named & SEEN_SENT_SEQ) != 0 && want->seq != got->seq) return false;
  if ((named & SEEN_SENT_KEEP) != 0 && want->keep != got->keep) return false;
  if ((named & SEEN_SENT_CLEARED) == 0) return true;
  return count == got->cleared_count &&
         (count == 0 || memcmp(want->cleared, got->cleared,
                               count * sizeof *want->cleared) == 0);
}

static bool mark_matches(uint32_t named, const seen_mark *want,
                         const seen_mark *got) {
  if ((named & SEEN_SENT_EXPECTED_EPOCH) != 0 &&
      want->expected_epoch != got->expected_epoch)
    return false;
  if ((named & SEEN_SENT_EXPECTED_SEQ) != 0 &&
      want->expected_seq != got->expected_seq)
    return false;
  return (named & SEEN_SENT_TARGET) == 0 || want->target == got->target;
}

static bool range_matches(uint32_t named, seen_run want, seen_run got) {
  return ((named & SEEN_SENT_FROM) == 0 || want.lo == got.lo) &&
         ((named & SEEN_SENT_TO) == 0 || want.hi == got.hi);
}

bool output_matches(const seen_trace_output *want,
                    const seen_trace_output *got) {
  uint32_t named = want->fields;

  if (want->effect.type != got->effect.type) return false;
  if ((named & SEEN_SENT_CONV) != 0 &&
      (got->conv == NULL || strcmp(want->conv, got->conv) != 0))
    return false;
  switch (want->effect.type) {
  case SEEN_EFFECT_REPORT:
    return report_matches(named, &want->effect.u.report, &got->effect.u.report);
  case SEEN_EFFECT_MARK_UNREAD:
    return mark_matches(named, &want->effect.u.mark, &got->effect.u.mark);
  case SEEN_EFFECT_DELIVERED:
    return (named & SEEN_SENT_SEQ) == 0 ||
           want->effect.u.seq == got->effect.u.seq;
  case SEEN_EFFECT_SUBSCRIBE:
  case SEEN_EFFECT_UNSUBSCRIBE:
    return range_matches(named, want->effect.u.range, got->effect.u.range);
  case SEEN_EFFECT_MUTE:
  case SEEN_EFFECT_PIN:
    return (named & SEEN_SENT_ON) == 0 || want->effect.u.on == got->effect.u.on;
  default: return true;
  }
}
