/*
 * seen/sys/effect.h: what comes out of an engine: what to send, what to write,
 * what changed.
 *
 * Rule ids (P2, U5 …) are those of docs/semantics.md.
 */
#ifndef SEEN_SYS_EFFECT_H
#define SEEN_SYS_EFFECT_H

#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

typedef enum seen_effect_type {
  /* To the server, in the order of V10. */
  SEEN_EFFECT_RESYNC = 1,  /**< ask for full snapshots */
  SEEN_EFFECT_FETCH,       /**< ask for this conversation's row */
  SEEN_EFFECT_MUTE,        /**< on */
  SEEN_EFFECT_PIN,         /**< on */
  SEEN_EFFECT_REPORT,      /**< report */
  SEEN_EFFECT_MARK_UNREAD, /**< mark */
  SEEN_EFFECT_READ_ALL,    /**< nothing more (V11) */
  SEEN_EFFECT_DELIVERED,   /**< seq */
  SEEN_EFFECT_UNSUBSCRIBE, /**< range */
  SEEN_EFFECT_SUBSCRIBE,   /**< range */
  /* To the store: all that are pulled in one go are one transaction. */
  SEEN_EFFECT_STORE,  /**< write seen_engine_record() of it */
  SEEN_EFFECT_DELETE, /**< delete its record */
  SEEN_EFFECT_SYNC,   /**< what was written is to outlive a power failure */
  /* To the UI: read the state anew. */
  SEEN_EFFECT_CONVERSATION_CHANGED,
  SEEN_EFFECT_LIST_CHANGED, /**< rows came, went or moved */
  SEEN_EFFECT_TOTALS_CHANGED,
  SEEN_EFFECT_DRIFT /**< a count differed from its recount (U8) */
} seen_effect_type;

/** A read report (P7, M4). */
typedef struct seen_report {
  uint64_t epoch;
  uint64_t seq;
  const uint64_t *SEEN_NULLABLE cleared; /**< rising; borrowed */
  size_t cleared_count;
  bool keep;      /**< clear no mention but those in cleared (M3) */
  uint32_t frame; /**< reports with one number leave in one frame (V4) */
} seen_report;

/** A mark as unread (P4, P7). */
typedef struct seen_mark {
  uint64_t expected_epoch;
  uint64_t expected_seq;
  uint64_t target;
  uint64_t op; /**< random, the same whenever this mark is sent again */
} seen_mark;

/**
 * One effect; `conv` is 0 where it concerns no single conversation. The
 * comment of its type names its member of the union, if it has one.
 */
typedef struct seen_effect {
  uint32_t size; /**< sizeof(seen_effect) */
  seen_effect_type type;
  seen_conv conv;
  union {
    seen_report report;
    seen_mark mark;
    seen_run range;
    uint64_t seq;
    bool on;
  } u;
} seen_effect;

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
