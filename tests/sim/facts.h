/*
 * All that happened, fact by fact, as it was committed: who sent which seq,
 * whether it counts, what was recalled, who was a member when. Counts are
 * recounted from it, for any reader and up to any seq.
 */
#ifndef TESTS_SIM_FACTS_H
#define TESTS_SIM_FACTS_H

#include <seen/position.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/plan.h"

/* Each seq is of one act. */
enum { SIM_SEQS_MAX = SIM_ACTS_MAX + 8, SIM_PERIODS_MAX = 32 };

typedef struct sim_fact {
  int from;          /* a user; -1: nobody with a device */
  bool counts;       /* by its kind (F2) */
  bool unsure;       /* taken down or held: what somebody knows is up to when */
  bool held;         /* waits for approval */
  uint64_t recalled; /* by this seq; SEEN_SEQ_MAX: not */
  uint64_t about;    /* whose mentions it says: its own, or an edited one's */
  uint32_t names;    /* bits of users: all whom that mentions then (M1) */
} sim_fact;

typedef struct sim_period {
  uint64_t join;
  uint64_t leave;
  uint64_t epoch; /* that it began in (P5) */
} sim_period;

/* What a user read while their receipts were off (S7): from above what all
 * may know to where they were on again. */
typedef struct sim_secret {
  uint64_t above;
  uint64_t to; /* SEEN_SEQ_MAX: they are off */
} sim_secret;

typedef struct sim_member {
  sim_period periods[SIM_PERIODS_MAX];
  size_t count;
  uint64_t receipt; /* P9: the highest ever reported */
  sim_secret secrets[SIM_PERIODS_MAX];
  size_t secret_count;
} sim_member;

typedef struct sim_facts {
  sim_fact list[SIM_SEQS_MAX]; /* by seq; 0 is none */
  uint64_t last;
  uint64_t floor;
  bool stale; /* something of it may have been committed */
  sim_member members[SIM_USERS];
} sim_facts;

/* How many may be unread: what moderators did may be known or not yet. */
typedef struct sim_range {
  uint64_t least;
  uint64_t most;
} sim_range;

struct sim_world;

/* Says that what a frame names may change. */
void facts_named(struct sim_world *sim, const char *text);
void facts_all(struct sim_world *sim);

/* After a commit: adds what is new. */
void facts_take(struct sim_world *sim);

/* After a restore: what is there now is all that happened. */
void facts_restored(struct sim_world *sim);

/* Unread messages of a user in (base, last], as of `last`. */
sim_range facts_unread(const sim_facts *facts, uint32_t user, uint64_t base,
                       uint64_t last);

/* Whether a message mentions a user: by the latest word on that up to `last`,
 * or by any of them. */
bool facts_names(const sim_facts *facts, uint32_t user, uint64_t seq,
                 uint64_t last, bool any);

bool facts_member_at(const sim_facts *facts, uint32_t user, uint64_t seq);

/* The present membership; NULL: none. */
const sim_period *facts_present(const sim_facts *facts, uint32_t user);

#endif
