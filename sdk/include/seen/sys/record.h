/*
 * seen/sys/record.h: what is kept of a conversation over a restart (S6).
 *
 * Rule ids (P2, U5 …) are those of docs/semantics.md.
 */
#ifndef SEEN_SYS_RECORD_H
#define SEEN_SYS_RECORD_H

#include <seen/sys/effect.h>
#include <seen/sys/input.h>
#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
