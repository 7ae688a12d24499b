/*
 * seen/sys/trace.h: the lines of a trace as typed structs, and back.
 *
 * A trace is JSON Lines: what an engine was fed and what is expected of it
 * (docs/trace.md). Here one line is parsed or written; when to feed it and
 * what to compare is the caller's. Writing gives the line that parses to the
 * same struct.
 *
 * A parser is strict: an unknown verb or field, a missing one, a value of the
 * wrong type are errors, whose message names them.
 *
 * A `state` line holds a seen_record. Beside `conv` and `kind` all members
 * may be left out and are 0, false or empty then:
 *
 *   gone, waiting      SEEN_RECORD_GONE, SEEN_RECORD_WAITING
 *   muted, pinned      the server's word
 *   want_muted, want_pinned   the person's, where it is not the server's yet
 *   read               {"epoch","seq","high"}: the server's position held
 *   last_seq, floor, join_seq, updated_at
 *   tally              {"version","last_seq","from","base","counted"};
 *                      `counted` left out: not known
 *   uncountable, live, found, cleared   seqs and runs, as in a word
 *   mentions, found_mentions   as in a word
 *   delivered          {"here","server"}
 *   wish               {"epoch","read","shown","keep"}
 *   mark               {"expected":{"epoch","seq"},"target","op","keep"};
 *                      `op` is 16 hexadecimal digits
 *   acked              {"epoch","seq"}
 *   own
 *   notes              [{"seq","target","why"}]; `why` left out: a recall
 *   senders            [{"from","to","user","text"}]
 *   members            as `roster`
 *   peers              [{"user","read_seq","delivered_seq"}]
 *   receipts           as `rows`
 *   working            what is in work, a seen_working:
 *     open, blocked, now_due, pass_limit, fetched, unwritten
 *     in_flight, mark_in_flight   SEEN_WORKING_SENT, SEEN_WORKING_MARK_SENT
 *     sent             {"epoch","seq","cleared"}: the last report
 *     advance          {"first","last"}: times of what is unreported
 *     retry_at, backoff   1000 where it is left out
 *     gaps             [{"from","to","since"}]
 *     delivered        {"sent","first","last"}
 *     on_screen, subscribed   {"from","to"}
 *     first_unread
 *     stays            [{"from","to","since","read"}]
 *   written            of what is unwritten: the record as it was last
 *                      written, without `conv`; left out: there was none
 *
 * Times that are left out are SEEN_NEVER, but for `since`. A conversation that
 * has no record (deleted, or unknown and fetched) has no `kind`: `conv`,
 * `working` and `written` alone. Without `conv` the line holds the session:
 *
 *   link, app, focus   "up", "foreground" and true where they are left out
 *   bucket             {"units","at"}; left out: full
 *   random             16 hexadecimal digits
 *   dirty_since
 *   metrics            as `expect_metric`
 *
 * State lines stand between `me` and the first input, that of the session last
 * and at the time of `me`.
 *
 * This header's promise is weaker than that of <seen/seen.h>, as the engine's.
 */
#ifndef SEEN_SYS_TRACE_H
#define SEEN_SYS_TRACE_H

#include <seen/sys/engine.h>
#include <seen/sys/working.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** The longest line that is parsed, in bytes. */
#define SEEN_TRACE_LINE_MAX ((size_t)16 << 20)

/** What a line is; the comment names its member of the union. */
typedef enum seen_trace_type {
  SEEN_TRACE_BLANK = 0,      /**< nothing, or a comment */
  SEEN_TRACE_ME,             /**< me: the first line */
  SEEN_TRACE_INPUT,          /**< input: to be fed */
  SEEN_TRACE_RESTART,        /**< the process dies here and starts again */
  SEEN_TRACE_RECORD,         /**< record: a conversation's state */
  SEEN_TRACE_WORKING,        /**< id: of a conversation without a record */
  SEEN_TRACE_SESSION,        /**< session: the session's state */
  SEEN_TRACE_EXPECT,         /**< expect: a conversation's numbers */
  SEEN_TRACE_EXPECT_TOTALS,  /**< totals */
  SEEN_TRACE_EXPECT_ORDER,   /**< order: the list or its beginning */
  SEEN_TRACE_EXPECT_SENT,    /**< sent: all since the last of these */
  SEEN_TRACE_EXPECT_RECEIPT, /**< receipt */
  SEEN_TRACE_EXPECT_METRIC   /**< metrics */
} seen_trace_type;

