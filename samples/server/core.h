/*
 * What the files of the state part share: the server, its conversations and
 * members in memory, connections. All of it but connections, subscriptions and
 * rates is a cache of the storage, and can be dropped at any time between two
 * frames.
 */
#ifndef SERVER_CORE_H
#define SERVER_CORE_H

#include "json.h"
#include "map.h"
#include "runs.h"
#include "state.h"
#include "text.h"

enum {
  WORD_RUNS = 64,      /* of a tally (U2) */
  WORD_PIECES = 256,   /* that touch and become runs: bounds the walk */
  WORD_NEWEST = 32,    /* seqs that are listed in any case */
  OPEN_MENTIONS = 256, /* M1 */
  NAMED_USERS = 64     /* of a message's mentions */
};

/* A stretch of seqs in which a member is in no audience. */
typedef struct exclusion {
  uint64_t lo;
  uint64_t hi; /* SEEN_SEQ_MAX: it goes on */
  char why;    /* 'd': the account is disabled; 'p': receipts are off */
} exclusion;

/* One membership, both ends inclusive (R3). */
typedef struct period {
  uint64_t join_seq;
  uint64_t leave_seq; /* SEEN_SEQ_MAX: it goes on */
  uint64_t receipt;   /* P9: join_seq − 1 … leave_seq */
  uint64_t delivered; /* receipt … leave_seq */
  exclusion *excluded;
  size_t excluded_count;
  size_t excluded_capacity;
} period;

typedef struct person person;

/* A user in a conversation, also one who has left. */
typedef struct member {
  char *user;
  member_role role;
  bool off;      /* receipts (S7) */
  bool disabled; /* the account */
  seen_position read;
  uint64_t marked_at;
  uint64_t version;
  uint64_t moved_at; /* version of the latest move of `read`, if it was since */
  uint32_t moved_by; /* it was loaded, and the device that did it */
  bool muted;
  bool pinned;
  bool removed;
  period *periods; /* the last one is the present or latest */
  size_t period_count;
  size_t period_capacity;
  uint64_t *open; /* mentions up to `settled`, rising */
  size_t open_count;
  uint64_t settled;
  uint32_t *named; /* events that name this user, rising */
  size_t named_count;
  size_t named_capacity;
  runs own; /* their messages, less those of `dead` */
  bool own_loaded;
  person *online; /* NULL: no connection, or no member now */
  size_t online_at;
  bool unsaved; /* to be written before the commit */
} member;

/* A message or an edit that says whom a message mentions. */
typedef struct mention_event {
  uint64_t seq;
  uint64_t target; /* the message: `seq` itself, or what it edits */
  bool all;
  char **users;
  size_t user_count;
  char *quoted;      /* NULL: it quotes nobody */
  uint32_t previous; /* 1 + the event before it about the same message */
} mention_event;

/*
 * Who reads what: multisets over the stretches in which members are in the
 * audience. `whole` knows nothing of receipts that are off.
 */
typedef struct audience {
  ranks whole_lo;
  ranks whole_hi;
  ranks lo;
  ranks hi;
  ranks read; /* receipt, cut to lo − 1 … hi */
  ranks delivered;
} audience;

typedef struct conversation {
  char *id;
  seen_kind kind;
  unsigned flags;
  uint64_t last_seq;
  uint64_t floor;
  uint64_t version;
  uint64_t updated_at;
  map members;
  size_t present; /* how many of them are members now */
  runs dead;      /* uncountable for everybody (F3) */
  runs held;      /* those of `dead` that wait for approval */
  mention_event *events;
  size_t event_count;
  size_t event_capacity;
  uint32_t *everyone; /* events that mention all, rising */
  size_t everyone_count;
  size_t everyone_capacity;
  ranks latest; /* target → 1 + its newest event; the sums mean nothing */
  audience audience;
  member **online;
  size_t online_count;
  size_t online_capacity;
  bool unsaved;               /* to be written before the commit */
  uint64_t entries;           /* what it takes of the cache */
  uint64_t accounted;         /* how much of that the server's sum has */
  struct conversation *newer; /* by use */
  struct conversation *older;
} conversation;

typedef struct bucket {
  uint64_t units; /* 1000 a token */
  uint64_t filled_at;
} bucket;

/* A user who is connected, or asked by HTTP a moment ago. */
struct person {
  char *user;
  connection *connections;
  bucket reports;
  bucket requests;
  bucket lists;
  uint64_t used_at;
};

/* A row that is written before the turn's commit. */
typedef struct unsaved_row {
  conversation *conv;
  member *of; /* NULL: the conversation itself */
} unsaved_row;

/* A frame that is answered `error storage` if the turn is undone. */
typedef struct turn_frame {
  connection *from; /* NULL: it is gone */
  uint64_t id;
  bool is_hello;
} turn_frame;

struct server {
  storage storage;
  limits limits;
  hooks hooks;
  uint8_t cursor_key[32];
  char *incarnation;
  uint64_t version;
  uint64_t committed; /* the version that is durable */
  uint64_t now;
  uint64_t said_at; /* when the frame that is taken came; it may have waited */
  bool writing;     /* a transaction is open */
  bool failed;      /* the turn will be undone */
  bool stalled;     /* rows could not be read; tried again after a turn */
  bool unwell;      /* no transaction was made durable since one failed */
  map conversations;
  conversation *newest;
  conversation *oldest;
  uint64_t entries;
  map persons;
  map channels;
  struct channel *ready_first; /* channels with something to tell now */
  struct channel *ready_last;
  struct channel *cooling_first; /* those that told within the window */
  struct channel *cooling_last;
  connection *connections; /* all, greeted or not */
  map polled;              /* those with a name */
  connection *waiting;     /* with something for the front to send */
  size_t parked;           /* connections with reports that wait */
  uint64_t drained_at;     /* when parked reports were last looked at */
  turn_frame *turn;        /* frames taken since the last commit */
  size_t turn_count;
  size_t turn_capacity;
  unsaved_row *unsaved; /* each row once, by their first change */
  size_t unsaved_count;
  size_t unsaved_capacity;
  uint64_t swept_at;
  uint64_t expired_at; /* when old ops were last forgotten */
  metrics metrics;
};

/* Opens the transaction of this turn; false: it has failed. */
bool core_write(server *self);

/* What a storage call returned; other than OK and NOTFOUND fails the turn. */
bool core_check(server *self, int status);

/* The next version; counted only if the turn is committed. */
uint64_t core_next_version(server *self);

/* A frame was taken: its answer stands or falls with the turn. */
void core_add_frame(server *self, connection *from, uint64_t id, bool is_hello);

static inline uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static inline uint64_t most(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

#endif
