/*
 * seen/sys/working.h: what an engine holds besides its records: what is on
 * its way, on screen, or waiting for a time. A restart loses it; a recorder
 * that begins in the middle needs it (docs/trace.md).
 *
 * Rule ids (P2, U5 …) are those of docs/semantics.md.
 */
#ifndef SEEN_SYS_WORKING_H
#define SEEN_SYS_WORKING_H

#include <seen/sys/engine.h>
#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** Flags of what is in work. */
enum {
  SEEN_WORKING_OPEN = 1u << 0,       /**< the conversation is open */
  SEEN_WORKING_BLOCKED = 1u << 1,    /**< nothing is read until closed (V8) */
  SEEN_WORKING_SENT = 1u << 2,       /**< a report is in flight */
  SEEN_WORKING_MARK_SENT = 1u << 3,  /**< the open mark is */
  SEEN_WORKING_NOW_DUE = 1u << 4,    /**< what is unsent waits for no time */
  SEEN_WORKING_PASS_LIMIT = 1u << 5, /**< nor for a token (V4) */
  SEEN_WORKING_FETCHED = 1u << 6,    /**< unknown, and asked for (S8) */
  SEEN_WORKING_UNWRITTEN = 1u << 7   /**< changed since it was written */
};

/** Rows that came on screen at one time (V1). */
typedef struct seen_stay {
  seen_run rows;
  uint64_t since;
  bool read; /**< its dwell ended */
} seen_stay;

/** Seqs that are missed since a time (U5). */
typedef struct seen_gap {
  seen_run run;
  uint64_t since;
} seen_gap;

/**
 * What is in work of one conversation. Times are SEEN_NEVER where nothing
 * happened. Everything it points at is borrowed from the engine until its
 * next feed, intern, record or working.
 */
typedef struct seen_working {
  uint32_t size;       /**< sizeof(seen_working) */
  uint32_t flags;      /**< SEEN_WORKING_… */
  uint64_t sent_epoch; /**< of the report in flight */
  uint64_t sent_seq;
  const seen_run *SEEN_NULLABLE sent_cleared; /**< M4, in flight */
  size_t sent_cleared_count;
  uint64_t first_advance; /**< not reported (V3) */
  uint64_t last_advance;
  uint64_t retry_at; /**< V7 */
  uint64_t backoff;
  const seen_gap *SEEN_NULLABLE gaps; /**< not asked for on this link */
  size_t gap_count;
  uint64_t delivered_sent;
  uint64_t delivered_first;
  uint64_t delivered_last;
  seen_run on_screen;                   /**< 0, 0: nothing */
  seen_run subscribed;                  /**< 0, 0: nothing (R5) */
  uint64_t first_unread;                /**< the divider while open (B5) */
  const seen_stay *SEEN_NULLABLE stays; /**< by rows */
  size_t stay_count;
} seen_working;

/** What an engine holds of no single conversation. */
typedef struct seen_session {
  uint32_t size; /**< sizeof(seen_session) */
  uint64_t now;
  bool link;
  bool foreground;
  bool focus;
  uint64_t units; /**< of the bucket at `units_at` (V4); resumed with
                       SEEN_NEVER: full */
  uint64_t units_at;
  uint64_t random;      /**< the state that random numbers come from */
  uint64_t dirty_since; /**< SEEN_NEVER: nothing is unwritten (S6) */
  seen_metrics metrics;
} seen_session;

/**
 * What is in work of a conversation. One that has no row can still be
 * unwritten (deleted) or fetched.
 *
 * Fails with SEEN_ENOTFOUND for no such handle, SEEN_ENOMEM.
 *
 * Thread: one at a time an engine. Ownership: borrowed until the next feed,
 * intern, record or working. Offline: yes.
 */
SEEN_API int seen_engine_working(seen_engine *engine, seen_conv conv,
                                 seen_working *working);

/**
 * What the engine holds of no single conversation.
 *
 * Thread: one at a time an engine. Ownership: the caller's struct.
 * Offline: yes.
 */
SEEN_API void seen_engine_session(const seen_engine *engine,
                                  seen_session *session);

/**
 * Puts back what seen_engine_working() gave, after seen_engine_restore() of
 * the conversation's record, if it has one. Only before the first feed, and
 * before seen_engine_resume_session(). The engine was made at the session's
 * `now`.
 *
 * Fails with SEEN_ESTATE after a feed, SEEN_EINVAL or SEEN_ERANGE for what
 * no engine gives, SEEN_ENOMEM; nothing of it is taken then.
 *
 * Thread: one at a time an engine. Ownership: `working` is the caller's.
 * Offline: yes.
 */
SEEN_API int seen_engine_resume(seen_engine *engine, const char *id,
                                const seen_working *working,
                                seen_error *SEEN_NULLABLE error);

/**
 * Puts back what seen_engine_session() gave. Only before the first feed, and
 * last: the engine then goes on as the one it was taken from.
 *
 * Fails with SEEN_ESTATE after a feed, SEEN_EINVAL for a `now` that is not
 * the engine's or what no engine gives.
 *
 * Thread: one at a time an engine. Ownership: `session` is the caller's.
 * Offline: yes.
 */
SEEN_API int seen_engine_resume_session(seen_engine *engine,
                                        const seen_session *session,
                                        seen_error *SEEN_NULLABLE error);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
