/*
 * The engine's whole state, for its own files. What each of them does is said
 * in its header; this is what they share.
 */
#ifndef SN_ENGINE_CORE_H
#define SN_ENGINE_CORE_H

#include "base/log.h"
#include "engine/order.h"
#include "engine/outbox.h"
#include "engine/registry.h"
#include "engine/roster.h"
#include "engine/timers.h"
#include "engine/viewport.h"

/* A list of conversations, each at most once, by a flag of theirs. */
typedef struct sn_list {
  seen_conv *items;
  size_t capacity;
  size_t first; /* to be pulled */
  size_t count; /* from there on */
} sn_list;

/* Memory of seen_engine_record() and seen_engine_working(). */
typedef enum sn_scratch_block {
  SN_SCRATCH_UNCOUNTABLE,
  SN_SCRATCH_LIVE,
  SN_SCRATCH_FOUND,
  SN_SCRATCH_CLEARED,
  SN_SCRATCH_MENTIONS,
  SN_SCRATCH_FOUND_MENTIONS,
  SN_SCRATCH_SENDERS,
  SN_SCRATCH_MEMBERS,
  SN_SCRATCH_PEERS,
  SN_SCRATCH_SENT_CLEARED,
  SN_SCRATCH_BLOCKS
} sn_scratch_block;

typedef struct sn_scratch {
  void *blocks[SN_SCRATCH_BLOCKS];
  size_t capacities[SN_SCRATCH_BLOCKS];
} sn_scratch;

struct seen_engine {
  const seen_allocator *memory;
  seen_options options; /* its strings are the engine's */
  char *user;
  char *device;
  uint32_t me; /* the user's handle */
  uint64_t random;
  sn_log log;
  uint64_t now;
  bool fed;
  bool link;
  bool foreground;
  bool focus;

  sn_registry registry;
  sn_order order;
  sn_outbox outbox;
  sn_timers reports; /* due by V3 … */
  sn_timers waiting; /* … and waiting for a token, by id */
  sn_timers marks;   /* due at once, free */
  sn_timers delivered;
  sn_timers fetches;
  sn_list windows;  /* conversations with a viewport */
  seen_conv *ready; /* room for every conversation with something to send */
  size_t ready_capacity;
  size_t readings;   /* how many have a reading, */
  size_t facts;      /* how many have facts */
  size_t pass_limit; /* how many leave without a token (V4) */

  uint64_t units; /* of the bucket (V4) */
  uint64_t units_at;

  sn_list changed;      /* to be told to the UI */
  sn_list dirty;        /* to be written … */
  size_t writable;      /* … the first of them now */
  uint64_t dirty_since; /* SN_NO_TIME: nothing is unwritten (S6) */
  bool sync;            /* what was written is to be made durable */
  bool list_changed;
  size_t drifts; /* to be told */

  seen_totals totals;
  seen_totals told; /* the totals that the UI was told */
  seen_metrics metrics;
  sn_scratch scratch;
};

static inline sn_conv *sn_engine_conv(const seen_engine *engine,
                                      seen_conv conv) {
  return sn_registry_at(&engine->registry, conv);
}

/* Whether something on screen can be read now (V9). */
static inline bool sn_engine_active(const seen_engine *engine) {
  return engine->foreground && engine->focus;
}

/* The conversation's parts, and the engine's room for them: 0 or ENOMEM. */
int sn_engine_need_facts(seen_engine *engine, sn_conv *conv);
int sn_engine_need_reading(seen_engine *engine, sn_conv *conv);
int sn_engine_need_viewport(seen_engine *engine, sn_conv *conv);
void sn_engine_drop_viewport(seen_engine *engine, sn_conv *conv);

/*
 * Room for all that one conversation can have to send in this turn, for
 * `outputs` besides, and for `seqs` mentions that they can name besides.
 */
int sn_engine_reserve_outputs(seen_engine *engine, const sn_conv *conv,
                              size_t outputs, size_t seqs);

/* A random number from the seed. */
uint64_t sn_engine_random(seen_engine *engine);

/* Scratch memory for `count` items, until the same block's next use. */
void *sn_engine_scratch(seen_engine *engine, sn_scratch_block block,
                        size_t count, size_t item_size);

/* What orders its row changed (B3). */
void sn_engine_reorder(seen_engine *engine, sn_conv *conv);

/* Something to be written changed (S6). */
void sn_engine_dirty(seen_engine *engine, sn_conv *conv);

/* Everything unwritten may be written now. */
void sn_engine_persist(seen_engine *engine);

/* This one is to be, and may at once; the others wait for their time. */
void sn_engine_persist_one(seen_engine *engine, sn_conv *conv);

/* Takes the first out of a list that is not empty. */
sn_conv *sn_engine_pull(seen_engine *engine, sn_list *list, uint32_t flag);

/* The UI is to read the conversation anew. */
void sn_engine_notify(seen_engine *engine, sn_conv *conv);

#endif
