/*
 * R1–R3. How many read a message at seq s is
 *   #{read >= s} - #{join > s}
 * where each period's read is kept between join - 1 and leave: whoever joined
 * later counts in both, whoever left earlier in neither.
 */
#include "engine/roster.h"

#include "base/memory.h"

#define STILL UINT64_MAX

int sn_roster_need(const seen_allocator *memory, sn_roster **roster,
                   uint64_t seed) {
  if (*roster) return SEEN_OK;
  sn_roster *made = sn_allocate_zero(memory, sizeof *made);
  if (!made) return SEEN_ENOMEM;
  made->seed = seed;
  *roster = made;
  return SEEN_OK;
}

void sn_roster_free(const seen_allocator *memory, sn_roster *roster) {
  if (!roster) return;
  sn_release(memory, roster->periods);
  sn_release(memory, roster->rows);
  sn_table_free(memory, &roster->users);
  sn_table_free(memory, &roster->row_table);
  sn_ranks_free(memory, &roster->joins);
  sn_ranks_free(memory, &roster->leaves);
  sn_ranks_free(memory, &roster->reads);
  sn_ranks_free(memory, &roster->deliveries);
  sn_release(memory, roster);
}

void sn_roster_start(sn_roster *roster) {
  roster->count = 0;
  sn_table_clear(&roster->users);
  sn_ranks_clear(&roster->joins);
  sn_ranks_clear(&roster->leaves);
  sn_ranks_clear(&roster->reads);
  sn_ranks_clear(&roster->deliveries);
}

void sn_roster_clear(sn_roster *roster) {
  sn_roster_start(roster);
  sn_table_clear(&roster->row_table);
  roster->row_count = 0;
  roster->peer_read = roster->peer_delivered = 0;
  roster->peer = 0;
}

int sn_roster_reserve(const seen_allocator *memory, sn_roster *roster,
                      size_t periods) {
  if (SN_RESERVE(memory, &roster->periods, &roster->capacity,
                 roster->count + periods + 1) ||
      sn_table_reserve(memory, &roster->users, periods) ||
      sn_ranks_reserve(memory, &roster->joins, periods + 1) ||
      sn_ranks_reserve(memory, &roster->leaves, periods + 1) ||
      sn_ranks_reserve(memory, &roster->reads, periods + 1) ||
      sn_ranks_reserve(memory, &roster->deliveries, periods + 1))
    return SEEN_ENOMEM;
  return SEEN_OK;
}

int sn_roster_reserve_rows(const seen_allocator *memory, sn_roster *roster,
                           size_t rows) {
  if (SN_RESERVE(memory, &roster->rows, &roster->row_capacity,
                 roster->row_count + rows + 1) ||
      sn_table_reserve(memory, &roster->row_table, rows))
    return SEEN_ENOMEM;
  return SEEN_OK;
}

static uint32_t first_of(const sn_roster *roster, uint32_t user) {
  uint32_t hash = sn_hash_number(roster->seed, user);
  sn_probe probe;
  uint32_t at = sn_table_first(&roster->users, hash, &probe);
  while (at && roster->periods[at].user != user)
    at = sn_table_next(&roster->users, &probe);
  return at;
}

/* A person's latest period, 0: none. */
static uint32_t latest_of(const sn_roster *roster, uint32_t user) {
  uint32_t first = first_of(roster, user);
  return first ? roster->periods[first].latest : 0;
}

void sn_roster_keep(const sn_roster *roster, sn_period *period) {
  for (uint32_t at = latest_of(roster, period->user); at;
       at = roster->periods[at].earlier) {
    const sn_period *held = &roster->periods[at];
    if (held->join != period->join) continue;
    /* What lies above its end was reached in a later one (R3). */
    if (held->read > period->read && held->read <= period->leave)
      period->read = held->read;
    if (held->delivered > period->delivered && held->delivered <= period->leave)
      period->delivered = held->delivered;
  }
}

static bool ranked(const sn_period *period) {
  return !period->bot && period->join <= period->leave;
}

