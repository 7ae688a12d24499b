/*
 * Who is, and was, in a conversation, and who has read what (R1–R3): periods
 * of membership, ranks that count them in O(log n), and the server's counts.
 * People are the engine's user handles.
 */
#ifndef SN_ENGINE_ROSTER_H
#define SN_ENGINE_ROSTER_H

#include <seen/sys/engine.h>

#include "base/table.h"
#include "model/ranks.h"

typedef struct sn_roster sn_roster;

/* One membership period; both ends inclusive. */
typedef struct sn_period {
  uint64_t join;
  uint64_t leave; /* UINT64_MAX: still a member */
  uint64_t read;
  uint64_t delivered;
  uint32_t user;
  uint32_t earlier; /* the same person's period before it, 0: none */
  uint32_t latest;  /* of their first period: their last one */
  bool bot;
} sn_period;

struct sn_roster {
  sn_period *periods; /* from 1 */
  size_t count;
  size_t capacity;
  sn_table users; /* user → their first period */
  sn_ranks joins; /* of periods that can hold a message, less bots */
  sn_ranks leaves;
  sn_ranks reads; /* each between its period's join - 1 and leave */
  sn_ranks deliveries;
  seen_receipt_row *rows; /* the server's counts, from 1 */
  size_t row_count;
  size_t row_capacity;
  sn_table row_table; /* seq → row */
  uint64_t seed;      /* of the tables */
  uint64_t peer_read; /* direct: the furthest of the others (R1) */
  uint64_t peer_delivered;
  uint32_t peer; /* who that is */
};

/* A roster, made when first needed: 0 or SEEN_ENOMEM. */
int sn_roster_need(const seen_allocator *memory, sn_roster **roster,
                   uint64_t seed);
void sn_roster_free(const seen_allocator *memory, sn_roster *roster);

/* Forgets people, positions and counts; keeps memory. */
void sn_roster_clear(sn_roster *roster);

/* Room for what one input brings. */
int sn_roster_reserve(const seen_allocator *memory, sn_roster *roster,
                      size_t periods);
int sn_roster_reserve_rows(const seen_allocator *memory, sn_roster *roster,
                           size_t rows);

/* Forgets the people; then sn_roster_add() in order of (user, join). */
void sn_roster_start(sn_roster *roster);
void sn_roster_add(sn_roster *roster, sn_period period, uint32_t me);

/* Raises a period's positions to those held of the same one. */
void sn_roster_keep(const sn_roster *roster, sn_period *period);

/* A period alone, which makes its person nobody's peer. */
void sn_roster_put(sn_roster *roster, sn_period period);

void sn_roster_join(sn_roster *roster, uint32_t user, uint64_t seq, bool bot);
void sn_roster_leave(sn_roster *roster, uint32_t user, uint64_t seq);

/* A peer's positions, each in the period that it was made in (R3). */
void sn_roster_peer(sn_roster *roster, uint32_t user, uint32_t me,
                    uint64_t read, uint64_t delivered);

/* Of two people the other one's furthest position is the peer's (R1). */
void sn_roster_follow_peer(sn_roster *roster, uint32_t user, uint64_t read,
                           uint64_t delivered);

/* The server's counts of one message; merged by the larger read (R5). */
void sn_roster_count_row(sn_roster *roster, seen_receipt_row row);

/* Receipts of a message (R1, R2); `roster` may be NULL. */
seen_receipt sn_roster_receipt(const sn_roster *roster, seen_kind kind,
                               uint64_t seq, uint32_t sender);

/*
 * Whether that period is of the message's audience, and whether it has read
 * it.
 */
bool sn_roster_in_audience(const sn_period *period, uint64_t seq,
                           uint32_t sender);

#endif
