/*
 * seen/chat.h: requests to the server, as the protocol of docs/protocol.md has
 * them: to send messages and read old ones, to see who has read, to come and
 * go. Each ends with exactly one SEEN_EVENT_REPLY, that of its number, unless
 * the call failed.
 *
 * A request waits for a link. One that changes something is done exactly
 * once, however often the link breaks; where the client is closed before the
 * reply, whether it was done is not known. Texts are sent, never kept.
 *
 * All of them fail with SEEN_EINVAL for an id or a text that the protocol does
 * not take (the error says which), SEEN_ERANGE for a number out of range,
 * SEEN_EFULL where 1000 requests wait already, SEEN_EUNSUPPORTED where the
 * client has no server, SEEN_ENOMEM, SEEN_ECLOSED. Then there is no number
 * and no reply.
 */
#ifndef SEEN_CHAT_H
#define SEEN_CHAT_H

#include <seen/client.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** What is sent. Zero-initialise it and set its size. */
typedef struct seen_post {
  uint32_t size; /**< sizeof(seen_post) */
  /** TEXT, REACTION, RECALL or EDIT; the last three need a target. */
  seen_message_kind kind;
  const char *SEEN_NULLABLE body; /**< UTF-8, at most 8192 bytes */
  const char *const SEEN_NULLABLE *SEEN_NULLABLE mentions; /**< users, ≤ 64 */
  size_t mention_count;
  bool mention_all;
  uint64_t target; /**< of a text: what it quotes; 0: none */
  seen_countable countable;
} seen_post;

/**
 * Sends a message; the reply brings its seq. To recall and to edit is to send
 * as well.
 *
 * Thread: any. Ownership: copied. Offline: waits for a link.
 */
SEEN_API int seen_client_send(seen_client *client, const char *conv,
                              const seen_post *post, uint64_t *request,
                              seen_error *SEEN_NULLABLE error);

/**
 * Takes an own message back.
 *
 * Thread: any. Ownership: copied. Offline: waits for a link.
 */
SEEN_API int seen_client_recall(seen_client *client, const char *conv,
                                uint64_t seq, uint64_t *request,
                                seen_error *SEEN_NULLABLE error);

/**
 * Gives an own message another text; it mentions nobody. With mentions:
 * seen_client_send().
 *
 * Thread: any. Ownership: copied. Offline: waits for a link.
 */
SEEN_API int seen_client_edit(seen_client *client, const char *conv,
                              uint64_t seq, const char *body, uint64_t *request,
                              seen_error *SEEN_NULLABLE error);

/**
 * Asks for up to `limit` (1 … 100) messages below seq `before`, the newest
 * first; 0: the newest.
 *
 * Thread: any. Ownership: copied. Offline: waits for a link.
 */
SEEN_API int seen_client_history(seen_client *client, const char *conv,
                                 uint64_t before, uint32_t limit,
                                 uint64_t *request,
                                 seen_error *SEEN_NULLABLE error);

/** Which people seen_client_ask_readers() lists. */
typedef enum seen_ask {
  SEEN_ASK_COUNTS = 0, /**< nobody */
  SEEN_ASK_READ,
  SEEN_ASK_UNREAD,
  SEEN_ASK_DELIVERED
} seen_ask;

/**
 * Asks the server who has an own message: counts, and a page of up to `limit`
 * (1 … 100) people from `cursor` on (NULL: from the first), where the
 * conversation is no large one (R4).
 *
 * Thread: any. Ownership: copied. Offline: waits for a network.
 */
SEEN_API int seen_client_ask_readers(seen_client *client, const char *conv,
                                     uint64_t seq, seen_ask which,
                                     const char *SEEN_NULLABLE cursor,
                                     uint32_t limit, uint64_t *request,
                                     seen_error *SEEN_NULLABLE error);

/** A member's part. */
typedef enum seen_role {
  SEEN_ROLE_MEMBER = 0,
  SEEN_ROLE_ADMIN = 1,
  SEEN_ROLE_BOT = 2
} seen_role;

/** A conversation to be made. Zero-initialise it and set its size. */
typedef struct seen_creation {
  uint32_t size; /**< sizeof(seen_creation) */
  seen_kind kind;
  bool open;      /**< anybody may join */
  bool moderated; /**< texts of members wait for approval */
  const char *const SEEN_NULLABLE *SEEN_NULLABLE users; /**< ≤ 500 */
  size_t user_count;
} seen_creation;

/**
 * Makes a conversation of that id; take a random one.
 *
 * Thread: any. Ownership: copied. Offline: waits for a link.
 */
SEEN_API int seen_client_create(seen_client *client, const char *conv,
                                const seen_creation *creation,
                                uint64_t *request,
                                seen_error *SEEN_NULLABLE error);

/**
 * Adds people, or gives members another part.
 *
 * Thread: any. Ownership: copied. Offline: waits for a link.
 */
SEEN_API int seen_client_add(seen_client *client, const char *conv,
                             const char *SEEN_NONNULL const *SEEN_NONNULL users,
                             size_t user_count, seen_role role,
                             uint64_t *request,
                             seen_error *SEEN_NULLABLE error);

/**
 * Removes people.
 *
 * Thread: any. Ownership: copied. Offline: waits for a link.
 */
SEEN_API int
seen_client_remove(seen_client *client, const char *conv,
                   const char *SEEN_NONNULL const *SEEN_NONNULL users,
                   size_t user_count, uint64_t *request,
                   seen_error *SEEN_NULLABLE error);

/**
 * Joins an open conversation.
 *
 * Thread: any. Ownership: copied. Offline: waits for a link.
 */
SEEN_API int seen_client_join(seen_client *client, const char *conv,
                              uint64_t *request,
                              seen_error *SEEN_NULLABLE error);

/**
 * Leaves a conversation.
 *
 * Thread: any. Ownership: copied. Offline: waits for a link.
 */
SEEN_API int seen_client_leave(seen_client *client, const char *conv,
                               uint64_t *request,
                               seen_error *SEEN_NULLABLE error);

/**
 * Whether others learn what this user reads (S7), on all devices. What was
 * read while it is off is never told. How it is now:
 * seen_client_connection().
 *
 * Thread: any. Ownership: none. Offline: waits for a link.
 */
SEEN_API int seen_client_receipts(seen_client *client, bool on,
                                  uint64_t *request,
                                  seen_error *SEEN_NULLABLE error);

/**
 * Gives a request up: its reply is SEEN_ECANCELED, unless it has one already.
 * What the server was told it may still do. A number that is none is no
 * error.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API void seen_client_cancel(seen_client *client, uint64_t request);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