static uint64_t within(const sn_period *period, uint64_t seq) {
  if (seq < period->join) return period->join - 1;
  return seq < period->leave ? seq : period->leave;
}

static uint64_t received(const sn_period *period) {
  return period->delivered > period->read ? period->delivered : period->read;
}

static void rank(sn_roster *roster, const sn_period *period) {
  if (!ranked(period)) return;
  sn_ranks_add(&roster->joins, period->join);
  if (period->leave != STILL) sn_ranks_add(&roster->leaves, period->leave);
  sn_ranks_add(&roster->reads, within(period, period->read));
  sn_ranks_add(&roster->deliveries, within(period, received(period)));
}

static void unrank(sn_roster *roster, const sn_period *period) {
  if (!ranked(period)) return;
  sn_ranks_remove(&roster->joins, period->join);
  if (period->leave != STILL) sn_ranks_remove(&roster->leaves, period->leave);
  sn_ranks_remove(&roster->reads, within(period, period->read));
  sn_ranks_remove(&roster->deliveries, within(period, received(period)));
}

void sn_roster_follow_peer(sn_roster *roster, uint32_t user, uint64_t read,
                           uint64_t delivered) {
  if (read > roster->peer_read) roster->peer_read = read;
  if (delivered > roster->peer_delivered) roster->peer_delivered = delivered;
  roster->peer = user;
}

void sn_roster_put(sn_roster *roster, sn_period period) {
  uint32_t at = (uint32_t)++roster->count;
  uint32_t first = first_of(roster, period.user);
  if (!first) {
    first = at;
    sn_table_add(&roster->users, sn_hash_number(roster->seed, period.user), at);
  }
  period.earlier = first == at ? 0 : roster->periods[first].latest;
  if (period.join == 0) period.join = 1;
  roster->periods[at] = period;
  roster->periods[first].latest = at;
  rank(roster, &roster->periods[at]);
}

void sn_roster_add(sn_roster *roster, sn_period period, uint32_t me) {
  sn_roster_put(roster, period);
  if (!period.bot && period.user != me)
    sn_roster_follow_peer(roster, period.user, period.read, received(&period));
}

void sn_roster_join(sn_roster *roster, uint32_t user, uint64_t seq, bool bot) {
  uint32_t latest = latest_of(roster, user);
  if (latest && (roster->periods[latest].leave == STILL ||
                 seq <= roster->periods[latest].leave))
    return; /* late, or said already */
  sn_roster_put(
      roster,
      (sn_period){.join = seq, .leave = STILL, .user = user, .bot = bot});
}

void sn_roster_leave(sn_roster *roster, uint32_t user, uint64_t seq) {
  uint32_t latest = latest_of(roster, user);
  if (!latest || roster->periods[latest].leave != STILL) return;
  sn_period *period = &roster->periods[latest];
  unrank(roster, period);
  period->leave = seq;
  rank(roster, period);
}

/* The person's period that holds a position (R3). Between two lies none: what
 * a rejoin begins with is no read of the one before (P9). */
static sn_period *holder(sn_roster *roster, uint32_t user, uint64_t seq) {
  uint32_t at = latest_of(roster, user);
  while (at && roster->periods[at].join > seq)
    at = roster->periods[at].earlier;
  return at && seq <= roster->periods[at].leave ? &roster->periods[at] : NULL;
}

static void move(sn_roster *roster, sn_period *period, uint64_t read,
                 uint64_t delivered) {
  if (read <= period->read && delivered <= period->delivered) return;
  unrank(roster, period);
  if (read > period->read) period->read = read;
  if (delivered > period->delivered) period->delivered = delivered;
  rank(roster, period);
}

void sn_roster_peer(sn_roster *roster, uint32_t user, uint32_t me,
                    uint64_t read, uint64_t delivered) {
  if (delivered < read) delivered = read;
  sn_period *period = holder(roster, user, read);
  if (period) move(roster, period, read, 0);
  period = holder(roster, user, delivered);
  if (period) move(roster, period, 0, delivered);
  if (user != me) sn_roster_follow_peer(roster, user, read, delivered);
}

