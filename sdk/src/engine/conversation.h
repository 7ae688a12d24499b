/*
 * One conversation: the server's position and tally, and, where there is
 * more to know, three parts that are made when first needed: facts (seq by
 * seq), reading (what the person did here), viewport (while open), roster.
 * A quiet conversation is this one struct.
 */
#ifndef SN_ENGINE_CONVERSATION_H
#define SN_ENGINE_CONVERSATION_H

#include <seen/sys/engine.h>
#include <seen/sys/working.h>

#include "engine/wish.h"
#include "model/runs.h"

typedef struct sn_roster sn_roster;
typedef struct sn_viewport sn_viewport;

/* No time: something has not happened. */
#define SN_NO_TIME UINT64_MAX
/* The first wait after rate_limited, in ms (V7). */
#define SN_FIRST_BACKOFF 1000
/* A tally's `counted` where the server did not say it. */
#define SN_NOT_COUNTED UINT64_MAX

/* What is known seq by seq. */
typedef struct sn_facts {
  sn_runs live;           /* came above live_to, beyond a gap (U3) */
  sn_runs uncountable;    /* by the tally or a live message (F3, U4) */
  sn_runs found;          /* uncountable, found here, not said (U7) */
  sn_runs mentions;       /* said; tagged why; some may be uncountable (M1) */
  sn_runs found_mentions; /* tagged why (U7) */
  sn_runs open;           /* the mentions shown, derived from all of these */
  sn_runs senders;        /* tagged user << 1 | text */
  seen_note *notes;       /* live recalls and edits: what they do below */
  size_t note_count;
  size_t note_capacity;
  seen_gap *gaps; /* not asked for on this link, by time */
  size_t gap_count;
  size_t gap_capacity;
  uint64_t delivered_sent;  /* on this link */
  uint64_t delivered_first; /* SN_NO_TIME: nothing unsent */
  uint64_t delivered_last;
  uint32_t delivered_place; /* in the timers */
  uint32_t fetch_place;
} sn_facts;

/* What the person did here, and what of it is on its way. */
typedef struct sn_reading {
  /* What every input looks at stands together. */
  sn_wish wish;
  bool acked;
  bool sent;
  bool mark_sent;
  bool now_due;
  bool waiting;          /* due, and has no token yet (V4) */
  bool pass_limit;       /* leaves without one */
  uint32_t report_place; /* in the timers */
  uint32_t mark_place;
  uint64_t retry_at; /* V7; SN_NO_TIME: no wait */
  sn_mark mark;
  sn_runs cleared; /* M4 */

  sn_runs sent_cleared; /* in flight on this link */
  uint64_t sent_epoch;
  uint64_t sent_seq;
  uint64_t acked_epoch; /* the highest own report acknowledged (S4) */
  uint64_t acked_seq;
  uint64_t own;   /* read here, less later rollbacks (S2) */
  uint64_t first; /* times of the unreported advances (V3) */
  uint64_t last;
  uint64_t backoff;
} sn_reading;

enum {
  SN_ROW = 1u << 0,     /* a snapshot made it; not forgotten */
  SN_GONE = 1u << 1,    /* left, or refused for good: no row is shown */
  SN_WAITING = 1u << 2, /* for a snapshot of this incarnation (S2) */
  SN_MUTED = 1u << 3,   /* the server's word */
  SN_PINNED = 1u << 4,
  SN_WANT_MUTE = 1u << 5, /* the person's word, not the server's yet (V5) */
  SN_WANT_MUTED = 1u << 6,
  SN_WANT_PIN = 1u << 7,
  SN_WANT_PINNED = 1u << 8,
  SN_FETCHED = 1u << 9,      /* unknown, and asked for on this link (S8) */
  SN_LISTED = 1u << 10,      /* in the display order */
  SN_MOVED = 1u << 11,       /* to be put in its place there */
  SN_CHANGED = 1u << 12,     /* to be told to the UI */
  SN_DIRTY = 1u << 13,       /* to be written */
  SN_TOTALED = 1u << 14,     /* the totals count it … */
  SN_TOTAL_MUTED = 1u << 15, /* … as muted */
  SN_TOTAL_CONV = 1u << 16   /* … among the conversations with unread */
};

typedef struct sn_conv {
  char *id;
  uint32_t flags;
  uint32_t block; /* of the display order */
  seen_position server;
  uint64_t tally_version;
  uint64_t tally_last;
  uint64_t tally_from;
  uint64_t tally_base;
  uint64_t tally_counted;
  uint64_t last_seq;
  uint64_t live_to; /* everything above the tally up to here came live */
  uint64_t floor;
  uint64_t join_seq;
  uint64_t updated_at;
  uint64_t delivered_here;
  uint64_t delivered_server;
  uint64_t unread; /* caches (U8) */
  uint32_t mentions;
  seen_conv handle;
  seen_kind kind;
  sn_facts *facts;
  sn_reading *reading;
  sn_viewport *viewport;
  sn_roster *roster;
} sn_conv;

static inline uint64_t sn_max(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}
static inline uint64_t sn_min(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static inline bool sn_conv_has(const sn_conv *conv, uint32_t flags) {
  return (conv->flags & flags) != 0;
}

static inline void sn_conv_flag(sn_conv *conv, uint32_t flag, bool on) {
  conv->flags = on ? conv->flags | flag : conv->flags & ~flag;
}

/* Whether the list shows it (B4, S5). */
static inline bool sn_conv_shown_in_list(const sn_conv *conv) {
  return (conv->flags & (SN_ROW | SN_GONE)) == SN_ROW;
}

/* Nothing is sent for it (S2, S5). */
static inline bool sn_conv_silent(const sn_conv *conv) {
  return sn_conv_has(conv, SN_GONE | SN_WAITING);
}

/* What was retained and what of it is this membership's begin above here. */
static inline uint64_t sn_conv_low(const sn_conv *conv) {
  return sn_max(conv->floor, conv->join_seq ? conv->join_seq - 1 : 0);
}

/* The position that is shown (P6). */
static inline uint64_t sn_conv_shown(const sn_conv *conv) {
  return conv->reading && conv->reading->wish.set ? conv->reading->wish.shown
                                                  : conv->server.seq;
}

/* U1 */
static inline uint64_t sn_conv_base(const sn_conv *conv) {
  return sn_max(sn_conv_shown(conv), sn_conv_low(conv));
}

/* The person's word where it is not the server's yet, else the server's. */
static inline bool sn_conv_muted(const sn_conv *conv) {
  return sn_conv_has(conv, sn_conv_has(conv, SN_WANT_MUTE) ? SN_WANT_MUTED
                                                           : SN_MUTED);
}
static inline bool sn_conv_pinned(const sn_conv *conv) {
  return sn_conv_has(conv, sn_conv_has(conv, SN_WANT_PIN) ? SN_WANT_PINNED
                                                          : SN_PINNED);
}

bool sn_conv_marked_unread(const sn_conv *conv); /* P4 */

/* The parts, made when first needed: 0 or SEEN_ENOMEM. */
int sn_conv_need_facts(const seen_allocator *memory, sn_conv *conv);
int sn_conv_need_reading(const seen_allocator *memory, sn_conv *conv);

/* Forgets what was known seq by seq, or what was done here; keeps memory. */
void sn_facts_clear(sn_facts *facts);
void sn_reading_clear(sn_reading *reading);

/* Frees facts, reading and roster; or those and the viewport. */
void sn_conv_free_knowledge(const seen_allocator *memory, sn_conv *conv);
void sn_conv_free_parts(const seen_allocator *memory, sn_conv *conv);

#endif
