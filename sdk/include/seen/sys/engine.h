/*
 * seen/sys/engine.h: the engine, for hosts with a socket and a protocol of
 * their own. It opens no socket, file, clock or thread.
 *
 * In goes one typed input at a time with the time it happened at; out come
 * effects, which the caller pulls until there are none: what to send, what to
 * write, what changed. The next deadline says when to feed a tick if nothing
 * else happens before. The same inputs give the same effects, always.
 *
 * An engine is used by one thread at a time. This header's promise is weaker
 * than that of <seen/seen.h>: it may change between minor versions.
 *
 * Rule ids (P2, U5 …) are those of docs/semantics.md.
 */
#ifndef SEEN_SYS_ENGINE_H
#define SEEN_SYS_ENGINE_H

#include <seen/badge.h>
#include <seen/error.h>
#include <seen/options.h>
#include <seen/sys/effect.h>
#include <seen/sys/input.h>
#include <seen/sys/record.h>
#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** An engine: one user on one device. */
typedef struct seen_engine seen_engine;

/** All that a UI shows of one conversation. Filled in with its size. */
typedef struct seen_state {
  uint32_t size; /**< sizeof(seen_state) */
  seen_conv conv;
  const char *id; /**< borrowed, as long as the engine lives */
  seen_kind kind;
  uint64_t unread;    /**< U1 */
  bool exact;         /**< U6: what is known leaves this one answer */
  bool marked_unread; /**< P4 */
  bool pending;       /**< V5: something is not the server's yet */
  bool muted;
  bool pinned;
  bool open;
  seen_badge_kind badge;     /**< B2; text by seen_badge_text() */
  uint64_t mentions;         /**< M2 */
  uint64_t first_mention;    /**< 0: none */
  uint64_t first_unread;     /**< B5: the divider; 0: none */
  uint64_t read_seq;         /**< the position shown (P6) */
  uint64_t last_seq;         /**< U5 */
  seen_position server_read; /**< the server's position held */
  uint64_t updated_at;
} seen_state;

/** How far a message has come (R1, R2). */
typedef enum seen_receipt_state {
  SEEN_RECEIPT_SENT = 0,
  SEEN_RECEIPT_DELIVERED = 1,
  SEEN_RECEIPT_READ = 2
} seen_receipt_state;

/** Receipts of one message: read by `read` of `audience`. Likewise. */
typedef struct seen_receipt {
  uint32_t size; /**< sizeof(seen_receipt) */
  seen_receipt_state state;
  uint64_t read;
  uint64_t delivered;
  uint64_t audience;
} seen_receipt;

/** Which people seen_engine_readers() lists. */
typedef enum seen_readers {
  SEEN_READERS_READ = 0,
  SEEN_READERS_UNREAD = 1
} seen_readers;

/** Counters since the engine was made. Likewise. */
typedef struct seen_metrics {
  uint32_t size;            /**< sizeof(seen_metrics) */
  uint64_t advances;        /**< a local read raised a shown position */
  uint64_t reports_sent;    /**< report objects */
  uint64_t report_frames;   /**< frames of reports */
  uint64_t reports_merged;  /**< advances while one was unsent already */
  uint64_t stale_positions; /**< server positions below the one held */
  uint64_t refused;         /**< refusals taken in */
  uint64_t unread_drift;    /**< U8 */
} seen_metrics;

/**
 * Makes an engine: no conversations, in the foreground, with focus, link up,
 * bucket full (V4). `now`, in ms, starts its clock.
 *
 * Fails with SEEN_EINVAL or SEEN_ERANGE as seen_options_check() says, with
 * SEEN_ERANGE for a `now` above SEEN_SEQ_MAX, with SEEN_ENOMEM. `*out` is NULL
 * then.
 *
 * Thread: any. Ownership: the caller frees `*out` with seen_engine_free();
 * `options` is copied; its allocator, and its log with `log_user_data`, must
 * outlive the engine. Offline: yes.
 */
SEEN_API int seen_engine_new(const seen_options *options, uint64_t now,
                             seen_engine *SEEN_NULLABLE *SEEN_NONNULL out,
                             seen_error *SEEN_NULLABLE error);

