/*
 * seen/options.h: who the user is, and the policy by which messages count as
 * read and reports are sent.
 */
#ifndef SEEN_OPTIONS_H
#define SEEN_OPTIONS_H

#include <seen/error.h>
#include <seen/sys/alloc.h>
#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** What makes a message read (V1). */
typedef enum seen_read_policy {
  SEEN_READ_VIEWPORT = 0, /**< it was on screen for dwell_ms */
  SEEN_READ_ON_OPEN = 1   /**< its conversation is open */
} seen_read_policy;

/** What a message of one's own does to the position (F5). */
typedef enum seen_own_send {
  SEEN_OWN_SEND_NEUTRAL = 0, /**< nothing */
  SEEN_OWN_SEND_READS = 1    /**< one's own text at seq n reads up to n */
} seen_own_send;

/** How important a line of the log is. */
typedef enum seen_log_level {
  SEEN_LOG_DEBUG = 0,
  SEEN_LOG_INFO = 1,
  SEEN_LOG_WARN = 2,
  SEEN_LOG_ERROR = 3
} seen_log_level;

/**
 * A log hook. `text` is one line without a newline and is the callee's only
 * until it returns. It is called on the thread that called the library, may
 * not call the library, and holds no message text: ids and numbers only.
 */
typedef void (*seen_log)(seen_log_level level, const char *text,
                         void *SEEN_NULLABLE user_data);

/** Everything an engine is made with. Initialise with seen_options_init(). */
typedef struct seen_options {
  uint32_t size;               /**< sizeof(seen_options) */
  const char *user;            /**< this user's id, not empty; copied */
  const char *device;          /**< this device's id, may be empty; copied */
  seen_read_policy read;       /**< SEEN_READ_VIEWPORT */
  uint32_t dwell_ms;           /**< 150: on screen this long is read (V1) */
  uint32_t debounce_ms;        /**< 500: a report waits for quiet (V3) */
  uint32_t max_wait_ms;        /**< 1000: but never longer (V3) */
  uint32_t fetch_wait_ms;      /**< 1000: before a gap is asked for (U5) */
  uint32_t persist_ms;         /**< 200: changes wait to be written (S6) */
  uint32_t reports_per_second; /**< 2, 1 … 1000: the bucket's gain (V4) */
  uint32_t burst;              /**< 4, 1 … 1000: the bucket's size (V4) */
  uint32_t cap;                /**< 99: for seen_badge_text() (B1) */
  seen_own_send own_send;      /**< SEEN_OWN_SEND_NEUTRAL (F5) */
  bool receipts;               /**< true: for traces, decides nothing (S7) */
  bool delivered;              /**< false: send delivered positions */
  bool subscriptions;          /**< false: ask for receipts on screen (R5) */
  bool jitter; /**< false: make waits longer by up to half, at random (V7) */
  /**
   * 0: of all that is random: the op of a mark, which has to be its own for
   * ever, the hash tables' secret, jitter. Give a new random one each time.
   */
  uint64_t seed;
  seen_log SEEN_NULLABLE log; /**< NULL: no log */
  void *SEEN_NULLABLE log_user_data;
  seen_log_level log_level; /**< SEEN_LOG_WARN: what is below is not said */
  const seen_allocator *SEEN_NULLABLE allocator; /**< NULL: the default */
} seen_options;

/**
 * Fills in the defaults, which stand beside each field above. `user` and
 * `device` are empty afterwards and the caller's to set.
 *
 * Thread: any. Ownership: the caller's. Offline: yes.
 */
SEEN_API void seen_options_init(seen_options *options);

/**
 * Checks the options as seen_engine_new() does.
 *
 * Returns SEEN_EINVAL for an id that is NULL, not UTF-8 or longer than 255
 * bytes, an empty user, an allocator that lacks a function, or a size that is
 * not this library's; SEEN_ERANGE for a number out of its range. The error
 * says which field.
 *
 * Thread: any. Ownership: the caller's. Offline: yes.
 */
SEEN_API int seen_options_check(const seen_options *options,
                                seen_error *SEEN_NULLABLE error);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
