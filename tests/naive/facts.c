/*
 * What the naive model keeps of one conversation, and the numbers that are
 * recounted from it, seq by seq: unread, exactness, the divider, mentions
 * (sections 1, 3 and 4).
 */
#include "naive/parts.h"

#include <stdlib.h>
#include <string.h>

void *naive_grow(void *items, size_t count, size_t size) {
  void *grown = realloc(items, (count > 0 ? count : 1) * size);

  if (grown == NULL) abort();
  return grown;
}

void *naive_allocate(size_t count, size_t size) {
  void *items = naive_grow(NULL, count, size);

  memset(items, 0, (count > 0 ? count : 1) * size);
  return items;
}

static void *copy_of(const void *items, size_t count, size_t size) {
  void *copy = naive_allocate(count, size);

  if (count > 0) memcpy(copy, items, count * size);
  return copy;
}

static void forget_screen(naive_fact *fact) {
  fact->gap_since = SEEN_NEVER;
  fact->on_screen_since = SEEN_NEVER;
  fact->fired = false;
}

naive_fact *naive_fact_at(naive_conv *conv, uint64_t seq) {
  size_t had = conv->fact_count;

  if (seq >= had) {
    conv->fact_count = (size_t)seq + 1;
    conv->facts = naive_grow(conv->facts, conv->fact_count, sizeof(naive_fact));
    memset(conv->facts + had, 0, (conv->fact_count - had) * sizeof(naive_fact));
    for (size_t s = had; s < conv->fact_count; s++)
      forget_screen(&conv->facts[s]);
  }
  return &conv->facts[seq];
}

/* A new link: nothing is in flight. */
void naive_conv_new_link(naive_conv *conv) {
  conv->sent = false;
  conv->mark_sent = false;
  conv->delivered_sent = 0;
  for (size_t s = 0; s < conv->fact_count; s++) {
    conv->facts[s].cleared_sent = false;
    conv->facts[s].asked = false;
  }
}

/* S6: what a process does not keep. */
void naive_conv_wake(naive_conv *conv, uint64_t now) {
  conv->open = conv->blocked = conv->has_range = false;
  conv->divider = 0;
  conv->first_advance = conv->last_advance = SEEN_NEVER;
  conv->at_once = conv->free_frame = false;
  conv->retry_at = SEEN_NEVER;
  conv->backoff = 1000;
  conv->delivered_first = conv->delivered_last = SEEN_NEVER;
  conv->subscribed = false;
  conv->unwritten = SEEN_NEVER;
  for (size_t s = 0; s < conv->fact_count; s++)
    forget_screen(&conv->facts[s]);
  naive_conv_new_link(conv);
  naive_see_gaps(conv, now);
}

naive_conv *naive_conv_new(const char *id, seen_kind kind, uint64_t now) {
  naive_conv *conv = naive_allocate(1, sizeof *conv);

  strncpy(conv->id, id, sizeof conv->id - 1);
  conv->kind = kind;
  conv->join = 1;
  naive_conv_wake(conv, now);
  return conv;
}

naive_conv *naive_conv_copy(const naive_conv *conv) {
  naive_conv *copy = copy_of(conv, 1, sizeof *conv);

  copy->facts = copy_of(conv->facts, conv->fact_count, sizeof *conv->facts);
  copy->copies = copy_of(conv->copies, conv->copy_count, sizeof *conv->copies);
  copy->periods =
      copy_of(conv->periods, conv->period_count, sizeof *conv->periods);
  copy->peers = copy_of(conv->peers, conv->peer_count, sizeof *conv->peers);
  return copy;
}

void naive_conv_free(naive_conv *conv) {
  if (conv == NULL) return;
  free(conv->facts);
  free(conv->copies);
  free(conv->periods);
  free(conv->peers);
  free(conv);
}

static bool same_fact(const naive_fact *a, const naive_fact *b) {
  return a->listed == b->listed && a->named == b->named &&
         a->found_uncountable == b->found_uncountable &&
         a->found_mention == b->found_mention && a->cleared == b->cleared &&
         a->sender == b->sender && a->text == b->text &&
         a->counted == b->counted && a->read == b->read &&
         a->audience == b->audience && a->delivered == b->delivered;
}

static bool same_facts(const naive_conv *a, const naive_conv *b) {
  static const naive_fact nothing;
  size_t most = a->fact_count > b->fact_count ? a->fact_count : b->fact_count;

  for (size_t s = 0; s < most; s++)
    if (!same_fact(s < a->fact_count ? &a->facts[s] : &nothing,
                   s < b->fact_count ? &b->facts[s] : &nothing))
      return false;
  return true;
}

