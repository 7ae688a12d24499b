/*
 * The naive model's positions: what the server says (U2, U8), what the person
 * wants (P6), and how an answer or a push changes either (P8, S4, S5, V7).
 */
#include "naive/parts.h"

#include <string.h>

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* P1 */
bool naive_older(seen_position a, seen_position b) {
  return a.epoch < b.epoch || (a.epoch == b.epoch && a.seq < b.seq);
}

/* M4: a clearing that no report makes by itself. */
bool naive_named(const naive_conv *conv, uint64_t seq) {
  const naive_wish *wish = &conv->wish;

  return conv->facts[seq].cleared &&
         (!wish->there || wish->keep || seq <= conv->server.seq ||
          seq > wish->read);
}

static bool any_named(const naive_conv *conv, bool unsent_only) {
  for (uint64_t s = 1; s < conv->fact_count; s++)
    if (naive_named(conv, s) && !(unsent_only && conv->facts[s].cleared_sent))
      return true;
  return false;
}

bool naive_silent(const naive_conv *conv) {
  return conv->gone || conv->waiting;
}

/* V5 */
bool naive_pending(const naive_conv *conv) {
  return !conv->gone &&
         (conv->wish.there || conv->mark.there || any_named(conv, false));
}

/* P7: as it starts anew behind an open mark, a wish says nothing. */
static bool wish_says_more(const naive_conv *conv) {
  const naive_wish *wish = &conv->wish;
  const naive_mark *mark = &conv->mark;

  if (!wish->there) return false;
  if (mark->there && wish->epoch == mark->epoch + 1 &&
      wish->read == mark->target && wish->shown == mark->target && !wish->keep)
    return false;
  return wish->shown < wish->read ||
         !(conv->sent && conv->sent_epoch == wish->epoch &&
           conv->sent_seq == wish->read);
}

/* Something but the open mark is not the server's and not in flight. */
bool naive_unsent(const naive_conv *conv) {
  return !conv->gone && (wish_says_more(conv) || any_named(conv, true));
}

/* P2: whether a report of another epoch than its own changes a position. */
static bool would_advance(seen_position position, uint64_t epoch,
                          uint64_t seq) {
  if (epoch > position.epoch) return false;
  if (epoch < position.epoch && seq <= position.high) return false;
  return seq > position.seq;
}

/* P8, for a conversation without an open mark. */
static void settle_wish(naive_conv *conv) {
  naive_wish *wish = &conv->wish;
  seen_position server = conv->server;

  if (wish->epoch == server.epoch) {
    if (wish->read < server.seq ||
        (wish->shown == wish->read && wish->read == server.seq))
      wish->there = false;
  } else if (wish->epoch < server.epoch) {
    wish->there = would_advance(server, wish->epoch, wish->read);
    wish->epoch = server.epoch;
    wish->shown = wish->read;
    if (wish->there) conv->at_once = true;
  }
}

/* What follows wherever position, wish, tally or clearings changed. */
void naive_settle(naive *model, naive_conv *conv) {
  if (conv->acked && conv->acked_epoch < conv->server.epoch)
    conv->acked = false;
  if (conv->wish.there && !conv->mark.there) settle_wish(conv);
  naive_drop_found(model, conv);
  if (!naive_unsent(conv)) {
    conv->first_advance = conv->last_advance = SEEN_NEVER;
    conv->at_once = conv->free_frame = false;
  }
}

/* The tally's list, cut at its last seq; a run may begin at 0. */
static void list(naive_conv *conv, const seen_word *word) {
  for (size_t i = 0; i < word->uncountable_count; i++) {
    uint64_t hi = least(word->uncountable[i].hi, word->last_seq);

    for (uint64_t s = most(word->uncountable[i].lo, 1); s <= hi; s++)
      naive_fact_at(conv, s)->listed = true;
  }
  for (size_t i = 0; i < word->mention_count; i++)
    naive_fact_at(conv, word->mentions[i].seq)->named = word->mentions[i].why;
}

/* U3: what the new tally covers has no copies any more. */
static void drop_covered(naive_conv *conv) {
  size_t kept = 0;

  for (size_t i = 0; i < conv->copy_count; i++)
    if (conv->copies[i].seq > conv->tally.last)
      conv->copies[kept++] = conv->copies[i];
  conv->copy_count = kept;
}

