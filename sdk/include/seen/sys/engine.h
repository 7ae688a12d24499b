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
#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** An engine: one user on one device. */
typedef struct seen_engine seen_engine;

/* ---- what goes in ------------------------------------------------------- */

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
  uint64_t seq;
  bool bot; /**< of who joined */
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
  SEEN_INPUT_LEFT,           /**< seq: own membership ended */
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

/* ---- what comes out ----------------------------------------------------- */

typedef enum seen_effect_type {
  /* To the server, in the order of V10. */
  SEEN_EFFECT_RESYNC = 1, /**< ask for full snapshots */
  SEEN_EFFECT_FETCH,      /**< ask for this conversation's row */
  SEEN_EFFECT_MUTE,       /**< on */
  SEEN_EFFECT_PIN,        /**< on */
  SEEN_EFFECT_REPORT,     /**< report */
  SEEN_EFFECT_MARK_UNREAD, /**< mark */
  SEEN_EFFECT_READ_ALL,
  SEEN_EFFECT_DELIVERED,   /**< seq */
  SEEN_EFFECT_UNSUBSCRIBE, /**< range */
  SEEN_EFFECT_SUBSCRIBE,   /**< range */
  /* To the store: all that are pulled in one go are one transaction. */
  SEEN_EFFECT_STORE,  /**< write seen_engine_record() of it */
  SEEN_EFFECT_DELETE, /**< delete its record */
  /* To the UI: read the state anew. */
  SEEN_EFFECT_CONVERSATION_CHANGED,
  SEEN_EFFECT_LIST_CHANGED,  /**< rows came, went or moved */
  SEEN_EFFECT_TOTALS_CHANGED,
  SEEN_EFFECT_DRIFT /**< U8: a count was wrong and was corrected */
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

/** One effect; `conv` is 0 where it concerns no single conversation. */
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

/* ---- what can be asked -------------------------------------------------- */

/** All that a UI shows of one conversation. */
typedef struct seen_state {
  uint32_t size; /**< sizeof(seen_state) */
  seen_conv conv;
  const char *id; /**< borrowed, as long as the engine lives */
  seen_kind kind;
  uint64_t unread;        /**< U1 */
  bool exact;             /**< U6: what is known leaves this one answer */
  bool marked_unread;     /**< P4 */
  bool pending;           /**< V5: something is not the server's yet */
  bool muted;
  bool pinned;
  bool open;
  seen_badge_kind badge; /**< B2; text by seen_badge_text() */
  uint64_t mentions;       /**< M2 */
  uint64_t first_mention;  /**< 0: none */
  uint64_t first_unread;   /**< B5: the divider; 0: none */
  uint64_t read_seq;       /**< the position shown (P6) */
  uint64_t last_seq;       /**< U5 */
  seen_position server_read; /**< the server's position held */
  uint64_t updated_at;
} seen_state;

/** How far a message has come (R1, R2). */
typedef enum seen_receipt_state {
  SEEN_RECEIPT_SENT = 0,
  SEEN_RECEIPT_DELIVERED = 1,
  SEEN_RECEIPT_READ = 2
} seen_receipt_state;

/** Receipts of one message: read by `read` of `audience`. */
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

/** Counters since the engine was made. */
typedef struct seen_metrics {
  uint32_t size; /**< sizeof(seen_metrics) */
  uint64_t advances;        /**< a local read raised a shown position */
  uint64_t reports_sent;    /**< report objects */
  uint64_t report_frames;   /**< frames of reports */
  uint64_t reports_merged;  /**< advances while one was unsent already */
  uint64_t stale_positions; /**< server positions below the one held */
  uint64_t refused;         /**< refusals taken in */
  uint64_t unread_drift;    /**< U8 */
} seen_metrics;

/* ---- what is written (S6) ----------------------------------------------- */

/** Flags of a record. */
enum {
  SEEN_RECORD_GONE = 1u << 0,    /**< left, or refused for good */
  SEEN_RECORD_WAITING = 1u << 1, /**< for a snapshot of this incarnation */
  SEEN_RECORD_MUTED = 1u << 2,   /**< the server's word */
  SEEN_RECORD_PINNED = 1u << 3,
  SEEN_RECORD_WANT_MUTE = 1u << 4, /**< the person's, not the server's yet */
  SEEN_RECORD_WANT_MUTED = 1u << 5,
  SEEN_RECORD_WANT_PIN = 1u << 6,
  SEEN_RECORD_WANT_PINNED = 1u << 7,
  SEEN_RECORD_COUNTED = 1u << 8, /**< tally_counted is known */
  SEEN_RECORD_WISH = 1u << 9,
  SEEN_RECORD_WISH_KEEP = 1u << 10,
  SEEN_RECORD_MARK = 1u << 11,
  SEEN_RECORD_MARK_KEEP = 1u << 12,
  SEEN_RECORD_ACKED = 1u << 13
};

/** A live recall or edit above the tally: what it does below itself. */
typedef struct seen_note {
  uint64_t seq;
  uint64_t target;
  seen_mention_why mention; /**< NONE: a recall of target */
} seen_note;

/** Who sent a run of messages. */
typedef struct seen_sender {
  seen_run run;
  const char *user;
  bool text; /**< the kind was text */
} seen_sender;

/**
 * What is kept of one conversation over a restart. Everything it points at is
 * borrowed from the engine until its next feed, intern or record.
 */
typedef struct seen_record {
  uint32_t size; /**< sizeof(seen_record) */
  const char *id;
  seen_kind kind;
  uint32_t flags; /**< SEEN_RECORD_… */
  seen_position read;
  uint64_t last_seq;
  uint64_t floor;
  uint64_t join_seq;
  uint64_t updated_at;
  uint64_t tally_version;
  uint64_t tally_last;
  uint64_t tally_from;
  uint64_t tally_base;
  uint64_t tally_counted;
  uint64_t delivered_here;
  uint64_t delivered_server;
  uint64_t wish_epoch;
  uint64_t wish_read;
  uint64_t wish_shown;
  seen_mark mark;
  uint64_t acked_epoch; /**< S4 */
  uint64_t acked_seq;
  uint64_t own; /**< S2: read here, less later rollbacks */
  const seen_run *SEEN_NULLABLE uncountable; /**< known to be; not found */
  size_t uncountable_count;
  const seen_run *SEEN_NULLABLE live; /**< seqs that came above the tally */
  size_t live_count;
  const seen_run *SEEN_NULLABLE found; /**< uncountable, found here (U7) */
  size_t found_count;
  const seen_run *SEEN_NULLABLE cleared; /**< M4 */
  size_t cleared_count;
  const seen_mention *SEEN_NULLABLE mentions; /**< said, cleared or not */
  size_t mention_count;
  const seen_mention *SEEN_NULLABLE found_mentions;
  size_t found_mention_count;
  const seen_note *SEEN_NULLABLE notes;
  size_t note_count;
  const seen_sender *SEEN_NULLABLE senders;
  size_t sender_count;
  const seen_member *SEEN_NULLABLE members;
  size_t member_count;
  const seen_peer *SEEN_NULLABLE peers;
  size_t peer_count;
  const seen_receipt_row *SEEN_NULLABLE receipts;
  size_t receipt_count;
} seen_record;

/* ---- functions ---------------------------------------------------------- */

/**
 * Makes an engine: no conversations, in the foreground, with focus, link up,
 * bucket full (V4). `now` starts its clock.
 *
 * Fails with SEEN_EINVAL or SEEN_ERANGE as seen_options_check() says, or
 * SEEN_ENOMEM. `*out` is NULL then.
 *
 * Thread: any. Ownership: the caller frees `*out` with seen_engine_free();
 * `options` is copied, its allocator must outlive the engine. Offline: yes.
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
 * Takes one input that happened at `now`. Timers that were due by then fire
 * first, in time order; everything that is due at `now` afterwards fires
 * last (V10). Effects wait until they are pulled.
 *
 * An input for a conversation without a row is no error: it is ignored, or
 * asks for the row (S8).
 *
 * Fails with SEEN_EINVAL or SEEN_ERANGE for an input that is malformed (the
 * error says how), SEEN_ECLOCK for a `now` below the last one, SEEN_ENOMEM.
 * After a failure the input has changed nothing and can be fed again; timers
 * may have fired.
 *
 * Thread: one at a time an engine. Ownership: the input is the caller's.
 * Offline: yes.
 */
SEEN_API int seen_engine_feed(seen_engine *engine, const seen_input *input,
                              uint64_t now, seen_error *SEEN_NULLABLE error);

/**
 * Pulls the next effect. Returns true and fills in `effect`, or false when
 * there is none.
 *
 * Thread: one at a time an engine. Ownership: what the effect points at is
 * borrowed until the next feed. Offline: yes.
 */
SEEN_API bool seen_engine_next(seen_engine *engine, seen_effect *effect);

/**
 * When to feed a SEEN_INPUT_TICK if nothing else is fed before; SEEN_NEVER
 * where nothing waits.
 *
 * Thread: one at a time an engine. Ownership: none. Offline: yes.
 */
SEEN_API uint64_t seen_engine_deadline(const seen_engine *engine);

/**
 * What a UI shows of one conversation.
 *
 * Fails with SEEN_ENOTFOUND where it has no row (unknown, left, forgotten).
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
SEEN_API int seen_engine_next_mention(const seen_engine *engine,
                                      seen_conv conv, uint64_t after,
                                      seen_mention *mention);

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
 * `*count` becomes how many there are; at most `limit` are filled in.
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
 * NUL; `*length` becomes the whole text's length.
 *
 * Fails with SEEN_ENOTFOUND for an unknown conversation.
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
SEEN_API int seen_engine_restore(seen_engine *engine,
                                 const seen_record *record,
                                 seen_error *SEEN_NULLABLE error);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