static bool same_position(seen_position a, seen_position b) {
  return a.epoch == b.epoch && a.seq == b.seq && a.high == b.high;
}

static bool same_wish(const naive_conv *a, const naive_conv *b) {
  const naive_wish *v = &a->wish, *w = &b->wish;
  const naive_mark *m = &a->mark, *n = &b->mark;

  return v->there == w->there &&
         (!v->there || (v->epoch == w->epoch && v->read == w->read &&
                        v->shown == w->shown && v->keep == w->keep)) &&
         m->there == n->there &&
         (!m->there ||
          (m->epoch == n->epoch && m->seq == n->seq && m->target == n->target));
}

static bool same_setting(const naive_setting *a, const naive_setting *b) {
  return a->server == b->server && a->wanted == b->wanted &&
         (!a->wanted || a->want == b->want);
}

static bool same_tally(const naive_tally *a, const naive_tally *b) {
  return a->version == b->version && a->last == b->last && a->from == b->from &&
         a->base == b->base && a->counted_known == b->counted_known &&
         a->counted == b->counted;
}

/* Whether a restart would bring the same back. */
bool naive_conv_same(const naive_conv *a, const naive_conv *b) {
  return same_position(a->server, b->server) &&
         same_tally(&a->tally, &b->tally) && same_wish(a, b) &&
         a->kind == b->kind && a->last == b->last && a->floor == b->floor &&
         a->join == b->join && a->own == b->own && a->gone == b->gone &&
         a->waiting == b->waiting && a->acked == b->acked &&
         (!a->acked ||
          (a->acked_epoch == b->acked_epoch && a->acked_seq == b->acked_seq)) &&
         same_setting(&a->muted, &b->muted) &&
         same_setting(&a->pinned, &b->pinned) &&
         a->updated_at == b->updated_at &&
         a->delivered_here == b->delivered_here &&
         a->delivered_server == b->delivered_server && same_facts(a, b) &&
         a->copy_count == b->copy_count && a->period_count == b->period_count;
}

static bool came(const naive_conv *conv, uint64_t seq) {
  for (size_t i = 0; i < conv->copy_count; i++)
    if (conv->copies[i].seq == seq) return true;
  return false;
}

static bool is_gap(const naive_conv *conv, uint64_t seq) {
  return seq > conv->tally.last && seq <= conv->last && !came(conv, seq);
}

void naive_see_gaps(naive_conv *conv, uint64_t now) {
  for (uint64_t s = 1; s <= conv->last || s < conv->fact_count; s++) {
    naive_fact *fact = naive_fact_at(conv, s);

    if (!is_gap(conv, s)) {
      fact->gap_since = SEEN_NEVER;
      fact->asked = false; /* what shows again is another gap */
    } else if (fact->gap_since == SEEN_NEVER) {
      fact->gap_since = now;
    }
  }
}

uint64_t naive_low(const naive_conv *conv) {
  uint64_t before = conv->join > 0 ? conv->join - 1 : 0;

  return conv->floor > before ? conv->floor : before;
}

/* P6 */
uint64_t naive_shown(const naive_conv *conv) {
  return conv->wish.there ? conv->wish.shown : conv->server.seq;
}

/* U1 */
uint64_t naive_base(const naive_conv *conv) {
  uint64_t shown = naive_shown(conv), low = naive_low(conv);

  return shown > low ? shown : low;
}

/* P4 */
bool naive_marked(const naive_conv *conv) {
  uint64_t shown = naive_shown(conv);

  return shown < conv->server.high ||
         (conv->wish.there && shown < conv->wish.read) ||
         (conv->mark.there && shown < conv->mark.seq);
}

/* U3, U4: by a live message, its own flags or a recall of it. */
static bool live_uncountable(const naive *model, const naive_conv *conv,
                             uint64_t seq) {
  for (size_t i = 0; i < conv->copy_count; i++) {
    const naive_copy *copy = &conv->copies[i];

    if (copy->seq == seq && !copy->counts) return true;
    if (copy->kind == SEEN_MESSAGE_RECALL && copy->target == seq &&
        model->fault != NAIVE_FAULT_RECALL)
      return true;
  }
  return false;
}

