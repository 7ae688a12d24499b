/*
 * What hosts ask for, from any thread, until the client's loop does it: each
 * act with the time at which it was called, in order.
 */
#ifndef SN_CLIENT_INBOX_H
#define SN_CLIENT_INBOX_H

#include <seen/sys/input.h>

#include "base/platform.h"
#include "session/session.h"

/* How many acts wait before SEEN_EFULL is the answer. */
#define SN_ACTS_MAX ((size_t)65536)

typedef enum sn_act_type {
  SN_ACT_INPUT = 1, /* input: of the engine; `text` is the conversation's id */
  SN_ACT_REQUEST,   /* request */
  SN_ACT_CANCEL,    /* number: of a request */
  SN_ACT_TOKEN,     /* has_token: `text` is one */
  SN_ACT_NETWORK    /* another network */
} sn_act_type;

/* What an act says. */
typedef struct sn_said {
  sn_act_type type;
  union {
    seen_input input;    /* without a conversation */
    sn_request *request; /* the inbox's once it is put */
    uint64_t number;
    bool has_token;
  } u;
} sn_said;

typedef struct sn_act {
  struct sn_act *next;
  uint64_t at; /* when it was called */
  sn_said said;
  char text[]; /* "" where there is none */
} sn_act;

typedef struct sn_inbox {
  const seen_allocator *memory;
  sn_mutex *mutex;
  sn_act *first;
  sn_act *last;
  size_t count;
  bool closed;
} sn_inbox;

/* 0 or SEEN_ENOMEM. */
int sn_inbox_init(sn_inbox *inbox, const seen_allocator *memory);
void sn_inbox_free(sn_inbox *inbox);

/* Any thread. SEEN_ENOMEM, SEEN_EFULL, SEEN_ECLOSED. `text` may be NULL. */
int sn_inbox_put(sn_inbox *inbox, const sn_said *said, const char *text);

/* Any thread: nothing is put any more. False: it was closed already. */
bool sn_inbox_close(sn_inbox *inbox);
bool sn_inbox_is_closed(sn_inbox *inbox);

/* Any thread. */
bool sn_inbox_is_empty(sn_inbox *inbox);

/* All that wait, in order, linked; the caller ends each of them. */
sn_act *sn_inbox_take(sn_inbox *inbox);

/* With its request, if that was not handed over: then it is NULL. */
void sn_act_free(const seen_allocator *memory, sn_act *act);

/* All that are linked. */
void sn_acts_free(const seen_allocator *memory, sn_act *first);

#endif
