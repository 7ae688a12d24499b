/*
 * The naive model's person: what is on screen long enough (V1, V8, V9), and
 * what is said by name (P4, M3, V11).
 */
#include "naive/parts.h"

static void note_advance(naive *model, naive_conv *conv) {
  if (conv->first_advance == SEEN_NEVER) conv->first_advance = model->now;
  conv->last_advance = model->now;
}

/* M3, M4, U7: a said mention is hidden, a found one is gone. */
static bool clear_one(const naive *model, naive_conv *conv, uint64_t seq) {
  naive_fact *fact = &conv->facts[seq];

  if (!naive_mention(model, conv, seq)) return false;
  if (naive_said_mention(model, conv, seq)) fact->cleared = true;
  fact->found_mention = SEEN_MENTION_NONE;
  return true;
}

/* Clears the mentions in (after, upto], timed as an advance (M4). */
static void clear_between(naive *model, naive_conv *conv, uint64_t after,
                          uint64_t upto) {
  bool any = false;

  for (uint64_t s = after + 1; s <= upto && s < conv->fact_count; s++)
    any = clear_one(model, conv, s) || any;
  if (!any) return;
  note_advance(model, conv);
  naive_settle(model, conv);
}

/* V1: on through the known uncountable seqs that follow; P3: never beyond. */
uint64_t naive_tail(const naive *model, const naive_conv *conv, uint64_t seq) {
  if (seq > conv->last) seq = conv->last;
  while (seq < conv->last && naive_uncountable(model, conv, seq + 1))
    seq++;
  return seq;
}

/* P6: a wish starts from the server's position. */
static void start_wish(naive_conv *conv) {
  if (!conv->wish.there)
    conv->wish = (naive_wish){true, false, conv->server.epoch, conv->server.seq,
                              conv->server.seq};
}

void naive_read_to(naive *model, naive_conv *conv, uint64_t seq, bool by_name,
                   bool mentions) {
  uint64_t before = naive_shown(conv);
  bool unsent = naive_unsent(conv);

  if (seq > conv->last) seq = conv->last;
  if (mentions || model->fault == NAIVE_FAULT_KEEP)
    clear_between(model, conv, by_name ? 0 : before, seq);
  if (seq <= before) return;
  start_wish(conv);
  conv->wish.shown = seq;
  if (conv->wish.read < seq) conv->wish.read = seq;
  if (!mentions) conv->wish.keep = true;
  if (conv->own < conv->wish.read) conv->own = conv->wish.read;
  model->metrics.advances++;
  model->metrics.reports_merged += unsent;
  note_advance(model, conv);
  naive_settle(model, conv);
}

bool naive_can_read(const naive *model, const naive_conv *conv) {
  return conv->open && !conv->blocked && !conv->gone && model->foreground &&
         model->focus;
}

static bool dwelled(const naive *model, const naive_fact *fact) {
  uint64_t dwell = model->options.dwell_ms;

  if (model->fault == NAIVE_FAULT_DWELL) dwell++;
  return fact->on_screen_since != SEEN_NEVER && !fact->fired &&
         fact->on_screen_since + dwell <= model->now;
}

/* V1: the rows whose dwell ended read, or clear their mention (M3). */
static void dwell_in(naive *model, naive_conv *conv) {
  uint64_t highest = 0, shown;

  if (model->options.read == SEEN_READ_ON_OPEN)
    naive_read_to(model, conv, conv->last, false, true);
  shown = naive_shown(conv);
  for (uint64_t s = 1; s < conv->fact_count; s++)
    if (dwelled(model, &conv->facts[s])) highest = s;
  if (highest == 0) return;
  if (model->options.read == SEEN_READ_VIEWPORT)
    naive_read_to(model, conv, naive_tail(model, conv, highest), false, true);
  for (uint64_t s = 1; s < conv->fact_count; s++) {
    if (!dwelled(model, &conv->facts[s])) continue;
    conv->facts[s].fired = true;
    if (s <= shown) clear_between(model, conv, s - 1, s);
  }
}

