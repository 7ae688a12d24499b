#include "channels.h"

#include "audience.h"
#include "connections.h"
#include "conversations.h"
#include "frames.h"
#include "memory.h"
#include "periods.h"

#include <stdlib.h>
#include <string.h>

typedef struct row_told {
  bool told;
  counts counts;
  char *sender; /* read where an admin is told of it; NULL: not yet */
} row_told;

typedef struct subscription {
  connection *to;
  uint64_t lo;
  uint64_t hi;
  row_told *rows; /* of lo … hi */
} subscription;

struct channel {
  char *conv;
  uint64_t told_at;
  enum { IDLE = 0, READY, COOLING } state; /* which list it is in */
  struct channel *after;                   /* in that list */
  map peers;           /* users whose positions moved; it owns the names */
  uint64_t changed_lo; /* seqs whose counts changed: none if above hi */
  uint64_t changed_hi;
  subscription *subscriptions;
  size_t subscription_count;
  size_t subscription_capacity;
};

static channel *channel_of(server *self, const char *conv) {
  channel *found = map_get(&self->channels, conv);
  if (found) return found;
  found = must_allocate(1, sizeof *found);
  found->conv = must_copy_text(conv);
  found->changed_lo = SEEN_SEQ_MAX;
  map_put(&self->channels, found->conv, found);
  return found;
}

static void append(channel **first, channel **last, channel *of) {
  of->after = NULL;
  if (*first)
    (*last)->after = of;
  else
    *first = of;
  *last = of;
}

static channel *remove_first(channel **first) {
  channel *of = *first;
  *first = of->after;
  return of;
}

static void make_ready(server *self, channel *of) {
  if (of->state != IDLE) return; /* one that cools is looked at afterwards */
  of->state = READY;
  append(&self->ready_first, &self->ready_last, of);
}

static bool has_news(const channel *of) {
  return of->peers.count || of->changed_lo <= of->changed_hi;
}

static void widen(channel *of, uint64_t lo, uint64_t hi) {
  of->changed_lo = least(of->changed_lo, lo);
  of->changed_hi = most(of->changed_hi, hi);
}

bool channels_tell_peers(const server *self, const conversation *conv) {
  return conv->kind != SEEN_KIND_LARGE &&
         conv->present <= self->limits.peer_limit;
}

static void add_peer(channel *of, const char *user) {
  if (map_get(&of->peers, user)) return;
  char *name = must_copy_text(user);
  map_put(&of->peers, name, name);
}

void channels_moved(server *self, const conversation *conv, const member *of,
                    const period *moved, uint64_t old_receipt,
                    uint64_t old_delivered) {
  channel *found = map_get(&self->channels, conv->id);
  bool peers = channels_tell_peers(self, conv) && conv->online_count > 0;
  if (of->off || of->role == ROLE_BOT) return; /* S7 */
  if (!found && !peers) return;
  if (!found) found = channel_of(self, conv->id);
  widen(found, least(old_receipt, old_delivered) + 1, moved->delivered);
  if (peers) add_peer(found, of->user);
  if (peers || found->subscription_count) make_ready(self, found);
}

bool channels_owes(const server *self, const conversation *conv,
                   const char *user) {
  const channel *found = map_get(&self->channels, conv->id);
  return found && map_get(&found->peers, user);
}

void channels_changed(server *self, const conversation *conv) {
  channel *found = map_get(&self->channels, conv->id);
  if (!found || !found->subscription_count) return;
  widen(found, 1, SEEN_SEQ_MAX);
  make_ready(self, found);
}

static void add_row(text *into, uint64_t seq, counts now) {
  text_comma(into);
  text_add(into, "[");
  text_add_number(into, seq);
  text_add(into, ",");
  text_add_number(into, now.read);
  text_add(into, ",");
  text_add_number(into, now.audience);
  text_add(into, ",");
  text_add_number(into, now.delivered);
  text_add(into, "]");
}

/* Asked anew each time: roles and memberships change. */
static bool watches_all(const subscription *of, const member *asker) {
  return of->to->who.admin ||
         (asker && periods_is_present(asker) && asker->role == ROLE_ADMIN);
}

/* Who sent it, read once; NULL: the storage failed. */
static const char *sender_of(server *self, subscription *of,
                             const conversation *conv, uint64_t seq) {
  row_told *row = &of->rows[seq - of->lo];
  const storage *from = &self->storage;
  stored_message found;
  if (row->sender) return row->sender;
  int status = from->get_message(from->self, conv->id, seq, &found);
  if (core_check(self, status) && !status)
    row->sender = must_copy_text(found.from);
  return row->sender;
}

