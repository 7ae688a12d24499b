/*
 * seen/event.h: what a client tells a host. State is told as "read it anew":
 * events of the same thing that wait are one, so a host that is slow hears
 * less, never late numbers.
 */
#ifndef SEEN_EVENT_H
#define SEEN_EVENT_H

#include <seen/badge.h>
#include <seen/error.h>
#include <seen/reply.h>
#include <seen/sys/engine.h>
#include <seen/sys/transport.h>
#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** How the link to the server is. */
typedef enum seen_connection {
  SEEN_CONNECTION_OFF = 0,      /**< not started, suspended or closed */
  SEEN_CONNECTION_CONNECTING,   /**< being opened */
  SEEN_CONNECTION_ONLINE,       /**< the server has said welcome */
  SEEN_CONNECTION_WAITING,      /**< it failed; tried again in retry_ms */
  SEEN_CONNECTION_UNAUTHORIZED, /**< a token is awaited from the host */
  SEEN_CONNECTION_DISABLED      /**< the account is; nothing is tried */
} seen_connection;

/** The link, and why it is so. */
typedef struct seen_connection_state {
  uint32_t size; /**< sizeof(seen_connection_state) */
  seen_connection connection;
  seen_link link;    /**< ONLINE: what carries it */
  bool synced;       /**< ONLINE: all that the server had is here */
  bool receipts;     /**< ONLINE: others learn what this user reads (S7) */
  seen_ended cause;  /**< WAITING: of the last failure; 0: none */
  uint32_t code;     /**< its code, as of seen_ended */
  bool portal;       /**< something else answers in the server's place */
  uint64_t retry_ms; /**< WAITING: from when the state began */
} seen_connection_state;

/** How one row of the list moved. */
typedef enum seen_move_type {
  SEEN_MOVE_INSERT = 1, /**< a row came to `to` */
  SEEN_MOVE_REMOVE,     /**< the row at `from` went */
  SEEN_MOVE_MOVE        /**< the row at `from` is at `to` */
} seen_move_type;

/**
 * One step from the list as last told to the list now. Steps are applied one
 * after the other; each index is of the list as it is then, and `to` that
 * after the row was taken out. There are as few moves as possible.
 */
typedef struct seen_move {
  seen_move_type type;
  size_t from;
  size_t to;
  seen_conv conv;
  const char *id; /**< of `conv` */
} seen_move;

/**
 * What changed of the list (B3). Moves lead from one of these events to the
 * next; a host that follows them never has to ask for the list itself.
 */
typedef struct seen_list_change {
  bool reset; /**< the first one, and where too much changed: the moves lead
                   from an empty list to the whole one */
  const seen_move *SEEN_NULLABLE moves;
  size_t count;
} seen_list_change;

/** What a host should know and, perhaps, tell. */
typedef enum seen_problem_type {
  SEEN_PROBLEM_STORE = 1,  /**< nothing can be written now: `code` */
  SEEN_PROBLEM_STORE_OVER, /**< it can be written again */
  SEEN_PROBLEM_REPLACED,   /**< the mirror was set aside (S6): `code` */
  SEEN_PROBLEM_REFUSED,    /**< a person's act was refused: `conv` */
  SEEN_PROBLEM_DRIFT,      /**< a count differed from its recount (U8) */
  SEEN_PROBLEM_MISSED,     /**< messages were dropped: ask for history */
  SEEN_PROBLEM_MEMORY      /**< there was none; it is tried again */
} seen_problem_type;

typedef struct seen_problem {
  seen_problem_type type;
  int code; /**< SEEN_E…; 0: none */
  char message[SEEN_ERROR_MESSAGE_MAX];
} seen_problem;

/** What an event is; the comment names its member of the union. */
typedef enum seen_event_type {
  SEEN_EVENT_CONVERSATION = 1 << 0, /**< state: a row's numbers changed */
  SEEN_EVENT_GONE = 1 << 1,         /**< a row is there no more */
  SEEN_EVENT_LIST = 1 << 2,         /**< list */
  SEEN_EVENT_TOTALS = 1 << 3,       /**< totals */
  SEEN_EVENT_RECEIPTS = 1 << 4,     /**< of the conversation: read them anew */
  SEEN_EVENT_CONNECTION = 1 << 5,   /**< connection */
  SEEN_EVENT_MESSAGE = 1 << 6,      /**< message: a live one, with its text */
  SEEN_EVENT_REPLY = 1 << 7,        /**< reply: a request has ended */
  SEEN_EVENT_TOKEN = 1 << 8,        /**< a token is wanted: seen_client_token */
  SEEN_EVENT_PROBLEM = 1 << 9,      /**< problem */
  SEEN_EVENT_CLOSED = 1 << 10       /**< the last one; it is only pulled */
} seen_event_type;

#define SEEN_EVENT_ALL 0x7ffu

/**
 * One event. What it points at is borrowed: in a listener until it returns,
 * from seen_client_next_events() until the next call of that.
 */
typedef struct seen_event {
  uint32_t size; /**< sizeof(seen_event) */
  seen_event_type type;
  seen_conv conv;               /**< 0: of no single conversation */
  const char *SEEN_NULLABLE id; /**< of `conv` */
  union {
    seen_state state; /**< as it is when the event is given out */
    seen_list_change list;
    seen_totals totals; /**< likewise */
    seen_connection_state connection;
    seen_text message;
    seen_reply reply;
    seen_problem problem;
  } u;
} seen_event;

/** Called by seen_client_dispatch(), on its thread. */
typedef void (*seen_listener)(const seen_event *event,
                              void *SEEN_NULLABLE user_data);

/** Called once, when a user_data is needed no more; may not call the client. */
typedef void (*seen_user_free)(void *SEEN_NULLABLE user_data);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
