/*
 * What is to be sent, in the order of V10, until the caller pulls it. A turn
 * first reserves, then changes state, then puts: putting cannot fail.
 */
#ifndef SN_ENGINE_OUTBOX_H
#define SN_ENGINE_OUTBOX_H

#include "base/memory.h"
#include "engine/registry.h"

/* One output; what a, b, c, d are depends on the type. */
typedef struct sn_output {
  seen_effect_type type;
  seen_conv conv;
  uint32_t number; /* in the order it was put */
  uint32_t frame;
  bool keep;
  uint64_t a, b, c, d;
} sn_output;

typedef struct sn_outbox {
  sn_output *outputs;
  size_t capacity;
  size_t count;
  size_t next;       /* to be pulled */
  size_t turn;       /* where this turn's begin */
  uint64_t *cleared; /* the seqs that reports name */
  size_t cleared_capacity;
  size_t cleared_count;
  uint32_t frames;
  uint32_t numbers;
} sn_outbox;

/* Room for further outputs and seqs: 0 or SEEN_ENOMEM. */
static inline int sn_outbox_reserve(const seen_allocator *memory,
                                    sn_outbox *outbox, size_t outputs,
                                    size_t seqs) {
  if (SN_RESERVE(memory, &outbox->outputs, &outbox->capacity,
                 outbox->count + outputs))
    return SEEN_ENOMEM;
  return SN_RESERVE(memory, &outbox->cleared, &outbox->cleared_capacity,
                    outbox->cleared_count + seqs);
}

void sn_outbox_put(sn_outbox *outbox, seen_effect_type type, seen_conv conv,
                   uint64_t a, uint64_t b);
void sn_outbox_put_mark(sn_outbox *outbox, seen_conv conv, const sn_mark *mark);

/* A report of (epoch, seq) that names every run of `cleared`. */
void sn_outbox_put_report(sn_outbox *outbox, seen_conv conv, uint64_t epoch,
                          uint64_t seq, const sn_runs *cleared, bool keep,
                          uint32_t frame);

/* Ends a turn: its outputs are put in order. */
void sn_outbox_end_turn(sn_outbox *outbox, const sn_registry *registry);

/* Forgets what was pulled. */
void sn_outbox_trim(sn_outbox *outbox);

bool sn_outbox_pull(sn_outbox *outbox, seen_effect *effect);

void sn_outbox_free(const seen_allocator *memory, sn_outbox *outbox);

#endif
