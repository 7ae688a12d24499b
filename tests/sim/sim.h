/*
 * A simulation: devices that are the real engine, mirror and session, a server
 * that is the real state part, and between them a network in virtual time.
 * Everything comes from the plan: the same plan gives the same frames.
 */
#ifndef TESTS_SIM_SIM_H
#define TESTS_SIM_SIM_H

#include "http.h"
#include "state.h"

#include <seen/sys/mirror.h>
#include <seen/sys/recorder.h>

#include "server/faulty.h"
#include "session/core.h"
#include "sim/agenda.h"
#include "sim/facts.h"
#include "sim/plan.h"
#include "sim/tally.h"
#include "support/folder.h"
#include "wire/frame.h"

enum {
  SIM_DEVICES_MAX = SIM_USERS * SIM_DEVICES,
  SIM_SENT_MAX = SIM_ACTS_MAX,
  SIM_SWITCHES_MAX = 64,
  SIM_WHY = 512
};

/* The mentions that a device shows of a conversation, and those that it showed
 * once: as of which last seq they went; 0: they did not. */
typedef struct sim_listed {
  bool open[SIM_SEQS_MAX];
  uint64_t gone[SIM_SEQS_MAX];
} sim_listed;

/* Something that is owed: since when, on which link, and whether it was done. */
typedef struct sim_promise {
  uint64_t since;
  uint64_t link;
  bool owed;
  bool kept;
} sim_promise;

/* Where a device is in its life. */
typedef struct sim_device {
  struct sim_world *sim;
  size_t number;
  uint32_t user;
  char name[16];
  uint64_t life; /* rises with each start and end: late news is known by it */
  bool on;       /* the process runs */
  int64_t shift; /* its clock, less the simulation's */
  seen_store *store; /* its disk; outlives the process */
  char path[400];    /* of a disk that is a file */
  seen_mirror *mirror;
  sn_session *session;
  seen_recorder *recorder; /* only where a failure is to be shown */
  seen_options options;
  uint64_t tick; /* when it was asked to be woken; SEEN_NEVER: not */
  uint64_t boots;
  bool foreground;
  bool focus;
  int open; /* conversation on screen; -1: none */
  uint64_t disk_fails_until;
  uint64_t cut_until;     /* no link comes up before */
  uint64_t blocked_until; /* no socket, requests only */
  uint64_t portal_until;
  uint64_t misses_until;     /* what is pushed is lost, doubled or late */
  uint32_t falls_at_page;    /* the n-th page from now that is not the last */
  bool login_planned;        /* its account was disabled */
  uint64_t token_at;         /* when its token ends */
  uint64_t seen[SIM_CONVS];  /* highest seq that was on screen or named */
  uint64_t claim[SIM_CONVS]; /* shown as read and written */
  bool wiped;                /* its disk was, once */
  uint64_t units;            /* of a bucket of our own (V4) */
  uint64_t units_at;
  uint64_t frames;    /* of reports, so far */
  uint32_t frame;     /* the number of the last one … */
  uint64_t left;      /* … and how many left */
  bool slept;         /* its clock leapt */
  uint64_t farewells; /* closes and backgrounds: frames that need no token */
  sim_listed listed[SIM_CONVS];
  sim_promise gaps[SIM_CONVS];
  sim_promise unsent[SIM_CONVS];
  seen_mark marks[SIM_CONVS]; /* the last one that was said */
  bool counted; /* it was told the server's counts of some messages */
  bool changed[SIM_CONVS];
  seen_position held[SIM_CONVS]; /* of the server, as it was told */
  bool waited[SIM_CONVS];        /* for a row of another history (S2) */
  uint64_t requests;
  uint64_t asked; /* requests of this life, and their replies */
  uint64_t replied;
  bool fetched[SIM_CONVS]; /* the row of one unknown, on this link (S8) */
  uint64_t on_screen; /* of the open conversation, whether it is looked at */
  seen_receipt receipts[SIM_CONVS]; /* of the last own message looked at */
  uint64_t receipt_seq[SIM_CONVS];
} sim_device;

/* A connection, seen from both ends. */
typedef struct sim_link {
  size_t device;
  uint64_t number; /* the session's */
  bool polled;
  bool at_client; /* the client has not heard of its end */
  connection *at_server;
  bool dark;           /* nothing passes any more */
  bool greeted;        /* a polled one has a name */
  bool missed;         /* a push was lost, or came twice or late */
  bool slow;           /* what waits at the server is not taken off it … */
  uint64_t slow_until; /* … before */
  uint64_t late_until; /* what is on its way up a cut one arrives then */
  uint64_t up_at;      /* when the last frame on its way up arrives */
  uint64_t down_at;
} sim_link;

