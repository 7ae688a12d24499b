/*
 * seen/types.h: the plain types that every part of libseen shares.
 *
 * Sequence numbers, epochs and versions are integers from 0 to SEEN_SEQ_MAX.
 * A seq of 0 means "none": the first message of a conversation has seq 1.
 * Times are milliseconds of a monotonic clock that the caller owns; only
 * `updated_at` and `sent_at` are server time, in milliseconds since 1970.
 */
#ifndef SEEN_TYPES_H
#define SEEN_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(SEEN_STATIC)
#define SEEN_API
#elif defined(_WIN32)
#if defined(SEEN_BUILDING)
#define SEEN_API __declspec(dllexport)
#else
#define SEEN_API __declspec(dllimport)
#endif
#else
#define SEEN_API __attribute__((visibility("default")))
#endif

/** What a pointer may be, for compilers and bindings that read it. */
#if defined(__clang__)
#define SEEN_NULLABLE _Nullable
#define SEEN_NONNULL _Nonnull
#else
#define SEEN_NULLABLE
#define SEEN_NONNULL
#endif

#if defined(__clang__)
#define SEEN_ASSUME_NONNULL_BEGIN                                              \
  _Pragma("clang diagnostic push")                                             \
      _Pragma("clang diagnostic ignored \"-Wnullability-extension\"")          \
          _Pragma("clang assume_nonnull begin")
#define SEEN_ASSUME_NONNULL_END                                                \
  _Pragma("clang assume_nonnull end") _Pragma("clang diagnostic pop")
#else
#define SEEN_ASSUME_NONNULL_BEGIN
#define SEEN_ASSUME_NONNULL_END
#endif

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

#define SEEN_VERSION_MAJOR 0
#define SEEN_VERSION_MINOR 1
#define SEEN_VERSION_PATCH 0
#define SEEN_VERSION "0.1.0"

/**
 * The version of the library that runs, as "major.minor.patch".
 *
 * It differs from SEEN_VERSION where another library was linked than the
 * headers came with.
 *
 * Thread: any. Ownership: static, never freed. Offline: yes.
 */
SEEN_API const char *seen_version(void);

/** The highest seq, epoch, version or time: integers that JSON keeps whole. */
#define SEEN_SEQ_MAX UINT64_C(9007199254740991)

/** No deadline: nothing will happen until the next input. */
#define SEEN_NEVER UINT64_MAX

/**
 * A conversation's handle in one engine, dense from 1; 0 is no conversation.
 *
 * A handle stands for its id as long as the engine lives, also when the
 * conversation was left or forgotten.
 */
typedef uint32_t seen_conv;

/** How large a conversation is allowed to be (F1, R4). */
typedef enum seen_kind {
  SEEN_KIND_DIRECT = 0, /**< two people */
  SEEN_KIND_GROUP = 1,  /**< a roster, counts and lists of readers */
  SEEN_KIND_LARGE = 2   /**< counts of readers only */
} seen_kind;

/** What a message is; only text counts by itself (F2). */
typedef enum seen_message_kind {
  SEEN_MESSAGE_TEXT = 0, /**< text, and media too */
  SEEN_MESSAGE_SYSTEM = 1,
  SEEN_MESSAGE_RECALL = 2,
  SEEN_MESSAGE_EDIT = 3,
  SEEN_MESSAGE_REACTION = 4
} seen_message_kind;

/** Why a message is a mention of the user (M1). */
typedef enum seen_mention_why {
  SEEN_MENTION_NONE = 0,
  SEEN_MENTION_ME = 1,
  SEEN_MENTION_ALL = 2,
  SEEN_MENTION_QUOTE = 3
} seen_mention_why;

/** Why a report or a mark was refused. */
typedef enum seen_refusal {
  SEEN_REFUSAL_CONFLICT = 1,     /**< a mark met a concurrent read (P4) */
  SEEN_REFUSAL_SEQ_OUT_OF_RANGE, /**< above the last visible seq (P3) */
  SEEN_REFUSAL_EPOCH_AHEAD,      /**< an epoch the server has not (P2) */
  SEEN_REFUSAL_RATE_LIMITED,     /**< too many; wait and send again (V7) */
  SEEN_REFUSAL_NOT_MEMBER,       /**< permanent (S5) */
  SEEN_REFUSAL_NOT_FOUND         /**< permanent (S5) */
} seen_refusal;

/** What an answer of the server answers. */
typedef enum seen_request {
  SEEN_REQUEST_REPORT = 0,
  SEEN_REQUEST_MARK_UNREAD = 1,
  SEEN_REQUEST_READ_ALL = 2
} seen_request;

/** A position: how far was read, in which epoch (section 2). */
typedef struct seen_position {
  uint64_t epoch; /**< rises with each rollback and rejoin */
  uint64_t seq;   /**< everything at or below is read */
  uint64_t high;  /**< the highest seq that was known when it was rolled back */
} seen_position;

/** A run of seqs, both ends inclusive, lo <= hi. */
typedef struct seen_run {
  uint64_t lo;
  uint64_t hi;
} seen_run;

/** One mention of the user. */
typedef struct seen_mention {
  uint64_t seq;
  seen_mention_why why;
} seen_mention;

/** What the app badge needs: sums over all rows (B4). */
typedef struct seen_totals {
  uint64_t unread;        /**< of unmuted conversations */
  uint64_t conversations; /**< unmuted, with unread or marked unread */
  uint64_t muted;         /**< unread of muted conversations, shown as a dot */
  uint64_t mentions;      /**< open mentions of all conversations */
} seen_totals;

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
