/* The queue of outputs, sorted turn by turn (V10). */
#include "engine/outbox.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

static sn_output *put(sn_outbox *outbox, seen_effect_type type,
                      seen_conv conv) {
  sn_output *output = &outbox->outputs[outbox->count++];
  *output =
      (sn_output){.type = type, .conv = conv, .number = outbox->numbers++};
  return output;
}

void sn_outbox_put(sn_outbox *outbox, seen_effect_type type, seen_conv conv,
                   uint64_t a, uint64_t b) {
  sn_output *output = put(outbox, type, conv);
  output->a = a;
  output->b = b;
}

void sn_outbox_put_mark(sn_outbox *outbox, seen_conv conv,
                        const sn_mark *mark) {
  sn_output *output = put(outbox, SEEN_EFFECT_MARK_UNREAD, conv);
  output->a = mark->epoch;
  output->b = mark->seq;
  output->c = mark->target;
  output->d = mark->op;
}

void sn_outbox_put_report(sn_outbox *outbox, seen_conv conv, uint64_t epoch,
                          uint64_t seq, const sn_runs *cleared, bool keep,
                          uint32_t frame) {
  sn_output *output = put(outbox, SEEN_EFFECT_REPORT, conv);
  sn_run run;
  output->a = epoch;
  output->b = seq;
  output->c = outbox->cleared_count;
  output->keep = keep;
  output->frame = frame;
  for (uint64_t s = 0; sn_runs_next(cleared, s, &run); s = run.hi + 1)
    for (uint64_t seq_cleared = run.lo; seq_cleared <= run.hi; seq_cleared++)
      outbox->cleared[outbox->cleared_count++] = seq_cleared;
  output->d = outbox->cleared_count - output->c;
}

static int rank(seen_effect_type type) {
  return type == SEEN_EFFECT_MARK_UNREAD ? SEEN_EFFECT_REPORT : (int)type;
}

static bool before(const void *left, const void *right, const void *registry) {
  const sn_output *a = left, *b = right;
  if (rank(a->type) != rank(b->type)) return rank(a->type) < rank(b->type);
  if (a->conv != b->conv && a->conv && b->conv)
    return strcmp(sn_registry_at(registry, a->conv)->id,
                  sn_registry_at(registry, b->conv)->id) < 0;
  return a->number < b->number;
}

void sn_outbox_end_turn(sn_outbox *outbox, const sn_registry *registry) {
  size_t count = outbox->count - outbox->turn;
  if (count > 1)
    sn_sort(outbox->outputs + outbox->turn, count, sizeof *outbox->outputs,
            before, registry);
  outbox->turn = outbox->count;
}

void sn_outbox_trim(sn_outbox *outbox) {
  if (outbox->next < outbox->count) return;
  outbox->next = outbox->count = outbox->turn = 0;
  outbox->cleared_count = 0;
}

static seen_report report_of(const sn_outbox *outbox, const sn_output *output) {
  size_t count = (size_t)output->d;
  const uint64_t *cleared = count ? outbox->cleared + output->c : NULL;
  return (seen_report){output->a, output->b,    cleared,
                       count,     output->keep, output->frame};
}

bool sn_outbox_pull(sn_outbox *outbox, seen_effect *effect) {
  if (outbox->next == outbox->count) return false;
  const sn_output *output = &outbox->outputs[outbox->next++];
  effect->type = output->type;
  effect->conv = output->conv;
  switch (output->type) {
  case SEEN_EFFECT_REPORT: effect->u.report = report_of(outbox, output); break;
  case SEEN_EFFECT_MARK_UNREAD:
    effect->u.mark = (seen_mark){output->a, output->b, output->c, output->d};
    break;
  case SEEN_EFFECT_SUBSCRIBE:
  case SEEN_EFFECT_UNSUBSCRIBE:
    effect->u.range = (seen_run){output->a, output->b};
    break;
  case SEEN_EFFECT_DELIVERED: effect->u.seq = output->a; break;
  case SEEN_EFFECT_MUTE:
  case SEEN_EFFECT_PIN: effect->u.on = output->a != 0; break;
  default: break;
  }
  return true;
}

void sn_outbox_free(const seen_allocator *memory, sn_outbox *outbox) {
  sn_release(memory, outbox->outputs);
  sn_release(memory, outbox->cleared);
}
