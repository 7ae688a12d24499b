/*
 * The naive model's people: membership periods, who read how far, and the
 * receipts of one message counted person by person (section 8).
 */
#include "naive/parts.h"

#include <stdlib.h>
#include <string.h>

unsigned naive_name(naive *model, const char *user) {
  size_t size = strlen(user) + 1;

  for (size_t i = 0; i < model->name_count; i++)
    if (strcmp(model->names[i], user) == 0) return (unsigned)i + 1;
  model->names =
      naive_grow(model->names, model->name_count + 1, sizeof *model->names);
  model->names[model->name_count] = naive_allocate(size, 1);
  memcpy(model->names[model->name_count++], user, size);
  return (unsigned)model->name_count;
}

static void add_period(naive_conv *conv, naive_period period) {
  conv->periods =
      naive_grow(conv->periods, conv->period_count + 1, sizeof *conv->periods);
  conv->periods[conv->period_count++] = period;
}

/* The latest period of a person that began at or below `seq`. */
static naive_period *period_at(naive_conv *conv, unsigned user, uint64_t seq) {
  naive_period *found = NULL;

  for (size_t i = 0; i < conv->period_count; i++) {
    naive_period *period = &conv->periods[i];

    if (period->user == user && period->join <= seq &&
        (found == NULL || period->join >= found->join))
      found = period;
  }
  return found;
}

static void raise(uint64_t *seq, uint64_t to) {
  if (*seq < to) *seq = to;
}

/* P9, S3: what was known of the same period, and is not said now, stays; but
 * what is above its end was reached in a later one (R3). */
static void keep(naive_period *period, const naive_period *held) {
  if (held->user != period->user || held->join != period->join) return;
  if (held->read <= period->leave) raise(&period->read, held->read);
  if (held->delivered <= period->leave)
    raise(&period->delivered, held->delivered);
}

void naive_roster(naive *model, naive_conv *conv, const seen_member *members,
                  size_t count) {
  naive_period *held = conv->periods;
  size_t held_count = conv->period_count;

  conv->periods = NULL;
  conv->period_count = 0;
  for (size_t i = 0; i < count; i++) {
    const seen_member *m = &members[i];
    naive_period period = {naive_name(model, m->user),
                           m->bot,
                           m->join_seq > 0 ? m->join_seq : 1,
                           m->leave_seq > 0 ? m->leave_seq : SEEN_NEVER,
                           m->read_seq,
                           m->delivered_seq};

    for (size_t k = 0; k < held_count; k++)
      keep(&period, &held[k]);
    raise(&period.delivered, period.read);
    add_period(conv, period);
  }
  free(held);
}

/* R3: who left is out from the next seq on; who joins starts a period. */
void naive_members(naive *model, naive_conv *conv, const seen_members *said) {
  for (size_t i = 0; i < said->left_count; i++) {
    naive_period *period =
        period_at(conv, naive_name(model, said->left[i].user), SEEN_SEQ_MAX);

    if (period != NULL && period->leave == SEEN_NEVER)
      period->leave = said->left[i].seq;
  }
  for (size_t i = 0; i < said->joined_count; i++) {
    unsigned user = naive_name(model, said->joined[i].user);
    uint64_t seq = said->joined[i].seq;
    naive_period *period = period_at(conv, user, SEEN_SEQ_MAX);

    if (period == NULL || seq > period->leave)
      add_period(conv, (naive_period){user, said->joined[i].bot, seq,
                                      SEEN_NEVER, 0, 0});
  }
}

static naive_peer *peer_of(naive_conv *conv, unsigned user) {
  for (size_t i = 0; i < conv->peer_count; i++)
    if (conv->peers[i].user == user) return &conv->peers[i];
  conv->peers =
      naive_grow(conv->peers, conv->peer_count + 1, sizeof *conv->peers);
  conv->peers[conv->peer_count] = (naive_peer){user, 0, 0};
  return &conv->peers[conv->peer_count++];
}

/* P9: what lies between two periods is a read of neither. */
static bool holds(const naive_period *period, uint64_t seq) {
  return period != NULL && seq <= period->leave;
}

/* R3: each counts in the period that holds it; what is read is delivered. */
void naive_peer_said(naive *model, naive_conv *conv, const seen_peer *said) {
  unsigned user = naive_name(model, said->user);
  uint64_t got = said->delivered_seq;
  naive_peer *peer = peer_of(conv, user);
  naive_period *period;

  raise(&got, said->read_seq);
  raise(&peer->read, said->read_seq);
  raise(&peer->delivered, got);
  period = period_at(conv, user, said->read_seq);
  if (holds(period, said->read_seq)) raise(&period->read, said->read_seq);
  period = period_at(conv, user, got);
  if (holds(period, got)) raise(&period->delivered, got);
}

