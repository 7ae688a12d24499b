/*
 * What the server decides, without I/O: no socket, no file but through the
 * storage, no clock, no thread. Frames of clients come in as text, frames for
 * clients wait in a queue for each connection until the front takes them.
 *
 * The front's loop, all from one thread:
 *
 *   for each frame that came      server_frame(server, connection, text, …)
 *   if server_deadline() is over  server_tick(server, now)
 *   once, at the end of the turn  server_commit(server, now)
 *   for each connection           while (connection_next(…)) send it
 *                                 if (connection_closing(…)) close it
 *
 * Nothing that a turn says leaves before the commit that makes it durable
 * (group commit). Where the storage fails, the turn has not happened: nothing
 * of it stays in memory, and each of its frames is answered `error storage`.
 *
 * `now` is ms since 1970 by a clock that never falls: the time at which the
 * program started, and a monotonic clock on top of it.
 */
#ifndef SERVER_STATE_H
#define SERVER_STATE_H

#include "storage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct server server;
typedef struct connection connection;

/* Close codes of a WebSocket, and those of our own. */
enum {
  CLOSE_GOING_AWAY = 1001,   /* the server drains */
  CLOSE_MALFORMED = 1007,    /* no UTF-8, no JSON object, too deep */
  CLOSE_POLICY = 1008,       /* no hello, or answers are not taken */
  CLOSE_TOO_LARGE = 1009,    /* a frame over the limit */
  CLOSE_STORAGE = 1011,      /* the hello could not be answered; try again */
  CLOSE_UNAUTHORIZED = 4401, /* bring a new token */
  CLOSE_DISABLED = 4403      /* the account is disabled */
};

enum { NAME_MAX_BYTES = 64 }; /* ids of users, conversations, devices, ops */

/* Whom a token speaks for. */
typedef struct identity {
  char user[NAME_MAX_BYTES + 1];
  bool admin;
  uint64_t expires_at; /* as `now`; 0: never */
} identity;

/* What is configured. limits_init() sets what stands behind each. */
typedef struct limits {
  uint32_t frame_bytes;         /* 65536, both ways */
  uint32_t body_bytes;          /* 8192 */
  uint32_t depth;               /* 8, of JSON */
  uint32_t items;               /* 100 of a `read`, `delivered`, `fetch` */
  uint32_t page_rows;           /* 200 of a `changes` */
  uint32_t page_messages;       /* 100 of a `page` */
  uint32_t added;               /* 500 users of an `add` */
  uint32_t subscribe_messages;  /* 200 of a `subscribe` */
  uint32_t subscriptions;       /* 16 of a connection */
  uint32_t peer_limit;          /* 50 members: positions for everybody (R4) */
  uint32_t roster_limit;        /* 500 members of a group: lists (R4) */
  uint32_t large_limit;         /* 100000 members of a large conversation */
  uint32_t window_ms;           /* 1000: `peer` and `receipts` merge (R5) */
  uint32_t reports_per_second;  /* 20 of a user, over all devices */
  uint32_t reports_burst;       /* 40 */
  uint32_t reports_parked;      /* 64 frames of a connection answered late */
  uint32_t requests_per_second; /* 50 other frames of a user */
  uint32_t requests_burst;      /* 100 */
  uint32_t lists_per_second;    /* 5 pages of readers of a user */
  uint32_t lists_burst;         /* 20 */
  uint32_t queue_bytes;         /* 262144 of live frames, then rows only */
  uint32_t dirty_rows;          /* 1000 of a connection, then `resync` */
  uint32_t poll_idle_ms;        /* 60000: a polled connection that is silent */
  uint64_t cache_entries;       /* 2000000: members and seqs kept in memory */
} limits;

void limits_init(limits *self);

