/*
 * What the files of the model share: one conversation as plain facts, one
 * row a seq, and the session around it. Times are SEEN_NEVER where there is
 * none. Rule ids are those of docs/semantics.md.
 */
#ifndef NAIVE_PARTS_H
#define NAIVE_PARTS_H

#include "naive/naive.h"

/* One copy of a live message above the tally (U3). */
typedef struct naive_copy {
  uint64_t seq;
  seen_message_kind kind;
  bool counts; /* F2, F3 but for recalls */
  seen_mention_why mention;
  uint64_t target;
} naive_copy;

/* What is known of one seq, but for its live copies. */
typedef struct naive_fact {
  bool listed;            /* uncountable, says the tally */
  seen_mention_why named; /* an open mention, says the tally */
  bool found_uncountable; /* U7 */
  seen_mention_why found_mention;
  bool cleared;    /* M4 */
  unsigned sender; /* a name's number, 0: not known */
  bool text;
  bool counted; /* R5: the server's counts */
  uint64_t read;
  uint64_t audience;
  uint64_t delivered;

  /* Not kept over a restart. */
  uint64_t gap_since;
  bool asked;
  uint64_t on_screen_since;
  bool fired;
  bool cleared_sent;
} naive_fact;

typedef struct naive_wish {
  bool there;
  bool keep; /* M3: raised by mark all as read */
  uint64_t epoch;
  uint64_t read;
  uint64_t shown;
} naive_wish;

typedef struct naive_mark {
  bool there;
  bool keep;
  uint64_t epoch;
  uint64_t seq;
  uint64_t target;
} naive_mark;

typedef struct naive_tally {
  uint64_t version;
  uint64_t last;
  uint64_t from;
  uint64_t base;
  bool counted_known;
  uint64_t counted;
} naive_tally;

typedef struct naive_period {
  unsigned user;
  bool bot;
  uint64_t join;
  uint64_t leave; /* SEEN_NEVER: still a member */
  uint64_t read;
  uint64_t delivered;
} naive_period;

typedef struct naive_peer {
  unsigned user;
  uint64_t read;
  uint64_t delivered;
} naive_peer;

/* A setting: the server's word and the person's, while that is not there. */
typedef struct naive_setting {
  bool server;
  bool wanted;
  bool want;
} naive_setting;

typedef struct naive_conv {
  char id[NAIVE_ID_MAX];
  seen_kind kind;
  seen_position server;
  naive_tally tally;
  uint64_t last; /* U5 */
  uint64_t floor;
  uint64_t join;
  naive_wish wish;
  naive_mark mark;
  bool acked; /* S4 */
  uint64_t acked_epoch;
  uint64_t acked_seq;
  uint64_t own; /* S2 */
  bool gone;    /* left, or refused for good */
  bool waiting; /* for the snapshot of another incarnation */
  naive_setting muted;
  naive_setting pinned;
  uint64_t updated_at;
  uint64_t delivered_here;
  uint64_t delivered_server;

  naive_fact *facts; /* by seq; 0 is not used */
  size_t fact_count;
  naive_copy *copies;
  size_t copy_count;
  naive_period *periods;
  size_t period_count;
  naive_peer *peers;
  size_t peer_count;

  /* Not kept over a restart. */
  bool open;
  bool blocked; /* V8 */
  bool has_range;
  seen_run range;
  uint64_t divider;
  uint64_t first_advance; /* unreported */
  uint64_t last_advance;
  bool at_once;
  bool free_frame; /* V4: a close or background asked for it */
  uint64_t retry_at;
  uint64_t backoff;
  bool sent; /* the report in flight */
  uint64_t sent_epoch;
  uint64_t sent_seq;
  bool mark_sent;
  uint64_t delivered_sent;
  uint64_t delivered_first;
  uint64_t delivered_last;
  bool subscribed;
  seen_run subscription;
  uint64_t unwritten;
} naive_conv;

struct naive {
  seen_options options;
  naive_fault fault;
  uint64_t now;
  naive_conv **convs;
  size_t conv_count;
  naive_conv **written; /* S6 */
  size_t written_count;
  char **names; /* of users; a number is an index plus 1 */
  size_t name_count;
  unsigned me;

  bool link;
  bool foreground;
  bool focus;
  uint64_t units; /* V4 */
  uint64_t units_at;
  char (*fetched)[NAIVE_ID_MAX]; /* S8: asked for on this link */
  size_t fetched_count;
  seen_metrics metrics;
  naive_output *outputs;
  size_t output_count;
  size_t turn; /* the first output of this turn */
};