static seen_receipt_row *row_of(const sn_roster *roster, uint64_t seq) {
  uint32_t hash = sn_hash_number(roster->seed, seq);
  sn_probe probe;
  for (uint32_t r = sn_table_first(&roster->row_table, hash, &probe); r;
       r = sn_table_next(&roster->row_table, &probe))
    if (roster->rows[r].seq == seq) return &roster->rows[r];
  return NULL;
}

void sn_roster_count_row(sn_roster *roster, seen_receipt_row row) {
  seen_receipt_row *held = row_of(roster, row.seq);
  if (!held) {
    sn_table_add(&roster->row_table, sn_hash_number(roster->seed, row.seq),
                 (uint32_t)++roster->row_count);
    held = &roster->rows[roster->row_count];
    *held = (seen_receipt_row){row.seq, 0, 0, 0};
  }
  if (row.delivered < row.read) row.delivered = row.read;
  if (row.read > held->read) held->read = row.read;
  if (row.delivered > held->delivered) held->delivered = row.delivered;
  held->audience = row.audience;
}

bool sn_roster_in_audience(const sn_period *period, uint64_t seq,
                           uint32_t sender) {
  return !period->bot && period->user != sender && period->join <= seq &&
         seq <= period->leave;
}

static seen_receipt count_people(const sn_roster *roster, uint64_t seq,
                                 uint32_t sender) {
  uint64_t later = sn_ranks_at_least(&roster->joins, seq + 1);
  uint64_t joined = sn_ranks_total(&roster->joins) - later;
  uint64_t left =
      sn_ranks_total(&roster->leaves) - sn_ranks_at_least(&roster->leaves, seq);
  seen_receipt receipt = {(uint32_t)sizeof receipt, SEEN_RECEIPT_SENT,
                          sn_ranks_at_least(&roster->reads, seq) - later,
                          sn_ranks_at_least(&roster->deliveries, seq) - later,
                          joined - left};
  for (uint32_t at = latest_of(roster, sender); at;
       at = roster->periods[at].earlier) {
    const sn_period *period = &roster->periods[at];
    if (!sn_roster_in_audience(period, seq, 0)) continue;
    receipt.audience--;
    receipt.read -= period->read >= seq;
    receipt.delivered -= received(period) >= seq;
  }
  return receipt;
}

static uint64_t merged(uint64_t here, uint64_t said, uint64_t audience) {
  uint64_t count = here > said ? here : said;
  return count < audience ? count : audience;
}

static seen_receipt of_direct(const sn_roster *roster, uint64_t seq) {
  seen_receipt receipt = {(uint32_t)sizeof receipt, SEEN_RECEIPT_SENT, 0, 0, 1};
  if (roster) {
    receipt.read = roster->peer_read >= seq;
    receipt.delivered = roster->peer_delivered >= seq;
  }
  return receipt;
}

static seen_receipt of_group(const sn_roster *roster, uint64_t seq,
                             uint32_t sender) {
  seen_receipt receipt = {(uint32_t)sizeof receipt, SEEN_RECEIPT_SENT, 0, 0, 0};
  if (!roster) return receipt;
  receipt = count_people(roster, seq, sender);
  const seen_receipt_row *row = row_of(roster, seq);
  if (row) {
    receipt.audience = row->audience;
    receipt.read = merged(receipt.read, row->read, row->audience);
    receipt.delivered =
        merged(receipt.delivered, row->delivered, row->audience);
  }
  return receipt;
}

seen_receipt sn_roster_receipt(const sn_roster *roster, seen_kind kind,
                               uint64_t seq, uint32_t sender) {
  seen_receipt receipt = kind == SEEN_KIND_DIRECT
                             ? of_direct(roster, seq)
                             : of_group(roster, seq, sender);
  if (receipt.audience && receipt.read == receipt.audience)
    receipt.state = SEEN_RECEIPT_READ;
  else if (receipt.audience && receipt.delivered == receipt.audience)
    receipt.state = SEEN_RECEIPT_DELIVERED;
  return receipt;
}
