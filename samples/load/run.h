/*
 * A run: conversations are set up, virtual users join, then the load goes on
 * for its time, and what is in flight at its end is waited for. What a load
 * does in it stands behind `load`.
 *
 * An actor is a virtual user or, behind all of those, a subscriber.
 */
#ifndef LOAD_RUN_H
#define LOAD_RUN_H

#include "asks.h"
#include "figures.h"
#include "net.h"
#include "token.h"

#include <cjson/cJSON.h>

typedef struct run run;

typedef struct load {
  const char *unit; /* what is counted */
  bool admins;      /* users are admins: they ask for anybody's messages */
  /* What it keeps, into `kept`. False: run_fail has said why. */
  bool (*open)(run *of);
  void (*close)(run *of);
  /* Before the load; it begins when `preparing` is 0. May be NULL. */
  void (*ready)(run *of);
  /* One act of a user, due at `at`; false: nothing is left for this one. */
  bool (*act)(run *of, size_t user, uint64_t at);
  void (*frame)(run *of, size_t actor, const char *type, const cJSON *frame);
  /* What is waited for at the end besides answers. May be NULL. */
  uint64_t (*not_told)(const run *of);
  /* Figures of its own, and what they are about. */
  const char *section;
  void (*tell)(const run *of, cJSON *into);
} load;

extern const load load_reports, load_durable, load_receipts, load_queries;

typedef struct load_group {
  char name[32];
  uint64_t first, last; /* seqs of its messages */
} load_group;

/* What the server says of itself in `welcome`. */
typedef struct server_limits {
  uint64_t window_ms, roster_limit, subscribe, subscriptions;
  uint64_t reports_per_second;
} server_limits;

typedef enum phase {
  SETTING_UP,
  JOINING,
  READYING,
  LOADING,
  DRAINING,
  DONE,
  FAILED
} phase;

struct run {
  const options *how;
  const load *load;
  void *kept; /* the load's */
  net *net;
  token_key *key;
  char name[16]; /* of this run: all names begin with it */
  phase phase;
  char why[WHY_BYTES]; /* of FAILED */
  server_limits limits;
  struct stage *stage;
  load_group *groups;
  size_t group_count;
  wire **actors;
  size_t actor_count, dialled, joined;
  size_t preparing; /* answers that `ready` waits for */
  uint32_t *slots;  /* users who may act, a ring */
  size_t slot_count, slot_first, slot_most;
  uint64_t acts, in_air; /* of the load; those without an answer */
  uint64_t heard_at;     /* when something came, or nothing was awaited */
  figures figures;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void
run_fail(run *self, const char *format, ...);

/* The user or subscriber's name. */
void run_actor_name(const run *self, size_t actor, char name[64]);

/* A token for an actor, to be freed; NULL: run_fail has said why. */
char *run_token(run *self, size_t actor);

void run_say(run *self, size_t actor, const char *text, size_t length);

/* An act of this user, due at `at`, was answered; it may act again. */
void run_answered(run *self, size_t user);

/* The group that is the user's n-th. */
size_t run_group_of(const run *self, size_t user, size_t n);

/* Members of a frame; 0 or "" where they are not there. */
uint64_t frame_number(const cJSON *frame, const char *name);
const char *frame_text(const cJSON *frame, const char *name);

#endif