/* facts.c: what is kept, and the numbers it gives. */
void *naive_allocate(size_t count, size_t size);
void *naive_grow(void *items, size_t count, size_t size);
naive_conv *naive_conv_new(const char *id, seen_kind kind, uint64_t now);
naive_conv *naive_conv_copy(const naive_conv *conv);
void naive_conv_free(naive_conv *conv);
void naive_conv_wake(naive_conv *conv, uint64_t now);
void naive_conv_new_link(naive_conv *conv);
bool naive_conv_same(const naive_conv *a, const naive_conv *b);
naive_fact *naive_fact_at(naive_conv *conv, uint64_t seq);
void naive_see_gaps(naive_conv *conv, uint64_t now);

uint64_t naive_low(const naive_conv *conv);
uint64_t naive_shown(const naive_conv *conv);
uint64_t naive_base(const naive_conv *conv);
bool naive_marked(const naive_conv *conv);
bool naive_said_uncountable(const naive *model, const naive_conv *conv,
                            uint64_t seq);
bool naive_uncountable(const naive *model, const naive_conv *conv,
                       uint64_t seq);
uint64_t naive_unread(const naive *model, const naive_conv *conv, bool *exact);
uint64_t naive_first_unread(const naive *model, const naive_conv *conv);
bool naive_said_mention(const naive *model, const naive_conv *conv,
                        uint64_t seq);
bool naive_mention(const naive *model, const naive_conv *conv, uint64_t seq);
void naive_drop_found(const naive *model, naive_conv *conv);

/* wishes.c: positions, wishes, marks and the server's words. */
bool naive_older(seen_position a, seen_position b);
bool naive_named(const naive_conv *conv, uint64_t seq);
bool naive_silent(const naive_conv *conv);
bool naive_pending(const naive_conv *conv);
bool naive_unsent(const naive_conv *conv);
void naive_settle(naive *model, naive_conv *conv);
void naive_adopt(naive *model, naive_conv *conv, const seen_word *word,
                 bool whole);
void naive_replace(naive *model, naive_conv *conv, seen_position position);
void naive_drop_own(naive *model, naive_conv *conv);
void naive_ack(naive *model, naive_conv *conv, const seen_answer *answer);
void naive_refuse(naive *model, naive_conv *conv, const seen_answer *answer);

/* rows.c: the server's rows, this link's and another incarnation's. */
void naive_snapshot(naive *model, const char *id, const seen_snapshot *said);
void naive_set(naive_setting *setting, bool said, bool on);
void naive_server_reset(naive *model);
void naive_snapshot_end(naive *model);

/* reading.c: what the person does. */
uint64_t naive_tail(const naive *model, const naive_conv *conv, uint64_t seq);
bool naive_can_read(const naive *model, const naive_conv *conv);
void naive_read_to(naive *model, naive_conv *conv, uint64_t seq, bool by_name,
                   bool mentions);
void naive_dwell(naive *model);
void naive_by_name(naive *model, naive_conv *conv, uint64_t seq);
void naive_mark_unread(naive *model, naive_conv *conv,
                       const seen_optional_seq *said);
void naive_clear_mentions(naive *model, naive_conv *conv);
void naive_read_all(naive *model);
void naive_open(naive *model, naive_conv *conv);
void naive_visible(naive *model, naive_conv *conv, seen_run range);
void naive_close(naive_conv *conv);
void naive_attention(naive *model, bool *what, bool on);

/* sending.c: what leaves, and when. */
void naive_emit(naive *model, seen_effect_type type, const char *id,
                const naive_output *fields);
void naive_hurry(naive_conv *conv, bool free_frame);
void naive_send_wants(naive *model, const naive_conv *conv);
void naive_deliver(naive *model, naive_conv *conv);
void naive_link(naive *model, bool up);
void naive_settle_turn(naive *model);
uint64_t naive_next_timer(naive *model);

/* people.c: rosters and receipts. */
unsigned naive_name(naive *model, const char *user);
void naive_roster(naive *model, naive_conv *conv, const seen_member *members,
                  size_t count);
void naive_members(naive *model, naive_conv *conv, const seen_members *said);
void naive_peer_said(naive *model, naive_conv *conv, const seen_peer *said);
void naive_receipts(naive_conv *conv, const seen_receipt_rows *said);

/* naive.c */
naive_conv *naive_find(const naive *model, const char *id);
void naive_remove(naive *model, naive_conv *conv);

/* Likewise; what it subscribed to ends (R5). */
void naive_forget(naive *model, naive_conv *conv);

#endif