/** Fields of an `expect`: a bit says that the field was named. */
enum {
  SEEN_EXPECT_UNREAD = 1u << 0,
  SEEN_EXPECT_EXACT = 1u << 1,
  SEEN_EXPECT_MENTIONS = 1u << 2,
  SEEN_EXPECT_FIRST_MENTION = 1u << 3,
  SEEN_EXPECT_BADGE = 1u << 4,
  SEEN_EXPECT_READ = 1u << 5,
  SEEN_EXPECT_SERVER_EPOCH = 1u << 6,
  SEEN_EXPECT_SERVER_SEQ = 1u << 7,
  SEEN_EXPECT_SERVER_HIGH = 1u << 8,
  SEEN_EXPECT_LAST_SEQ = 1u << 9,
  SEEN_EXPECT_FIRST_UNREAD = 1u << 10,
  SEEN_EXPECT_MARKED_UNREAD = 1u << 11,
  SEEN_EXPECT_PENDING = 1u << 12,
  SEEN_EXPECT_MUTED = 1u << 13,
  SEEN_EXPECT_PINNED = 1u << 14,
  SEEN_EXPECT_ABSENT = 1u << 15
};

/** What is expected of a conversation. */
typedef struct seen_trace_expect {
  const char *conv;
  uint32_t fields;                 /**< SEEN_EXPECT_… */
  seen_state state;                /**< the values of those that were named */
  const char *SEEN_NULLABLE badge; /**< its text */
  bool absent;                     /**< it has no row */
} seen_trace_expect;

/** Fields of an `expect_totals`. */
enum {
  SEEN_TOTALS_UNREAD = 1u << 0,
  SEEN_TOTALS_CONVERSATIONS = 1u << 1,
  SEEN_TOTALS_MUTED = 1u << 2,
  SEEN_TOTALS_MENTIONS = 1u << 3
};

typedef struct seen_trace_totals {
  uint32_t fields; /**< SEEN_TOTALS_… */
  seen_totals totals;
} seen_trace_totals;

typedef struct seen_trace_order {
  const char *const SEEN_NULLABLE *SEEN_NULLABLE convs;
  size_t count;
} seen_trace_order;

/** Fields of an output in an `expect_sent`. */
enum {
  SEEN_SENT_CONV = 1u << 0,
  SEEN_SENT_EPOCH = 1u << 1, /**< of a report */
  SEEN_SENT_SEQ = 1u << 2,   /**< of a report or a delivered */
  SEEN_SENT_CLEARED = 1u << 3,
  SEEN_SENT_KEEP = 1u << 4,
  SEEN_SENT_EXPECTED_EPOCH = 1u << 5,
  SEEN_SENT_EXPECTED_SEQ = 1u << 6,
  SEEN_SENT_TARGET = 1u << 7,
  SEEN_SENT_FROM = 1u << 8, /**< of a subscribe or an unsubscribe */
  SEEN_SENT_TO = 1u << 9,
  SEEN_SENT_ON = 1u << 10 /**< of a mute or a pin */
};

/** One output: an effect that goes to the server, as far as it was named. */
typedef struct seen_trace_output {
  uint32_t fields;                /**< SEEN_SENT_… */
  const char *SEEN_NULLABLE conv; /**< its id; `effect.conv` is not used */
  seen_effect effect;             /**< SEEN_EFFECT_RESYNC … SUBSCRIBE */
} seen_trace_output;

typedef struct seen_trace_sent {
  const seen_trace_output *SEEN_NULLABLE outputs;
  size_t count;
} seen_trace_sent;

/** Fields of an `expect_receipt`. */
enum {
  SEEN_RECEIPT_FIELD_STATE = 1u << 0,
  SEEN_RECEIPT_FIELD_READ = 1u << 1,
  SEEN_RECEIPT_FIELD_DELIVERED = 1u << 2,
  SEEN_RECEIPT_FIELD_AUDIENCE = 1u << 3,
  SEEN_RECEIPT_FIELD_READ_BY = 1u << 4,
  SEEN_RECEIPT_FIELD_UNREAD_BY = 1u << 5
};