/**
 * Frees an engine and all that was borrowed from it. NULL is fine.
 *
 * Thread: one at a time an engine. Ownership: ends. Offline: yes.
 */
SEEN_API void seen_engine_free(seen_engine *SEEN_NULLABLE engine);

/**
 * Gives an id its handle, a new one where it has none. This makes no row.
 *
 * Fails with SEEN_EINVAL for an empty id or one of more than 255 bytes,
 * SEEN_ENOMEM.
 *
 * Thread: one at a time an engine. Ownership: the id is copied. Offline: yes.
 */
SEEN_API int seen_engine_intern(seen_engine *engine, const char *id,
                                seen_conv *conv,
                                seen_error *SEEN_NULLABLE error);

/**
 * The handle of an id, 0 where it has none.
 *
 * Thread: one at a time an engine. Ownership: none. Offline: yes.
 */
SEEN_API seen_conv seen_engine_find(const seen_engine *engine, const char *id);

/**
 * The id of a handle; NULL where the handle is none.
 *
 * Thread: one at a time an engine. Ownership: borrowed, as long as the engine
 * lives. Offline: yes.
 */
SEEN_API const char *SEEN_NULLABLE seen_engine_id(const seen_engine *engine,
                                                  seen_conv conv);

/**
 * Takes one input that happened at `now`, in ms. Timers that were due by then
 * fire first, in time order; everything that is due at `now` afterwards fires
 * last (V10). Effects wait until they are pulled.
 *
 * An input for a conversation without a row is no error: it is ignored, or
 * asks for the row (S8).
 *
 * Fails with SEEN_EINVAL or SEEN_ERANGE for an input that is malformed or
 * names no handle of this engine (the error says how), SEEN_ERANGE for a `now`
 * above SEEN_SEQ_MAX, SEEN_ECLOCK for one below the last, SEEN_ENOMEM.
 * After a failure the input has changed nothing and can be fed again; timers
 * may have fired.
 *
 * Thread: one at a time an engine. Ownership: the input is the caller's.
 * Offline: yes.
 */
SEEN_API int seen_engine_feed(seen_engine *engine, const seen_input *input,
                              uint64_t now, seen_error *SEEN_NULLABLE error);

/**
 * Pulls the next effect: first those to the server, then to the store, then
 * to the UI. Returns true and fills in `effect`, or false when there is none.
 *
 * Thread: one at a time an engine. Ownership: what the effect points at is
 * borrowed until the next feed. Offline: yes.
 */
SEEN_API bool seen_engine_next(seen_engine *engine, seen_effect *effect);

/**
 * When to feed a SEEN_INPUT_TICK if nothing else is fed before, in ms of the
 * clock of `now`; SEEN_NEVER where nothing waits. After SEEN_ENOMEM it may be
 * the last `now` or earlier: what was due still is.
 *
 * Thread: one at a time an engine. Ownership: none. Offline: yes.
 */
SEEN_API uint64_t seen_engine_deadline(const seen_engine *engine);

/**
 * What a UI shows of one conversation.
 *
 * Fails with SEEN_ENOTFOUND where it has no row (unknown, left, forgotten);
 * `state` is unchanged then.
 *
 * Thread: one at a time an engine. Ownership: the caller's struct.
 * Offline: yes.
 */
SEEN_API int seen_engine_state(const seen_engine *engine, seen_conv conv,
                               seen_state *state);

/**
 * The sums over all rows, kept incrementally (B4).
 *
 * Thread: one at a time an engine. Ownership: the caller's struct.
 * Offline: yes.
 */
SEEN_API void seen_engine_totals(const seen_engine *engine,
                                 seen_totals *totals);

/**
 * How many rows the list has.
 *
 * Thread: one at a time an engine. Ownership: none. Offline: yes.
 */
SEEN_API size_t seen_engine_count(const seen_engine *engine);

/**
 * A page of the list in display order (B3): up to `limit` rows from `offset`.
 * Returns how many were filled in.
 *
 * Thread: one at a time an engine. Ownership: the caller's array.
 * Offline: yes.
 */