/* Whose message a row counts for; `*sender` NULL: never a member. */
static bool is_row(server *self, subscription *of, const conversation *conv,
                   const member *asker, uint64_t seq, const member **sender) {
  const char *name;
  *sender = asker;
  if (seq <= conv->floor || seq > conv->last_seq) return false;
  if (!watches_all(of, asker)) return runs_has(&asker->own, seq);
  if (runs_has(&conv->dead, seq)) return false;
  name = sender_of(self, of, conv, seq);
  *sender = name ? conversations_member(conv, name) : NULL;
  return name != NULL;
}

static bool is_same(counts a, counts b) {
  return a.read == b.read && a.audience == b.audience &&
         a.delivered == b.delivered;
}

/* The rows in lo … hi that are not yet told so. */
static void add_rows(server *self, subscription *of, const conversation *conv,
                     const member *asker, seen_run range, text *into) {
  uint64_t hi = least(least(range.hi, of->hi), conv->last_seq);
  for (uint64_t seq = most(range.lo, of->lo); seq <= hi; seq++) {
    row_told *row = &of->rows[seq - of->lo];
    const member *sender;
    if (!is_row(self, of, conv, asker, seq, &sender)) continue;
    counts now = audience_count(conv, seq, sender);
    if (now.read > now.audience) self->metrics.read_above_audience++;
    if (row->told && is_same(row->counts, now)) continue;
    row->told = true;
    row->counts = now;
    add_row(into, seq, now);
  }
}

/* No row says what a count was: what had no room is told another time. */
static void untell(subscription *of, seen_run range) {
  uint64_t hi = least(range.hi, of->hi);
  for (uint64_t seq = most(range.lo, of->lo); seq <= hi; seq++)
    of->rows[seq - of->lo].told = false;
}

/* false: the connection had no room. */
static bool tell_subscriber(server *self, subscription *of, conversation *conv,
                            seen_run range) {
  member *asker = conversations_member(conv, of->to->person->user);
  if (!of->to->who.admin && (!asker || !periods_is_present(asker))) return true;
  text frame = frames_begin("receipts");
  if (asker) conversations_own(self, conv, asker);
  text_member_quoted(&frame, "conv", conv->id);
  text_member(&frame, "rows");
  text_add(&frame, "[");
  size_t before = frame.length;
  add_rows(self, of, conv, asker, range, &frame);
  bool any = frame.length > before;
  text_add(&frame, "]}");
  packet *written = packet_new(&frame);
  bool kept = !any || connection_push(of->to, written, conv->id);
  packet_release(written);
  if (!kept) untell(of, range);
  return kept;
}

static void add_peer_item(text *into, const member *of, seen_run stretch) {
  const period *latest = periods_latest(of);
  uint64_t read = periods_public(latest, least(latest->receipt, stretch.hi));
  uint64_t delivered =
      periods_public(latest, least(latest->delivered, stretch.hi));
  text_comma(into);
  text_add(into, "{");
  text_member_quoted(into, "user", of->user);
  /* What a membership begins with is no read in it (P9). */
  if (read >= stretch.lo) text_member_number(into, "read_seq", read);
  if (delivered >= stretch.lo)
    text_member_number(into, "delivered_seq", delivered);
  text_add(into, "}");
}

/* One for each stretch of the audience between times of a disabled account: a
 * read counts in the one that holds it (R3), and may have passed several. */
static bool add_peer_items(text *into, const member *of) {
  const period *latest = periods_latest(of);
  uint64_t reached = most(latest->receipt, latest->delivered);
  seen_run stretch;
  bool any = false;
  if (of->off) return false; /* who has left may have read before (R3) */
  for (uint64_t seq = 0;
       periods_stretch(latest, true, seq, &stretch) && stretch.lo <= reached;
       seq = stretch.hi + 1) {
    add_peer_item(into, of, stretch);
    any = true;
  }
  return any;
}

/* R3: a position is of a membership, which the row says. */
static void tell_peers(channel *of, const conversation *conv) {
  text frame = frames_begin("peer");
  const char *user, *only = NULL;
  size_t count = 0;
  text_member_quoted(&frame, "conv", conv->id);
  text_member(&frame, "items");
  text_add(&frame, "[");
  for (size_t at = 0; (user = map_next(&of->peers, &at));) {
    const member *moved = conversations_member(conv, user);
    if (!moved || !add_peer_items(&frame, moved)) continue;
    only = user;
    count++;
  }
  text_add(&frame, "]}");
  packet *written = packet_new(&frame);
  for (size_t i = 0; count && i < conv->online_count; i++)
    if (count > 1 || strcmp(conv->online[i]->user, only) != 0)
      person_push_beside(conv->online[i]->online, written, conv->id);
  packet_release(written);
}

static void forget_peers(channel *of) {
  char *user;
  for (size_t at = 0; (user = map_next(&of->peers, &at));)
    free(user);
  map_free(&of->peers);
}