/* F3: known to be, by the server or a message. */
bool naive_said_uncountable(const naive *model, const naive_conv *conv,
                            uint64_t seq) {
  if (seq < conv->fact_count && conv->facts[seq].listed) return true;
  return live_uncountable(model, conv, seq);
}

bool naive_uncountable(const naive *model, const naive_conv *conv,
                       uint64_t seq) {
  if (seq < conv->fact_count && conv->facts[seq].found_uncountable) return true;
  return naive_said_uncountable(model, conv, seq);
}

/* U7: what was found goes once it is known or passed. */
void naive_drop_found(const naive *model, naive_conv *conv) {
  for (uint64_t s = 1; s < conv->fact_count; s++) {
    naive_fact *fact = &conv->facts[s];

    if (!fact->found_uncountable && fact->found_mention == SEEN_MENTION_NONE)
      continue;
    if (naive_uncountable(model, conv, s))
      fact->found_mention = SEEN_MENTION_NONE;
    if (s <= conv->server.seq || naive_said_uncountable(model, conv, s))
      fact->found_uncountable = false;
  }
}

/* What lies in (tally.base, tally.from], of which a number is known only. */
typedef struct block {
  uint64_t size;
  uint64_t below;  /* of it at or below base */
  uint64_t above;  /* known uncountable and above base */
  uint64_t by_now; /* came live or was found since, anywhere in it */
} block;

static block look_at_block(const naive *model, const naive_conv *conv,
                           uint64_t base) {
  block seen = {0, 0, 0, 0};

  for (uint64_t s = conv->tally.base + 1; s <= conv->tally.from; s++) {
    bool found = s < conv->fact_count && conv->facts[s].found_uncountable;

    seen.size++;
    seen.below += s <= base;
    seen.above += s > base && naive_uncountable(model, conv, s);
    seen.by_now += found || live_uncountable(model, conv, s);
  }
  return seen;
}

/* U6: what is known of the block leaves one answer. */
static bool block_is_certain(const naive_tally *tally, const block *seen,
                             uint64_t base) {
  if (base >= tally->from) return true;
  if (base < tally->base || !tally->counted_known) return false;
  if (tally->counted == 0 || tally->counted == seen->size) return true;
  return base == tally->base && seen->by_now == 0;
}

uint64_t naive_unread(const naive *model, const naive_conv *conv, bool *exact) {
  const naive_tally *tally = &conv->tally;
  uint64_t base = naive_base(conv), unread = 0, fewest;
  block seen = look_at_block(model, conv, base);
  bool gap = false;

  for (uint64_t s = base + 1; s <= conv->last; s++) {
    gap = gap || is_gap(conv, s);
    if (s > tally->base && s <= tally->from) continue;
    unread += !naive_uncountable(model, conv, s);
  }
  fewest = tally->counted_known && tally->counted > seen.below
               ? tally->counted - seen.below
               : 0;
  if (fewest < seen.above) fewest = seen.above;
  unread += seen.size - seen.below;
  unread -= fewest < unread ? fewest : unread;
  *exact = unread == 0 || (!gap && block_is_certain(tally, &seen, base));
  return unread;
}

/* B5 */
uint64_t naive_first_unread(const naive *model, const naive_conv *conv) {
  bool exact;

  if (conv->open) return conv->divider;
  if (naive_unread(model, conv, &exact) == 0) return 0;
  for (uint64_t s = naive_base(conv) + 1; s <= conv->last; s++)
    if (!naive_uncountable(model, conv, s)) return s;
  return 0;
}

/* By the tally, a live message or an edit of it; cleared or not. */
bool naive_said_mention(const naive *model, const naive_conv *conv,
                        uint64_t seq) {
  bool said =
      seq < conv->fact_count && conv->facts[seq].named != SEEN_MENTION_NONE;

  for (size_t i = 0; i < conv->copy_count; i++) {
    const naive_copy *copy = &conv->copies[i];
    uint64_t where = copy->kind == SEEN_MESSAGE_EDIT ? copy->target : copy->seq;

    said = said || (copy->mention != SEEN_MENTION_NONE && where == seq);
  }
  return said && seq > naive_low(conv) && seq <= conv->last &&
         !naive_uncountable(model, conv, seq);
}

bool naive_mention(const naive *model, const naive_conv *conv, uint64_t seq) {
  const naive_fact *fact = &conv->facts[seq];

  if (fact->cleared) return false;
  if (fact->found_mention != SEEN_MENTION_NONE && seq > naive_low(conv) &&
      seq <= conv->last)
    return true;
  return naive_said_mention(model, conv, seq);
}