/* R5: counts merge by the larger read. */
void naive_receipts(naive_conv *conv, const seen_receipt_rows *said) {
  for (size_t i = 0; i < said->count; i++) {
    const seen_receipt_row *row = &said->rows[i];
    naive_fact *fact = naive_fact_at(conv, row->seq);

    fact->counted = true;
    raise(&fact->read, row->read);
    fact->audience = row->audience;
    raise(&fact->delivered, row->delivered);
    raise(&fact->delivered, row->read);
  }
}

/* R1 */
static void direct_receipt(const naive_conv *conv, uint64_t seq,
                           seen_receipt *receipt) {
  receipt->audience = 1;
  for (size_t i = 0; i < conv->peer_count; i++) {
    if (conv->peers[i].read >= seq) receipt->read = 1;
    if (conv->peers[i].delivered >= seq) receipt->delivered = 1;
  }
}

/* R2: whether a period makes its person one of a message's audience. */
static bool in_audience(const naive *model, const naive_conv *conv,
                        const naive_period *period, uint64_t seq) {
  unsigned sender = model->me;

  if (seq < conv->fact_count && conv->facts[seq].sender != 0)
    sender = conv->facts[seq].sender;
  return period->user != sender && !period->bot && period->join <= seq &&
         seq <= period->leave;
}

static void group_receipt(const naive *model, const naive_conv *conv,
                          uint64_t seq, seen_receipt *receipt) {
  for (size_t i = 0; i < conv->period_count; i++) {
    const naive_period *period = &conv->periods[i];

    if (!in_audience(model, conv, period, seq)) continue;
    receipt->audience++;
    receipt->read += period->read >= seq;
    receipt->delivered += period->delivered >= seq || period->read >= seq;
  }
  if (seq >= conv->fact_count || !conv->facts[seq].counted) return;
  receipt->audience = conv->facts[seq].audience;
  raise(&receipt->read, conv->facts[seq].read);
  raise(&receipt->delivered, conv->facts[seq].delivered);
  if (receipt->read > receipt->audience) receipt->read = receipt->audience;
  if (receipt->delivered > receipt->audience)
    receipt->delivered = receipt->audience;
}

bool naive_receipt(const naive *model, const char *id, uint64_t seq,
                   seen_receipt *receipt) {
  const naive_conv *conv = naive_find(model, id);

  if (conv == NULL) return false;
  *receipt = (seen_receipt){.size = (uint32_t)sizeof *receipt};
  if (conv->kind == SEEN_KIND_DIRECT)
    direct_receipt(conv, seq, receipt);
  else
    group_receipt(model, conv, seq, receipt);
  if (receipt->audience > 0 && receipt->read == receipt->audience)
    receipt->state = SEEN_RECEIPT_READ;
  else if (receipt->audience > 0 && receipt->delivered == receipt->audience)
    receipt->state = SEEN_RECEIPT_DELIVERED;
  return true;
}

bool naive_is_others(const naive *model, const char *id, uint64_t seq) {
  const naive_conv *conv = naive_find(model, id);

  return conv != NULL && seq < conv->fact_count &&
         conv->facts[seq].sender != 0 && conv->facts[seq].sender != model->me;
}

static bool has_read(const naive *model, const naive_conv *conv, unsigned user,
                     uint64_t seq) {
  for (size_t i = 0; i < conv->period_count; i++)
    if (conv->periods[i].user == user && conv->periods[i].read >= seq &&
        in_audience(model, conv, &conv->periods[i], seq))
      return true;
  return false;
}

static bool expected_of(const naive *model, const naive_conv *conv,
                        unsigned user, uint64_t seq) {
  for (size_t i = 0; i < conv->period_count; i++)
    if (conv->periods[i].user == user &&
        in_audience(model, conv, &conv->periods[i], seq))
      return true;
  return false;
}

static int compare_names(const void *a, const void *b) {
  const char *const *left = a, *const *right = b;

  return strcmp(*left, *right);
}

size_t naive_readers(const naive *model, const char *id, uint64_t seq,
                     seen_readers which, const char **users, size_t limit) {
  const naive_conv *conv = naive_find(model, id);
  size_t count = 0;

  for (unsigned user = 1; user <= model->name_count && conv != NULL; user++) {
    if (!expected_of(model, conv, user, seq) || count == limit) continue;
    if (has_read(model, conv, user, seq) == (which == SEEN_READERS_READ))
      users[count++] = model->names[user - 1];
  }
  qsort(users, count, sizeof *users, compare_names);
  return count;
}