SEEN_API size_t seen_engine_page(seen_engine *engine, size_t offset,
                                 size_t limit, seen_state *rows);

/**
 * The first open mention above `after` (M5).
 *
 * Fails with SEEN_ENOTFOUND where there is none or the conversation has no
 * row.
 *
 * Thread: one at a time an engine. Ownership: the caller's struct.
 * Offline: yes.
 */
SEEN_API int seen_engine_next_mention(const seen_engine *engine, seen_conv conv,
                                      uint64_t after, seen_mention *mention);

/**
 * Who has a message: counts from the roster, or from the server where it
 * sent counts (R1, R2). A message whose sender is not known is taken as this
 * user's own.
 *
 * Fails with SEEN_ENOTFOUND for an unknown conversation, SEEN_ERANGE for seq
 * 0 or above SEEN_SEQ_MAX.
 *
 * Thread: one at a time an engine. Ownership: the caller's struct.
 * Offline: yes.
 */
SEEN_API int seen_engine_receipt(const seen_engine *engine, seen_conv conv,
                                 uint64_t seq, seen_receipt *receipt);

/**
 * The people who read a message, or who did not yet, sorted by the bytes of
 * their ids.
 *
 * `*count` becomes how many there are; at most `limit` are filled in; `users`
 * may be NULL where that is 0. After a failure `*count` is 0.
 *
 * Fails with SEEN_ENOTFOUND for an unknown conversation, SEEN_ERANGE as
 * seen_engine_receipt() does, SEEN_EUNSUPPORTED for a large conversation,
 * which has counts only (R4), SEEN_ENOMEM.
 *
 * Thread: one at a time an engine. Ownership: ids are borrowed, as long as
 * the engine lives. Offline: yes.
 */
SEEN_API int seen_engine_readers(seen_engine *engine, seen_conv conv,
                                 uint64_t seq, seen_readers which,
                                 const char *SEEN_NULLABLE *SEEN_NULLABLE users,
                                 size_t limit, size_t *count);

/**
 * Counters since the engine was made.
 *
 * Thread: one at a time an engine. Ownership: the caller's struct.
 * Offline: yes.
 */
SEEN_API void seen_engine_metrics(const seen_engine *engine,
                                  seen_metrics *metrics);

/**
 * How one conversation's unread came about, term by term, as lines of text
 * for a person. Written as snprintf() does: at most `size` bytes with the
 * NUL; `*length` becomes the whole text's length. `text` may be NULL where
 * `size` is 0.
 *
 * Fails with SEEN_ENOTFOUND for one that was forgotten or never had a row;
 * `*length` is 0 then.
 *
 * Thread: one at a time an engine. Ownership: the caller's buffer.
 * Offline: yes.
 */
SEEN_API int seen_engine_explain(const seen_engine *engine, seen_conv conv,
                                 char *SEEN_NULLABLE text, size_t size,
                                 size_t *length);

/**
 * What is to be written of one conversation (S6).
 *
 * Fails with SEEN_ENOTFOUND for one that was forgotten or never had a row,
 * SEEN_ENOMEM.
 *
 * Thread: one at a time an engine. Ownership: borrowed until the next feed,
 * intern or record. Offline: yes.
 */
SEEN_API int seen_engine_record(seen_engine *engine, seen_conv conv,
                                seen_record *record);

/**
 * Takes back what seen_engine_record() gave, after a restart. Only before
 * the first feed. The link is down afterwards, and every wish is due at link
 * up (S6).
 *
 * Fails with SEEN_ESTATE after a feed or for a conversation that is there
 * already, SEEN_EINVAL or SEEN_ERANGE for a record that no engine writes,
 * SEEN_ENOMEM; nothing of that record is taken then.
 *
 * Thread: one at a time an engine. Ownership: the record is the caller's.
 * Offline: yes.
 */
SEEN_API int seen_engine_restore(seen_engine *engine, const seen_record *record,
                                 seen_error *SEEN_NULLABLE error);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