void naive_dwell(naive *model) {
  for (size_t i = 0; i < model->conv_count; i++)
    if (naive_can_read(model, model->convs[i]))
      dwell_in(model, model->convs[i]);
}

/* F5, V3: what is said by name is due at once. */
void naive_by_name(naive *model, naive_conv *conv, uint64_t seq) {
  if (conv->gone) return;
  naive_read_to(model, conv, naive_tail(model, conv, seq), true, true);
  naive_hurry(conv, false);
}

void naive_clear_mentions(naive *model, naive_conv *conv) {
  if (conv->gone) return;
  clear_between(model, conv, 0, SEEN_SEQ_MAX);
  naive_hurry(conv, false);
}

/* P4: just before the newest that is not known to be uncountable. */
static uint64_t default_target(const naive *model, const naive_conv *conv,
                               uint64_t shown) {
  uint64_t s = shown < conv->last ? shown : conv->last;

  for (; s > naive_low(conv); s--)
    if (!naive_uncountable(model, conv, s)) return s - 1;
  return shown - 1;
}

void naive_mark_unread(naive *model, naive_conv *conv,
                       const seen_optional_seq *said) {
  uint64_t shown = naive_shown(conv), target = said->seq;

  if (conv->gone || shown == 0) return;
  if (!said->said) target = default_target(model, conv, shown);
  if (target < naive_low(conv)) target = naive_low(conv);
  if (target >= shown) return;
  if (conv->open) conv->blocked = true; /* V8 */
  start_wish(conv);
  conv->wish.shown = target;
}

/* V11 */
void naive_read_all(naive *model) {
  for (size_t i = 0; i < model->conv_count; i++) {
    naive_conv *conv = model->convs[i];

    if (conv->gone) continue;
    naive_read_to(model, conv, conv->last, false, false);
    if (!model->link || conv->waiting || !conv->wish.there ||
        (conv->mark.there && !conv->mark_sent))
      continue;
    conv->sent = true;
    conv->sent_epoch = conv->wish.epoch;
    conv->sent_seq = conv->wish.read;
    naive_settle(model, conv);
  }
  if (model->link) naive_emit(model, SEEN_EFFECT_READ_ALL, "", NULL);
}

/* B5 */
void naive_open(naive *model, naive_conv *conv) {
  if (conv->open || conv->gone) return;
  conv->divider = naive_first_unread(model, conv);
  conv->open = true;
  conv->blocked = false;
}

/* V1: rows that stay keep their dwell; the range is cut when said. */
void naive_visible(naive *model, naive_conv *conv, seen_run range) {
  bool active = model->foreground && model->focus;

  if (!conv->open) return;
  if (range.hi > conv->last) range.hi = conv->last;
  if (range.lo == 0) range.lo = 1;
  conv->range = range;
  conv->has_range = range.lo <= range.hi;
  for (uint64_t s = 1; s < conv->fact_count; s++) {
    naive_fact *fact = &conv->facts[s];

    if (!active || s < range.lo || s > range.hi) {
      fact->on_screen_since = SEEN_NEVER;
      fact->fired = false;
    } else if (fact->on_screen_since == SEEN_NEVER) {
      fact->on_screen_since = model->now;
    }
  }
}

void naive_close(naive_conv *conv) {
  if (!conv->open) return;
  conv->open = conv->blocked = conv->has_range = false;
  for (size_t s = 0; s < conv->fact_count; s++) {
    conv->facts[s].on_screen_since = SEEN_NEVER;
    conv->facts[s].fired = false;
  }
  naive_hurry(conv, true);
}

/* V9: what is visible counts from the moment the app is looked at again. */
void naive_attention(naive *model, bool *what, bool on) {
  if (*what == on) return;
  *what = on;
  for (size_t i = 0; i < model->conv_count; i++) {
    naive_conv *conv = model->convs[i];
    bool seen =
        conv->open && conv->has_range && model->foreground && model->focus;

    for (uint64_t s = 1; s < conv->fact_count; s++) {
      bool within = seen && s >= conv->range.lo && s <= conv->range.hi;

      conv->facts[s].fired = false;
      conv->facts[s].on_screen_since = within ? model->now : SEEN_NEVER;
    }
  }
}