/* An HTTP request on its way. */
typedef struct sim_asked {
  size_t device;
  uint64_t life;
  uint64_t history; /* of the server then */
  uint64_t number;
  char path[512];
  bool post;
} sim_asked;

/* A message that a person sent. */
typedef struct sim_sent {
  uint32_t user;
  uint32_t conv;
  uint64_t seq; /* 0: no answer yet */
  bool known;   /* the client was told that it was taken */
  bool lost;    /* a restore took it back */
  char body[32];
} sim_sent;

/* What a user said once, whatever the retries. */
typedef struct sim_op {
  char user[8];
  char op[48];
} sim_op;

/* A frame that was sent to a user, and may come by a notification as well. */
typedef struct sim_note {
  char text[4096];
  size_t length;
} sim_note;

/* Somebody's receipts went off or on, and that is not committed yet: how things
 * stood where it happened. */
typedef struct sim_switch {
  uint32_t user;
  bool on;
  uint64_t last[SIM_CONVS];
  uint64_t receipt[SIM_CONVS];
} sim_switch;

/* What may move a position: how much of it there is, and the last of it. */
typedef enum sim_move {
  SIM_MOVE_UNKNOWN,
  SIM_MOVE_READ,     /* a report of `said` */
  SIM_MOVE_MARK,     /* a mark that expects `said` */
  SIM_MOVE_READ_ALL, /* of before the latest mark */
} sim_move;

typedef struct sim_moves {
  unsigned count;
  sim_move last;
  seen_position said;
  uint64_t target;
} sim_moves;

typedef struct sim_world {
  sim_plan plan;
  sim_agenda agenda;
  uint64_t now;
  uint64_t at_once; /* how much has happened since it last moved */
  uint64_t hash;    /* of all frames and when they came */
  bool quiet;       /* no more faults */
  bool healed;      /* and all that waited has come */
  bool failed;
  char why[SIM_WHY];  /* the rule, and what was seen */
  size_t step;        /* acts done */
  test_random random; /* of the network */
  sim_tally *tally;
  bool recording;

  faulty disk;    /* the server's storage, which can be told to fail */
  server *server; /* NULL: it is down */
  limits limits;
  bool commit_planned;
  bool draining;
  uint64_t commits; /* of this server, as far as they were looked at */
  uint64_t server_tick;
  uint64_t server_base; /* its clock, less the simulation's */
  uint64_t history;     /* rises with each restore */
  bool restored;
  test_folder folder; /* of files, where there are some */
  bool has_backup;
  storage backup; /* of a server in memory */
  sim_op *ops;    /* all that came up, or may have */
  size_t op_count;
  uint64_t accounts; /* disabled or enabled, so often */

  sim_link *links;
  size_t link_count;
  sim_asked *asked;
  size_t asked_count;
  sim_device devices[SIM_DEVICES_MAX];
  size_t device_count;
  sim_sent sent[SIM_SENT_MAX];
  size_t sent_count;
  sim_facts facts[SIM_CONVS];
  uint64_t newest[SIM_CONVS][SIM_USERS]; /* own message that was taken */
  bool moderated;                        /* since they were looked at */
  bool switching; /* somebody's receipts, by the frame that is taken now */
  sim_switch switches[SIM_SWITCHES_MAX]; /* of this turn of the server */
  size_t switch_count;
  bool rejoined[SIM_CONVS][SIM_USERS];
  sn_frame_reader reader;
  sim_note notes[SIM_USERS];
  seen_position held[SIM_CONVS][SIM_USERS]; /* at the server */
  sim_moves moves[SIM_CONVS][SIM_USERS];    /* in this turn of the server */
  uint64_t marked_at[SIM_CONVS][SIM_USERS]; /* the version before that */
  uint64_t version;                         /* that was committed last */
  bool receipts_on[SIM_USERS];
  bool receipts_changed; /* anybody's, ever */
  uint64_t receipts_off_at[SIM_USERS];
  uint64_t touched[SIM_CONVS][SIM_USERS]; /* read or cleared by any device */
  uint64_t marked[SIM_CONVS][SIM_USERS];  /* what marks expected: reads up to
                                            there may have been taken back */
} sim_world;

/* Runs a plan; true: all rules held. What was used stays for a look. */
bool sim_run(sim_world *sim, const sim_plan *plan, sim_tally *tally,
             bool recording);
void sim_end(sim_world *sim);

/* A fault was met. */
void sim_met(sim_world *sim, sim_fault fault);

/* A rule is broken: the first one is kept. */
void sim_fail(sim_world *sim, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Names of people and conversations. */
const char *sim_user(uint32_t user);
const char *sim_conv(uint32_t conv);
int sim_conv_of(const char *id);
int sim_user_of(const char *id);

#endif
