/*
 * seen/reply.h: what becomes of a request that a host made, and the messages
 * that a screen shows. Texts of messages pass through: nothing here is kept by
 * the library.
 */
#ifndef SEEN_REPLY_H
#define SEEN_REPLY_H

#include <seen/error.h>
#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** What was asked for. */
typedef enum seen_act {
  SEEN_ACT_SEND = 1, /**< a text, a reaction, a recall or an edit */
  SEEN_ACT_HISTORY,
  SEEN_ACT_READERS, /**< a page of who has read a message, by the server */
  SEEN_ACT_CREATE,
  SEEN_ACT_ADD,
  SEEN_ACT_REMOVE,
  SEEN_ACT_JOIN,
  SEEN_ACT_LEAVE,
  SEEN_ACT_SETTINGS
} seen_act;

/** A message as a screen shows it. */
typedef struct seen_text {
  uint32_t size; /**< sizeof(seen_text) */
  uint64_t seq;
  const char *from; /**< the sender's user id */
  seen_message_kind kind;
  bool countable;
  seen_mention_why mention;       /**< of a live one: of this user */
  uint64_t target;                /**< recalled, edited, reacted to, quoted */
  uint64_t sent_at;               /**< server time, ms since 1970 */
  const char *SEEN_NULLABLE body; /**< NULL: there is none, or it is gone */
  bool hidden;                    /**< it waits for approval */
  bool recalled;                  /**< by its sender; of history only */
  bool taken_down;                /**< by a moderator; of history only */
} seen_text;

/** The end of a request: each one has exactly one. */
typedef struct seen_reply {
  uint32_t size;    /**< sizeof(seen_reply) */
  uint64_t request; /**< what the call that asked gave */
  seen_act act;
  /**
   * SEEN_OK; SEEN_EREFUSED: the server's no, `reason` says which;
   * SEEN_ECANCELED; SEEN_ETIMEOUT; SEEN_ECLOSED: what became of it is not
   * known; SEEN_ENOMEM.
   */
  int code;
  const char *reason;  /**< the server's code, "forbidden"; "" where none */
  const char *message; /**< words for a person or a log; "" where none */
  const char *conv;    /**< the conversation's id; "" where none */
  uint64_t seq;        /**< SEND: of the message; READERS: the one asked for */
  uint64_t sent_at;    /**< SEND */
  const seen_text *SEEN_NULLABLE messages; /**< HISTORY, falling seqs */
  size_t message_count;
  bool more; /**< HISTORY: there are older ones */
  const char *const SEEN_NULLABLE *SEEN_NULLABLE users; /**< READERS, sorted */
  size_t user_count;
  const char *SEEN_NULLABLE cursor; /**< READERS: for the next page, or NULL */
  uint64_t read;                    /**< READERS */
  uint64_t delivered;               /**< READERS */
  uint64_t audience;                /**< READERS */
  uint64_t hidden;  /**< READERS: of these with receipts off (S7) */
  bool receipts;    /**< SETTINGS */
  uint64_t version; /**< SETTINGS: from which it holds */
} seen_reply;

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