/* M4: it reached the clearing and does not list the mention any more. */
static void drop_cleared(naive_conv *conv) {
  for (uint64_t s = 1; s <= conv->tally.last && s < conv->fact_count; s++) {
    bool edited_above = false;

    for (size_t i = 0; i < conv->copy_count; i++)
      edited_above =
          edited_above || (conv->copies[i].kind == SEEN_MESSAGE_EDIT &&
                           conv->copies[i].mention != SEEN_MENTION_NONE &&
                           conv->copies[i].target == s);
    if (conv->facts[s].named == SEEN_MENTION_NONE && !edited_above)
      conv->facts[s].cleared = false;
  }
}

/* U8: the server's own count of the same tally. */
static bool drifts(const naive_conv *conv, const seen_word *word) {
  const naive_tally *tally = &conv->tally;
  uint64_t unread = 0, above = most(tally->base, tally->from);

  if (!(word->fields & SEEN_WORD_UNREAD) || !tally->counted_known) return false;
  for (uint64_t s = above + 1; s <= tally->last; s++)
    unread += !conv->facts[s].listed;
  return unread + (above - tally->base) - tally->counted != word->unread;
}

/* U2 */
static void take(naive *model, naive_conv *conv, const seen_word *word) {
  bool unknown = (word->fields & SEEN_WORD_UNCOUNTABLE_UNKNOWN) != 0;
  naive_tally *tally = &conv->tally;

  if (word->fields & SEEN_WORD_FLOOR) conv->floor = word->floor;
  tally->version = word->version;
  tally->last = word->last_seq;
  tally->base = most(word->read.seq, naive_low(conv));
  tally->from = word->fields & SEEN_WORD_FROM ? word->from : tally->base;
  if (unknown) tally->from = tally->last;
  tally->from = least(tally->from, most(tally->last, tally->base));
  tally->counted_known = (word->fields & SEEN_WORD_COUNTED) && !unknown;
  tally->counted = tally->counted_known ? word->counted : 0;
  if (tally->from <= tally->base) {
    tally->counted_known = true;
    tally->counted = 0;
  } else {
    tally->counted = least(tally->counted, tally->from - tally->base);
  }
  conv->last = most(conv->last, tally->last);
  naive_fact_at(conv, conv->last);
  for (size_t s = 0; s < conv->fact_count; s++) {
    conv->facts[s].listed = false;
    conv->facts[s].named = SEEN_MENTION_NONE;
  }
  if (!unknown)
    list(conv, word);
  else
    list(conv, &(seen_word){.mentions = word->mentions,
                            .mention_count = word->mention_count});
  drop_covered(conv);
  drop_cleared(conv);
  naive_see_gaps(conv, model->now);
  model->metrics.unread_drift += drifts(conv, word);
}

/* A word: its position is merged, its tally taken whole or not at all. */
void naive_adopt(naive *model, naive_conv *conv, const seen_word *word,
                 bool whole) {
  seen_position held = conv->server;
  bool older = naive_older(word->read, held);
  bool lower = word->version < conv->tally.version ||
               (word->version == conv->tally.version &&
                word->last_seq < conv->tally.last);

  model->metrics.stale_positions += older;
  if (naive_older(held, word->read) ||
      (older && model->fault == NAIVE_FAULT_MERGE))
    conv->server = word->read;
  if (whole || (!older && !lower)) take(model, conv, word);
  /* S2: less later rollbacks; a wish was not before it, a mark's target says
   * how far was read. */
  if (word->read.epoch > held.epoch) {
    conv->own = least(conv->own, word->read.seq);
    if (conv->wish.there) conv->own = most(conv->own, conv->wish.read);
  }
  naive_settle(model, conv);
}

/* S4: one of the ways down. */
void naive_replace(naive *model, naive_conv *conv, seen_position position) {
  model->metrics.stale_positions += naive_older(position, conv->server);
  conv->server = position;
  conv->acked = false;
  conv->sent = false;
}

/* S5: nothing of this person's is kept of it. */
void naive_drop_own(naive *model, naive_conv *conv) {
  conv->wish.there = conv->mark.there = conv->acked = false;
  conv->sent = conv->mark_sent = false;
  conv->retry_at = SEEN_NEVER;
  conv->own = 0;
  conv->open = conv->blocked = conv->has_range = false;
  for (size_t s = 0; s < conv->fact_count; s++) {
    conv->facts[s].cleared = conv->facts[s].cleared_sent = false;
    conv->facts[s].on_screen_since = SEEN_NEVER;
    conv->facts[s].fired = false;
  }
  naive_settle(model, conv);
}

