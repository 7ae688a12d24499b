/*
 * A session's whole state, and what its files share of it. What can be derived
 * is not kept: outputs are found by looking at the state, and only what a
 * frame brings is walked through item by item.
 */
#ifndef SN_SESSION_CORE_H
#define SN_SESSION_CORE_H

#include "base/text.h"
#include "session/session.h"
#include "wire/frame.h"

/* Frames that may be without an answer at one time. */
#define SN_IN_FLIGHT_MAX 64

/* HTTP requests that may be without an answer at one time. */
#define SN_EXCHANGES_MAX 4

/* Sockets in a row that came to no welcome, until requests are tried. */
#define SN_BLOCKED_MAX 2

typedef enum sn_stage {
  SN_STAGE_NONE = 0,
  SN_STAGE_DIAL,     /* the transport is to be told */
  SN_STAGE_DIALING,  /* it was */
  SN_STAGE_HELLO,    /* open: hello is to be written */
  SN_STAGE_GREETING, /* and was: the welcome is awaited */
  SN_STAGE_UP
} sn_stage;

/* A connection. Its number is its generation: nothing of an older one holds. */
typedef struct sn_link {
  uint64_t number;
  seen_link carrier;
  sn_stage stage;
  uint64_t since;    /* when the stage began */
  uint64_t heard;    /* the last sign of life */
  uint64_t hello_id; /* of its hello */
  uint64_t probe_at; /* when it has to have given one; SEEN_NEVER */
  bool ping;         /* one is to be sent */
  bool pinged;       /* one was, since it was heard */
} sn_link;

/* A frame on its way. A host's is a request, which begins with this. */
typedef struct sn_call {
  struct sn_call *next;
  sn_text text; /* a list lacks its end while it is open */
  uint64_t id;
  sn_say say;
  sn_request *request; /* a host's; NULL: the engine's */
  uint64_t at;         /* in flight: when it left … */
  bool again;          /* … or, if it is to be sent again, when */
  bool open;           /* a list that takes more items */
  uint64_t order;      /* those of one order go one after another; 0: none */
  uint32_t frame;      /* of reports: which leave together */
  uint32_t items;
} sn_call;

typedef struct sn_calls {
  sn_call *first;
  sn_call **end; /* where the next one is hung */
  size_t count;
} sn_calls;

typedef enum sn_exchange_type {
  SN_EXCHANGE_PAGE = 1, /* of rows */
  SN_EXCHANGE_READERS,  /* a host's */
  SN_EXCHANGE_REPORT    /* without a link */
} sn_exchange_type;

/* A request by HTTP. */
typedef struct sn_exchange {
  struct sn_exchange *next;
  sn_exchange_type type;
  uint64_t number;      /* of the transport's request; 0: it has none now */
  uint64_t due;         /* when it is to be sent, if it is not */
  uint64_t token;       /* the number of the token that it was sent with */
  bool refused;         /* a token was refused already */
  sn_request *request;  /* of READERS */
  uint64_t after;       /* of PAGE */
  char *conv;           /* of REPORT */
  const sn_text *asked; /* the path: its own, or the request's */
  sn_text path;
  sn_text body; /* empty: GET */
} sn_exchange;

/* Where further rows come from. */
typedef enum sn_paging {
  SN_PAGING_NONE = 0, /* all are here */
  SN_PAGING_HELLO,    /* the first after the welcome, on its own */
  SN_PAGING_SYNC,     /* a sync is in flight or waits */
  SN_PAGING_HTTP      /* a request is */
} sn_paging;

/* The frame that outputs are made of now, item by item. */
typedef struct sn_walk {
  const sn_frame *frame;       /* NULL: none */
  const sn_audience *audience; /* or who has a message */
  size_t step;                 /* items done */
  sn_request *request;         /* a host's that it answers, and ends */
  bool page;                   /* of rows, which moves the resume version */
  bool push;                   /* by a notification: more may follow */
} sn_walk;

struct sn_session {
  const seen_allocator *memory;
  sn_log log;
  sn_intervals intervals;
  char *user;
  char *device;
  uint64_t random;
  uint64_t now;
  uint64_t numbers; /* connections and requests so far */
  uint64_t ids;     /* of the engine's frames: odd; of a host's: even */

  /* What is known of the server. */
  char *incarnation;
  uint64_t version; /* the resume version */
  uint64_t seen;    /* the highest of words and messages */
  bool reset;       /* rows of another incarnation are coming */
  bool doubtful;    /* what is held may be what is no more */
  sn_paging paging;
  bool snapshot;    /* further pages come by HTTP … */
  uint64_t sync_id; /* … or answer this */
  uint64_t sync_from;
  uint64_t welcomed; /* the server's version when the link came up */
  bool receipts;     /* the user's setting, as it said last (S7) */
  size_t frame_bytes;
  size_t items;

  /* The link. */
  bool wanted;
  bool disabled;
  sn_link link;
  sn_link rival; /* a socket that is to take over from requests */
  uint64_t retry_at;
  uint32_t failures; /* in a row, since the last one that was stable */
  uint32_t blocked;  /* sockets in a row without a welcome */
  uint64_t rival_at; /* when a socket is tried beside */
  uint32_t rivals;   /* how often it was */
  struct {
    uint64_t number;
    uint32_t code;
  } closes[4];
  size_t close_count;
  seen_connection_state state; /* as it was told */
  uint64_t told_again_at;
  seen_ended cause; /* of the last failure */
  uint32_t cause_code;

  /* What the engine believes: the link by its number, 0 for none. */
  uint64_t engine_link;
  bool say_reset;
  bool note;              /* and that no version is held */
  uint64_t courier;       /* reports go by HTTP under this number; 0: no … */
  uint64_t courier_until; /* … and until then */

  /* The token. */
  char *token;
  uint64_t token_number; /* rises with each that came or went */
  uint64_t asked_at;     /* when the provider was asked; SEEN_NEVER */
  uint64_t ask_at;       /* not before that */
  bool ask;              /* it is to be asked */

  /* What is said and asked. */
  sn_calls waiting;
  sn_calls flying;
  sn_call *lists[3]; /* open: read, delivered, fetch */
  sn_request *ended; /* a reply is due */
  sn_request *gone;  /* what the last output pointed at */
  sn_exchange *exchanges;
  uint64_t cancels[SN_EXCHANGES_MAX];
  size_t cancel_count;
  size_t backoffs; /* of frames that the server could not take */

  sn_frame_reader reader;
  sn_walk walk;
  sn_text hello;
};

#endif
