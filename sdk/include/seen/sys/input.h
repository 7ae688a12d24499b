/*
 * seen/sys/input.h: what goes into an engine: what the server said, what the
 * person did, what became of the app and the link.
 *
 * Rule ids (P2, U5 …) are those of docs/semantics.md.
 */
#ifndef SEEN_SYS_INPUT_H
#define SEEN_SYS_INPUT_H

#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** Optional fields of a word: a bit says that the field was said. */
enum {
  SEEN_WORD_FROM = 1u << 0,
  SEEN_WORD_COUNTED = 1u << 1,
  SEEN_WORD_FLOOR = 1u << 2,
  SEEN_WORD_UNREAD = 1u << 3,
  /** Nothing is known of what is uncountable up to last_seq (U6). */
  SEEN_WORD_UNCOUNTABLE_UNKNOWN = 1u << 4
};

/** The server's whole word on a conversation: position and tally (U2). */
typedef struct seen_word {
  seen_position read;
  uint64_t last_seq;
  uint64_t version;
  uint32_t fields; /**< SEEN_WORD_… */
  uint64_t from;
  uint64_t counted;
  uint64_t floor;
  uint64_t unread;
  const seen_run *SEEN_NULLABLE uncountable; /**< any order, may overlap */
  size_t uncountable_count;
  const seen_mention *SEEN_NULLABLE mentions; /**< any order */
  size_t mention_count;
} seen_word;

/** One membership period of a person, both ends inclusive (R2, R3). */
typedef struct seen_member {
  const char *user;
  uint64_t join_seq;
  uint64_t leave_seq; /**< 0: still a member */
  uint64_t read_seq;
  uint64_t delivered_seq;
  bool bot; /**< in no audience */
} seen_member;

/** Optional fields of a snapshot. */
enum {
  SEEN_SNAPSHOT_MUTED = 1u << 0,
  SEEN_SNAPSHOT_PINNED = 1u << 1,
  SEEN_SNAPSHOT_UPDATED_AT = 1u << 2,
  SEEN_SNAPSHOT_JOIN_SEQ = 1u << 3,
  SEEN_SNAPSHOT_LEAVE_SEQ = 1u << 4, /**< left: the user is no member */
  SEEN_SNAPSHOT_DELIVERED_SEQ = 1u << 5,
  SEEN_SNAPSHOT_ROSTER = 1u << 6
};

/** A server's row of one conversation. */
typedef struct seen_snapshot {
  seen_kind kind;
  seen_word word;
  uint32_t fields; /**< SEEN_SNAPSHOT_… */
  bool muted;
  bool pinned;
  uint64_t updated_at;
  uint64_t join_seq;
  uint64_t leave_seq;
  uint64_t delivered_seq;
  const seen_member *SEEN_NULLABLE roster; /**< replaces the roster held */
  size_t roster_count;
} seen_snapshot;

/** Whether a message says itself that it counts (F2). */
typedef enum seen_countable {
  SEEN_COUNTABLE_BY_KIND = 0,
  SEEN_COUNTABLE_NO = 1,
  SEEN_COUNTABLE_YES = 2
} seen_countable;

/** One live message. It holds no text. */
typedef struct seen_message {
  uint64_t seq;
  const char *from; /**< the sender's user id */
  seen_message_kind kind;
  seen_countable countable;
  seen_mention_why mention;
  uint64_t target;  /**< of a recall or an edit, below seq; 0: none */
  uint64_t sent_at; /**< server time; 0: not said */
  bool hidden;      /**< from this user */
} seen_message;

/** A server's answer; `refusal` matters for SEEN_INPUT_REFUSE only. */
typedef struct seen_answer {
  seen_request of;
  seen_refusal refusal;
  bool has_word; /**< always true of an ack */
  seen_word word;
  uint64_t retry_ms; /**< of SEEN_REFUSAL_RATE_LIMITED; 0: not said */
} seen_answer;

/** What this device found out by itself (U7). */
typedef struct seen_found {
  uint64_t seq;
  seen_mention_why mention; /**< a mention after all, or NONE … */
  bool uncountable;         /**< … or a message that does not count */
} seen_found;

/** Somebody's membership began or ended. */
typedef struct seen_membership {
  const char *user;
  uint64_t seq; /**< the first of the period, or its last */
  bool bot;     /**< of who joined */
} seen_membership;