/* V7: an answer other than rate_limited ends the wait. */
static void answered(naive_conv *conv) {
  conv->backoff = 1000;
  if (conv->retry_at != SEEN_NEVER) conv->at_once = true;
  conv->retry_at = SEEN_NEVER;
}

/* S4 */
static void note_acked(naive_conv *conv, seen_position position) {
  uint64_t seq = least(position.seq, conv->sent_seq);

  if (!conv->sent || conv->sent_epoch != position.epoch) return;
  if (conv->acked &&
      (conv->acked_epoch > position.epoch ||
       (conv->acked_epoch == position.epoch && conv->acked_seq >= seq)))
    return;
  conv->acked = true;
  conv->acked_epoch = position.epoch;
  conv->acked_seq = seq;
}

void naive_ack(naive *model, naive_conv *conv, const seen_answer *answer) {
  if (answer->of != SEEN_REQUEST_MARK_UNREAD) {
    answered(conv);
    note_acked(conv, answer->word.read);
  } else if (conv->mark.there && answer->word.read.epoch > conv->mark.epoch) {
    answered(conv);
    conv->mark.there = false;
  }
  naive_adopt(model, conv, &answer->word, false);
}

static void forget_sent_clearings(naive_conv *conv) {
  for (size_t s = 0; s < conv->fact_count; s++)
    conv->facts[s].cleared_sent = false;
}

/* V7 */
static void rate_limited(naive *model, naive_conv *conv,
                         const seen_answer *answer) {
  conv->retry_at =
      model->now + (answer->retry_ms > 0 ? answer->retry_ms : conv->backoff);
  conv->backoff = least(60000, conv->backoff * 2);
  conv->sent = false;
  if (answer->of == SEEN_REQUEST_MARK_UNREAD)
    conv->mark_sent = false;
  else
    forget_sent_clearings(conv);
}

static void out_of_range(naive *model, naive_conv *conv,
                         const seen_word *word) {
  naive_replace(model, conv, word->read);
  conv->wish.there = conv->mark.there = false;
  conv->own = least(conv->own, word->read.seq);
  for (uint64_t s = word->last_seq + 1; s < conv->fact_count; s++)
    conv->facts[s].cleared = false;
}

/* P8: the server lost an epoch, or this is late. */
static void epoch_ahead(naive *model, naive_conv *conv, const seen_word *word) {
  naive_wish *wish = &conv->wish;
  naive_mark *mark = &conv->mark;
  uint64_t held = conv->server.epoch, read = 0;
  bool keep = (wish->there && wish->keep) || (mark->there && mark->keep);

  if (mark->there) held = most(held, mark->epoch);
  if (word->read.epoch >= held) return;
  naive_replace(model, conv, word->read);
  if (wish->there) read = wish->read;
  if (mark->there) read = most(read, mark->seq);
  mark->there = false;
  *wish =
      (naive_wish){read > word->read.seq, keep, word->read.epoch, read, read};
}

/* P8: what was read since the mark was sent stays. */
static void conflict(naive_conv *conv) {
  naive_wish *wish = &conv->wish;
  naive_mark *mark = &conv->mark;

  if (!mark->there) return;
  mark->there = false;
  *wish = (naive_wish){wish->there && wish->read > mark->target, wish->keep,
                       mark->epoch, wish->read, wish->read};
}

void naive_refuse(naive *model, naive_conv *conv, const seen_answer *answer) {
  model->metrics.refused++;
  switch (answer->refusal) {
  case SEEN_REFUSAL_NOT_MEMBER:
  case SEEN_REFUSAL_NOT_FOUND: /* S5 */
    conv->gone = true;
    naive_drop_own(model, conv);
    return;
  case SEEN_REFUSAL_RATE_LIMITED: rate_limited(model, conv, answer); break;
  case SEEN_REFUSAL_CONFLICT:
  case SEEN_REFUSAL_SEQ_OUT_OF_RANGE:
  case SEEN_REFUSAL_EPOCH_AHEAD:
    answered(conv);
    if (answer->of == SEEN_REQUEST_REPORT) forget_sent_clearings(conv);
    if (answer->refusal == SEEN_REFUSAL_SEQ_OUT_OF_RANGE)
      out_of_range(model, conv, &answer->word);
    else if (answer->refusal == SEEN_REFUSAL_EPOCH_AHEAD)
      epoch_ahead(model, conv, &answer->word);
    else if (answer->of == SEEN_REQUEST_MARK_UNREAD)
      conflict(conv);
    break;
  }
  if (answer->has_word) naive_adopt(model, conv, &answer->word, false);
}
