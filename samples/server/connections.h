/*
 * Connections as objects: what waits for each, in which order it leaves, what
 * becomes of it when the other end is slow (rule 4 of the protocol).
 *
 * Answers and live frames wait in a queue. Words and rows do not: a connection
 * keeps the names of conversations to tell about, and each is written when it
 * leaves, as it is then. So they merge by themselves.
 */
#ifndef SERVER_CONNECTIONS_H
#define SERVER_CONNECTIONS_H

#include "core.h"

/* A frame that several connections may wait for. */
typedef struct packet {
  size_t references;
  size_t length;
  char bytes[];
} packet;

packet *packet_new(text *frame); /* takes the text; one reference */
void packet_release(packet *self);

typedef struct parked_frame {
  json *frame;
  uint64_t id;
  uint64_t said_at;
} parked_frame;

struct connection {
  server *server;
  person *person; /* NULL before `hello` */
  identity who;
  bool has_identity;
  char *name; /* of a polled one; NULL: a socket */
  char device[NAME_MAX_BYTES + 1];
  uint32_t device_mark; /* tells devices of a user apart */
  uint64_t resumed_at;  /* 0: it did not */
  bool scratch;         /* one HTTP request: of no user's devices */
  bool paging;          /* rows of before are still to come */
  bool paged;           /* the last of them were written in this turn */
  bool resyncing;       /* nothing is pushed until it asks `sync` */
  bool resync_is_new;   /* it was told so in this turn */
  packet **queue;       /* from `first` to `count` */
  size_t first;
  size_t ready; /* what is committed */
  size_t count;
  size_t capacity;
  size_t bytes;  /* waiting in the queue */
  packet *taken; /* the frame that the front has */
  map dirty;
  struct dirty_row *dirty_first;
  struct dirty_row *dirty_last;
  parked_frame *parked;
  size_t parked_count;
  size_t parked_capacity;
  size_t subscriptions;
  int closing;
  bool closing_is_new; /* since this turn */
  const char *reason;
  void *owner;
  uint64_t used_at;
  bool waits; /* it is in the server's list of those */
  connection *waiting_next;
  connection *sibling; /* the next one of the same user; */
  connection *elder;   /* the one before it */
  connection *next;    /* of the server's list */
  connection *previous;
};

/* The frame is taken; it leaves after the commit. */
void connection_answer(connection *self, text *frame);

/* An `error`; `has_id`: it answers a frame. */
void connection_error(connection *self, bool has_id, uint64_t id,
                      const char *code, const char *message, uint64_t retry_ms);

void connection_close(connection *self, int code, const char *reason);

/* A live frame of a conversation: where it has no room, the row stands for
 * it. One reference more, if it is kept; whether it is. */
bool connection_push(connection *self, packet *frame, const char *conv);

/* To all connections of a user but one, which may be NULL: a live frame; that
 * the word (or, with `row`, all of the row) has to be told. */
void person_push(person *to, packet *frame, const char *conv,
                 const connection *but);
void person_mark(person *to, const char *conv, bool row, const connection *but);

/* What makes sense only beside the row as it is now: who has not all rows yet
 * is told the row in its place. */
void person_push_beside(person *to, packet *frame, const char *conv);

/* Its word has to be told because of a report, that was said just now. */
void person_moved(person *to, const char *conv, const connection *but);

void connection_set_device(connection *self, const char *device);

/* It came back a moment before: what it says shows what it missed. */
bool connection_is_back(const connection *self);

void connection_resumed(connection *self); /* it asked `sync` */

/* What the turn added may leave, or goes. */
void connection_commit(connection *self);
void connection_undo(connection *self);

/* Rows that could not be read are tried again. */
void connections_go_on(server *self);

/* The only frame that a scratch connection was answered; NULL: none. */
packet *connection_take_answer(connection *self);

connection *connection_new(server *of, const identity *who, const char *name);
void connection_free(connection *self);

#endif
