/*
 * What a client has to tell its host: one queue, in the order in which things
 * began to wait. What is state waits once, however often it changes, and its
 * value is looked up when it is given out; where that is what was told last,
 * nothing is given out.
 *
 * Whoever calls here holds the engine's lock.
 */
#ifndef SN_CLIENT_EVENTS_H
#define SN_CLIENT_EVENTS_H

#include <seen/event.h>

#include "base/log.h"

/* Live messages that wait: more are dropped, the oldest first. */
#define SN_MESSAGES_MAX ((size_t)4096)
#define SN_MESSAGE_BYTES_MAX ((size_t)4 << 20)

/* More moves than that are a reset. */
#define SN_MOVES_MAX ((size_t)1000)

/* A place in the queue, and the beginning of what waits there. */
typedef struct sn_ticket {
  struct sn_ticket *next;
  uint64_t serial; /* 0: does not wait */
  seen_event_type type;
  seen_conv conv;
  bool kept;   /* part of something larger: not released by itself */
  void *block; /* released with it; NULL: none */
} sn_ticket;

typedef struct sn_queue {
  sn_ticket *first;
  sn_ticket *last;
} sn_queue;

/* A live message, and behind it what it points at. */
typedef struct sn_letter {
  sn_ticket ticket; /* first */
  seen_text text;
  const char *id;
} sn_letter;

/* What was given out and is still borrowed. */
typedef struct sn_lent {
  sn_ticket *first;
} sn_lent;

/* A request whose reply was not taken yet. */
typedef struct sn_awaited {
  sn_ticket ticket; /* first */
  struct sn_awaited *next;
  seen_reply reply;
} sn_awaited;

/* What is known of a conversation here, by its handle from 1. */
typedef struct sn_told {
  uint64_t print;   /* of the state last told; 0: it had no row */
  uint32_t waits;   /* SN_WAITS_… */
  uint32_t refusal; /* a seen_refusal: why an act was refused */
} sn_told;

enum {
  SN_WAITS_STATE = 1u << 0,
  SN_WAITS_RECEIPTS = 1u << 1,
  SN_WAITS_REFUSED = 1u << 2
};

typedef struct sn_problem {
  sn_ticket ticket; /* first */
  seen_problem problem;
} sn_problem;

typedef struct sn_events {
  const seen_allocator *memory;
  seen_engine *engine;
  sn_queue queue;
  sn_queue letters; /* live messages: apart, to drop the oldest */
  uint64_t serial;
  bool wiped;  /* the host left its account: there is nothing to tell … */
  bool closed; /* … or nothing any more */

  sn_told *told;
  size_t told_count;
  size_t told_capacity;
  bool all;       /* what has no ticket may have changed too … */
  seen_conv scan; /* … from here on */

  sn_ticket list;
  bool order_known; /* the host was told an order */
  seen_conv *order;
  size_t rows;
  size_t row_capacity;

  sn_ticket totals;
  seen_totals totals_told;
  sn_ticket connection;
  seen_connection_state connection_now;
  seen_connection_state connection_told;
  sn_ticket token;
  sn_ticket closing;
  sn_problem problems[SEEN_PROBLEM_MEMORY + 1]; /* by type */

  sn_awaited *awaited;  /* without a reply */
  size_t awaited_count; /* those whose reply waits too */
  size_t messages;
  size_t message_bytes;
} sn_events;

/* A state as a number: that of another state is another one. Never 0. */
uint64_t sn_print_of(const seen_state *state);

/* Puts a ticket behind all that wait, where it does not wait yet. */
void sn_events_put(sn_events *events, sn_ticket *ticket);

/* Takes the first one out of a queue; there is one. */
sn_ticket *sn_events_pop(sn_queue *queue);

/* What is known of a conversation; NULL: there is no memory for it. */
sn_told *sn_events_told(sn_events *events, seen_conv conv);

/* Nothing waits, and all that the engine holds was told: 0 or SEEN_ENOMEM. */
int sn_events_init(sn_events *events, seen_engine *engine,
                   const seen_allocator *memory);
void sn_events_free(sn_events *events);

/* Something is another now; nothing here can fail. */
void sn_events_changed(sn_events *events, seen_conv conv);
void sn_events_receipts(sn_events *events, seen_conv conv);
void sn_events_refused(sn_events *events, seen_conv conv, seen_refusal why);
void sn_events_list(sn_events *events);
void sn_events_totals(sn_events *events);
void sn_events_connection(sn_events *events,
                          const seen_connection_state *state);
void sn_events_token(sn_events *events);
void sn_events_problem(sn_events *events, seen_problem_type type, int code,
                       const char *message);

/* A live one; without memory it is a SEEN_PROBLEM_MISSED. */
void sn_events_message(sn_events *events, const char *id,
                       const seen_text *message);

/* The host knows no order of the list: it is told the whole of it next. */
void sn_events_forget_order(sn_events *events);

/* A reply will come, for which there will be memory: 0 or SEEN_ENOMEM. */
int sn_events_await(sn_events *events, uint64_t number, seen_act act);
void sn_events_expect_none(sn_events *events, uint64_t number);
void sn_events_reply(sn_events *events, const seen_reply *reply);

/* All that have no reply yet have this one. */
void sn_events_end_awaited(sn_events *events, int code);

/* Drops what waits, also replies; the totals of nothing are told instead. */
void sn_events_drop(sn_events *events);

/* The last event, and nothing is put behind it. */
void sn_events_close(sn_events *events);

/* Whether something can be given out. */
bool sn_events_wait(const sn_events *events);

/*
 * Gives out the next event that began to wait at `serial` or before. What it
 * points at is borrowed until sn_lent_release().
 */
bool sn_events_next(sn_events *events, uint64_t serial, seen_event *event,
                    sn_lent *lent);
void sn_lent_release(sn_lent *lent, const seen_allocator *memory);

#endif