/* What the state part asks of the front; every member may be NULL. */
typedef struct hooks {
  void *user_data;
  /* A token that came in `hello`: whom it speaks for; false: nobody. */
  bool (*authenticate)(void *user_data, const char *token, identity *who);
  /* A list of readers was asked for, and answered or refused. */
  void (*audit)(void *user_data, const char *user, const char *conv,
                uint64_t seq, const char *status, int answer);
  /* A report came by HTTP; the device and the event are as it named them. */
  void (*reported)(void *user_data, const char *user, const char *conv,
                   const char *device, const char *event, int answer);
  /* A word is on its way to a device because another one of the user reported;
   * that report came at `since`. */
  void (*cleared)(void *user_data, uint64_t since);
  /* One line for the log, without any text of a message. */
  void (*log)(void *user_data, const char *line);
} hooks;

/* Counters since the start; the last three must stay 0. */
typedef struct metrics {
  uint64_t frames;
  uint64_t reports;        /* items of `read` */
  uint64_t reports_merged; /* parked, and answered with a later one */
  uint64_t reports_stale;
  uint64_t reports_refused;
  uint64_t marks;
  uint64_t messages;
  uint64_t commits;
  uint64_t commits_failed;
  uint64_t pushes;        /* frames that no client asked for */
  uint64_t pushes_merged; /* into a dirty row */
  uint64_t dirty_rows;    /* present, that wait for slow connections */
  uint64_t resyncs;
  uint64_t subscriptions;        /* present */
  uint64_t connections;          /* present */
  uint64_t conversations_loaded; /* present */
  uint64_t conversations_evicted;
  /* Devices that came back; rows that others had moved meanwhile, reports that
   * moved on, reports of what the server never gave out. */
  uint64_t resumes;
  uint64_t resume_rows_behind;
  uint64_t resume_reports_ahead;
  uint64_t resume_reports_beyond;
  uint64_t counts_checked; /* recounted, a member at a time */
  uint64_t read_above_audience;
  uint64_t position_above_last;
  uint64_t counts_drifted; /* cached against recomputed */
} metrics;

/*
 * Everything is borrowed for the server's life. `cursor_key` signs cursors.
 * NULL where the storage can't be read: `*status` says why.
 */
server *server_open(const storage *over, const limits *within,
                    const hooks *with, const uint8_t cursor_key[32],
                    uint64_t now, int *status);
void server_close(server *self);

/*
 * A new connection. `who` is NULL where the token comes in `hello`. `name` is
 * what a polled connection is asked for by, NULL for a socket.
 */
connection *server_connect(server *self, const identity *who, const char *name,
                           uint64_t now);

/* The other end is gone: what it reported and was parked is still taken. */
void server_disconnect(server *self, connection *gone, uint64_t now);

/* One frame. 0, or the code to close with (connection_closing says why). */
int server_frame(server *self, connection *from, const char *bytes,
                 size_t length, uint64_t now);

/* Parked reports, windows, expiries that are due. */
void server_tick(server *self, uint64_t now);

/* When server_tick has something to do; SEEN_NEVER: nothing. */
uint64_t server_deadline(const server *self);

/* Makes the turn durable and lets its frames go; false: it was undone. */
bool server_commit(server *self, uint64_t now);

/*
 * After a turn that failed this one has a transaction, even if nothing else
 * changes: what server_commit() says of it is how the storage is now.
 */
void server_examine(server *self);

/* `report_now` to everybody who is connected (before a drain). */
void server_report_now(server *self);

const metrics *server_metrics(const server *self);
uint64_t server_version(const server *self);

/*
 * The next frame to send, or NULL. The text is borrowed until the next call
 * for this connection; nothing comes between a frame and its commit.
 */
const char *connection_next(connection *self, size_t *length);

/* Whether connection_next has something: what a held poll waits for. */
bool connection_has_next(const connection *self);

/* Whether to stop reading from it until what waits for it is sent. */
bool connection_is_full(const connection *self);

/* The code it has to be closed with after its last frame; 0: none. */
int connection_closing(const connection *self, const char **reason);

/* The front's own object for it (a socket). */
void connection_set_owner(connection *self, void *owner);
void *connection_owner(const connection *self);

const char *connection_user(const connection *self); /* "" before `hello` */

/*
 * Connections that something waits for since the last call, one a call, NULL
 * at the end: what the front asks for writability.
 */
connection *server_next_waiting(server *self);

#endif