typedef struct seen_members {
  const seen_membership *SEEN_NULLABLE joined;
  size_t joined_count;
  const seen_membership *SEEN_NULLABLE left; /**< applied before joined */
  size_t left_count;
} seen_members;

/** How far a peer has read and received; 0: not said. */
typedef struct seen_peer {
  const char *user;
  uint64_t read_seq;
  uint64_t delivered_seq;
} seen_peer;

/** The server's counts of one message's readers. */
typedef struct seen_receipt_row {
  uint64_t seq;
  uint64_t read;
  uint64_t audience;
  uint64_t delivered; /**< 0 where not said */
} seen_receipt_row;

typedef struct seen_receipt_rows {
  const seen_receipt_row *SEEN_NULLABLE rows;
  size_t count;
} seen_receipt_rows;

/** The server's word on settings of a row. */
typedef struct seen_settings {
  bool has_muted;
  bool muted;
  bool has_pinned;
  bool pinned;
} seen_settings;

/** A seq that may be left out. */
typedef struct seen_optional_seq {
  bool said;
  uint64_t seq;
} seen_optional_seq;

/** What an input is; the comment names its member of the union. */
typedef enum seen_input_type {
  SEEN_INPUT_TICK = 0,       /**< only lets time pass */
  SEEN_INPUT_CONVERSATION,   /**< snapshot: a server's row */
  SEEN_INPUT_MESSAGE,        /**< message: live */
  SEEN_INPUT_POSITION,       /**< word: pushed */
  SEEN_INPUT_ACK,            /**< answer */
  SEEN_INPUT_REFUSE,         /**< answer */
  SEEN_INPUT_FOUND,          /**< found */
  SEEN_INPUT_MEMBERS,        /**< members */
  SEEN_INPUT_PEER,           /**< peer */
  SEEN_INPUT_RECEIPTS,       /**< receipts */
  SEEN_INPUT_SET,            /**< settings: the server's word */
  SEEN_INPUT_LEFT,           /**< seq, may be said: own membership ended */
  SEEN_INPUT_FORGET,         /**< the conversation is deleted */
  SEEN_INPUT_OPEN,           /**< the person opened it */
  SEEN_INPUT_VISIBLE,        /**< range: what is on screen; 0, 0: nothing */
  SEEN_INPUT_CLOSE,          /**< the person closed it */
  SEEN_INPUT_MARK_READ,      /**< seq: up to here; not said: all */
  SEEN_INPUT_MARK_UNREAD,    /**< seq: the target; not said: P4 */
  SEEN_INPUT_CLEAR_MENTIONS, /**< every mention of the conversation */
  SEEN_INPUT_MUTE,           /**< on */
  SEEN_INPUT_PIN,            /**< on */
  /* Those above concern one conversation, those below all. */
  SEEN_INPUT_READ_ALL,     /**< mark all as read */
  SEEN_INPUT_APP,          /**< on: in the foreground */
  SEEN_INPUT_FOCUS,        /**< on: the window has focus */
  SEEN_INPUT_LINK,         /**< on: the link is up */
  SEEN_INPUT_FLUSH,        /**< report now, says the caller */
  SEEN_INPUT_REPORT_NOW,   /**< report now, says the server */
  SEEN_INPUT_SERVER_RESET, /**< another incarnation; snapshots follow */
  SEEN_INPUT_SNAPSHOT_END, /**< and are complete */
  SEEN_INPUT_AUDIT         /**< recount every cache (U8) */
} seen_input_type;

/** Whether an input of that type concerns one conversation. */
#define SEEN_INPUT_HAS_CONV(type)                                              \
  ((type) >= SEEN_INPUT_CONVERSATION && (type) <= SEEN_INPUT_PIN)

/**
 * One input. Zero-initialise it and set `size`, `type`, the conversation and
 * the union's member. Everything it points at is the caller's and is copied
 * if kept.
 */
typedef struct seen_input {
  uint32_t size; /**< sizeof(seen_input) */
  seen_input_type type;
  seen_conv conv;               /**< a handle, or 0 and … */
  const char *SEEN_NULLABLE id; /**< … the conversation's id */
  union {
    seen_snapshot snapshot;
    seen_message message;
    seen_word word;
    seen_answer answer;
    seen_found found;
    seen_members members;
    seen_peer peer;
    seen_receipt_rows receipts;
    seen_settings settings;
    seen_optional_seq seq;
    seen_run range;
    bool on;
  } u;
} seen_input;

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