static void tell(server *self, channel *of) {
  conversation *conv = conversations_find(self, of->conv);
  seen_run range = {of->changed_lo, of->changed_hi};
  bool told = true;
  if (self->failed) return; /* the same in the next turn */
  for (size_t i = 0; conv && i < of->subscription_count; i++)
    told = tell_subscriber(self, &of->subscriptions[i], conv, range) && told;
  if (self->failed) return;
  if (conv && of->peers.count && channels_tell_peers(self, conv))
    tell_peers(of, conv);
  forget_peers(of);
  if (told) {
    of->changed_lo = SEEN_SEQ_MAX;
    of->changed_hi = 0;
  }
  of->told_at = self->now;
}

/* Whose window is over tells what came meanwhile. */
static void end_windows(server *self) {
  while (self->cooling_first &&
         self->cooling_first->told_at + self->limits.window_ms <= self->now) {
    channel *of = remove_first(&self->cooling_first);
    of->state = IDLE;
    if (has_news(of)) make_ready(self, of);
  }
}

/*
 * R6: positions are made durable in turns of their own. What is told here is
 * gone from the channel, and a turn that writes may still be undone.
 */
void channels_tick(server *self) {
  if (self->writing) return;
  end_windows(self);
  while (self->ready_first) {
    tell(self, self->ready_first);
    if (self->failed) return;
    channel *of = remove_first(&self->ready_first);
    of->state = COOLING;
    append(&self->cooling_first, &self->cooling_last, of);
  }
}

uint64_t channels_deadline(const server *self) {
  if (self->ready_first) return self->now;
  return self->cooling_first
             ? self->cooling_first->told_at + self->limits.window_ms
             : SEEN_NEVER;
}

static void free_subscription(subscription *of) {
  for (uint64_t seq = of->lo; seq <= of->hi; seq++)
    free(of->rows[seq - of->lo].sender);
  free(of->rows);
}

static void drop_subscription(server *self, channel *of, size_t at) {
  of->subscriptions[at].to->subscriptions--;
  self->metrics.subscriptions--;
  free_subscription(&of->subscriptions[at]);
  of->subscriptions[at] = of->subscriptions[--of->subscription_count];
}

void channels_unsubscribe(server *self, const connection *to, const char *conv,
                          uint64_t lo, uint64_t hi) {
  channel *found = map_get(&self->channels, conv);
  for (size_t i = found ? found->subscription_count : 0; i > 0; i--) {
    const subscription *of = &found->subscriptions[i - 1];
    if (of->to == to && of->lo == lo && of->hi == hi)
      drop_subscription(self, found, i - 1);
  }
}

void channels_leave(server *self, const connection *gone) {
  channel *of;
  if (!gone->subscriptions) return;
  for (size_t at = 0; (of = map_next(&self->channels, &at));)
    for (size_t i = of->subscription_count; i > 0; i--)
      if (of->subscriptions[i - 1].to == gone)
        drop_subscription(self, of, i - 1);
}

bool channels_subscribe(server *self, connection *to, uint64_t id,
                        conversation *conv, uint64_t lo, uint64_t hi) {
  channel *of = channel_of(self, conv->id);
  member *asker = conversations_member(conv, to->person->user);
  text frame = frames_begin_answer("receipts", id);
  channels_unsubscribe(self, to, conv->id, lo, hi);
  if (to->subscriptions >= self->limits.subscriptions) {
    text_free(&frame);
    return false;
  }
  of->subscriptions = MUST_GROW(of->subscriptions, of->subscription_count,
                                of->subscription_capacity);
  subscription *fresh = &of->subscriptions[of->subscription_count++];
  *fresh = (subscription){to, lo, hi, NULL};
  fresh->rows = must_allocate((size_t)(hi - lo + 1), sizeof *fresh->rows);
  to->subscriptions++;
  self->metrics.subscriptions++;
  if (asker) conversations_own(self, conv, asker);
  text_member_quoted(&frame, "conv", conv->id);
  text_member(&frame, "rows");
  text_add(&frame, "[");
  add_rows(self, fresh, conv, asker, (seen_run){lo, hi}, &frame);
  text_add(&frame, "]}");
  connection_answer(to, &frame);
  return true;
}

static void free_channel(channel *of) {
  for (size_t i = 0; i < of->subscription_count; i++)
    free_subscription(&of->subscriptions[i]);
  forget_peers(of);
  free(of->subscriptions);
  free(of->conv);
  free(of);
}

void channels_sweep(server *self) {
  channel *of;
  for (size_t at = 0; (of = map_next(&self->channels, &at));) {
    if (of->state != IDLE || of->subscription_count) continue;
    map_remove(&self->channels, of->conv);
    free_channel(of);
    at--;
  }
}

void channels_free(server *self) {
  channel *of;
  for (size_t at = 0; (of = map_next(&self->channels, &at));)
    free_channel(of);
  map_free(&self->channels);
}