typedef struct seen_trace_receipt {
  const char *conv;
  uint64_t seq;
  uint32_t fields; /**< SEEN_RECEIPT_FIELD_… */
  seen_receipt receipt;
  const char *const SEEN_NULLABLE *SEEN_NULLABLE read_by; /**< sorted */
  size_t read_by_count;
  const char *const SEEN_NULLABLE *SEEN_NULLABLE unread_by; /**< sorted */
  size_t unread_by_count;
} seen_trace_receipt;

/** Fields of an `expect_metric`. */
enum {
  SEEN_METRIC_ADVANCES = 1u << 0,
  SEEN_METRIC_REPORTS_SENT = 1u << 1,
  SEEN_METRIC_REPORT_FRAMES = 1u << 2,
  SEEN_METRIC_REPORTS_MERGED = 1u << 3,
  SEEN_METRIC_STALE_POSITIONS = 1u << 4,
  SEEN_METRIC_REFUSED = 1u << 5,
  SEEN_METRIC_UNREAD_DRIFT = 1u << 6
};

typedef struct seen_trace_metrics {
  uint32_t fields; /**< SEEN_METRIC_… */
  seen_metrics metrics;
} seen_trace_metrics;

/**
 * One line. To write one, zero-initialise it and set `size`, `type` and the
 * union's member (whose own `size` is not looked at).
 */
typedef struct seen_trace_line {
  uint32_t size; /**< sizeof(seen_trace_line) */
  seen_trace_type type;
  bool has_at; /**< false: at the previous line's time */
  uint64_t at; /**< ms of the engine's clock */
  /** Of SEEN_INPUT_SERVER_RESET: which one; an engine does not need it. */
  const char *SEEN_NULLABLE incarnation;
  /** Of SEEN_TRACE_RECORD and SEEN_TRACE_WORKING; NULL, which is never
      parsed, where nothing is in work. */
  const seen_working *SEEN_NULLABLE working;
  /** Of the same: as it was last written; NULL: not unwritten, or never. */
  const seen_record *SEEN_NULLABLE written;
  union {
    /** What a line can't say (seed, log …) has its default. */
    seen_options me;
    seen_input input; /**< `id` says the conversation, `conv` is 0 */
    seen_record record;
    const char *id;
    /** As it is resumed: `now` is `at`, 0 where that was not said. */
    seen_session session;
    seen_trace_expect expect;
    seen_trace_totals totals;
    seen_trace_order order;
    seen_trace_sent sent;
    seen_trace_receipt receipt;
    seen_trace_metrics metrics;
  } u;
} seen_trace_line;

/**
 * Parses one line of `size` bytes; a newline at its end may be there or not.
 * `allocator` may be NULL: the default. It holds the line, but not the JSON
 * text's tree, which lives during the call only and comes from malloc.
 *
 * Fails with SEEN_EPARSE for a line that is none (the error says what is wrong
 * and where), SEEN_ENOMEM. `*out` is NULL then.
 *
 * Thread: any. Ownership: the caller frees `*out`, and all that it points at,
 * with seen_trace_line_free(). Offline: yes.
 */
SEEN_API int seen_trace_parse(const char *text, size_t size,
                              const seen_allocator *SEEN_NULLABLE allocator,
                              seen_trace_line *SEEN_NULLABLE *SEEN_NONNULL out,
                              seen_error *SEEN_NULLABLE error);

/**
 * Frees a line that was parsed, and all that it points at. NULL is fine; a
 * line that the caller made is not.
 *
 * Thread: any. Ownership: ends. Offline: yes.
 */
SEEN_API void seen_trace_line_free(seen_trace_line *SEEN_NULLABLE line);

/**
 * Writes a line, without a newline, as snprintf() does: at most `size` bytes
 * with the NUL; `*length` becomes the whole line's length. `text` may be NULL
 * where `size` is 0. A blank line is written as nothing.
 *
 * Fails with SEEN_EINVAL for what a line can't say: a handle without an id, an
 * enum's value that has no word, a number above SEEN_SEQ_MAX, text that is not
 * UTF-8. What was written until then is no line.
 *
 * Thread: any. Ownership: the caller's. Offline: yes.
 */
SEEN_API int seen_trace_write(const seen_trace_line *line,
                              char *SEEN_NULLABLE text, size_t size,
                              size_t *length, seen_error *SEEN_NULLABLE error);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
