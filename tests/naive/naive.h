/*
 * A naive model of what a client decides, written from docs/semantics.md and
 * nothing else: it keeps every message and fact, recounts seq by seq whenever
 * it is asked, and finds the next deadline by looking at everything. It
 * shares no code with the library, only the plain types of its headers, and
 * takes the same inputs, so that the two can be compared after each.
 *
 * Out of memory ends the program. Seqs are kept in arrays: keep them small.
 */
#ifndef NAIVE_H
#define NAIVE_H

#include <seen/sys/engine.h>

enum { NAIVE_ID_MAX = 32 };

typedef struct naive naive;

/* A rule to break on purpose: the difference has to be found. */
typedef enum naive_fault {
  NAIVE_FAULT_NONE = 0,
  NAIVE_FAULT_RECALL,   /* U4: a recall leaves its target countable */
  NAIVE_FAULT_MERGE,    /* P1: an older position wins */
  NAIVE_FAULT_KEEP,     /* M3: mark all as read clears mentions */
  NAIVE_FAULT_DWELL,    /* V1: a row reads one ms too late */
  NAIVE_FAULT_DEBOUNCE, /* V3: a report never waits for quiet */
  NAIVE_FAULT_ORDER,    /* B3: pinned rows are not first */
  NAIVE_FAULT_COUNT
} naive_fault;

/* One output to the server; its fields are those of seen_effect. */
typedef struct naive_output {
  seen_effect_type type;
  char id[NAIVE_ID_MAX];
  uint64_t epoch;
  uint64_t seq;
  uint64_t target;
  seen_run range;
  bool on;
  bool keep;
  uint64_t *cleared;
  size_t cleared_count;
} naive_output;

naive *naive_new(const seen_options *options, uint64_t now);
void naive_free(naive *model);
void naive_break(naive *model, naive_fault fault);

/* An input names its conversation by `id`. */
void naive_feed(naive *model, const seen_input *input, uint64_t now);

/* What was sent since the last clear, in order. */
size_t naive_outputs(const naive *model, const naive_output **outputs);
void naive_outputs_clear(naive *model);

/* When something would fire, the store apart; SEEN_NEVER: nothing waits. */
uint64_t naive_deadline(const naive *model);

/* false: it has no row. `state->conv` is left alone, `id` is the model's. */
bool naive_state(const naive *model, const char *id, seen_state *state);
void naive_totals(const naive *model, seen_totals *totals);
void naive_metrics(const naive *model, seen_metrics *metrics);

/* The ids of all rows in display order: at most `limit`, returns how many. */
size_t naive_order(const naive *model, const char **ids, size_t limit);

/* The open mentions, rising: at most `limit`, returns how many there are. */
size_t naive_mentions(const naive *model, const char *id, uint64_t *seqs,
                      size_t limit);

/* R4: whether it is known that somebody else sent it: nothing of ours to ask. */
bool naive_is_others(const naive *model, const char *id, uint64_t seq);

/* false: the conversation is not known. */
bool naive_receipt(const naive *model, const char *id, uint64_t seq,
                   seen_receipt *receipt);

/* Readers or not, sorted by bytes: at most `limit`, returns how many. */
size_t naive_readers(const naive *model, const char *id, uint64_t seq,
                     seen_readers which, const char **users, size_t limit);

/* S6: the store wrote, or deleted, one conversation as it is now. */
void naive_write(naive *model, const char *id);

/* S6: since when a conversation differs from what was written of it (or is
 * gone and its record is not); SEEN_NEVER: it does not. */
uint64_t naive_unwritten(const naive *model, const char *id);

/* The process dies and starts again from what was written. */
void naive_restart(naive *model, uint64_t now);

#endif
