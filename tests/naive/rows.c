/*
 * The naive model's rows: snapshots that make, renew or end one (P5, S2, S4,
 * S5), settings (V5), and another incarnation of the server (S2).
 */
#include "naive/parts.h"

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* S2: what stays on screen when a fresh row takes an old one's place. */
static void keep_screen(naive_conv *fresh, const naive_conv *old,
                        uint64_t last) {
  fresh->open = old->open;
  fresh->blocked = old->blocked;
  fresh->divider = old->divider;
  fresh->has_range = old->has_range && old->range.lo <= last;
  fresh->range = (seen_run){old->range.lo, least(old->range.hi, last)};
  for (uint64_t s = 1; s <= last && s < old->fact_count; s++) {
    naive_fact *fact = naive_fact_at(fresh, s);

    fact->on_screen_since = old->facts[s].on_screen_since;
    fact->fired = old->facts[s].fired;
    fact->cleared = old->facts[s].cleared;
  }
}

/* S2, S3 */
static naive_conv *make_fresh(naive *model, const naive_conv *old,
                              const char *id, const seen_snapshot *said) {
  uint64_t last = said->word.last_seq;
  naive_conv *fresh = naive_conv_new(id, said->kind, model->now);

  fresh->server = said->word.read;
  if (old == NULL) return fresh;
  keep_screen(fresh, old, last);
  fresh->muted = old->muted;
  fresh->pinned = old->pinned;
  fresh->updated_at = old->updated_at;
  fresh->subscribed = old->subscribed;
  fresh->subscription = old->subscription;
  fresh->floor = old->floor;
  fresh->join = old->join;
  fresh->delivered_here = least(old->delivered_here, last);
  fresh->own = least(old->own, last);
  return fresh;
}

/* S4: a snapshot below what was acknowledged makes that a wish again. */
static bool lost_a_read(naive *model, naive_conv *conv, seen_position said) {
  seen_position acked = {conv->acked_epoch, conv->acked_seq, 0};
  naive_wish *wish = &conv->wish;
  uint64_t read = conv->acked_seq;

  if (!conv->acked || conv->mark.there || !naive_older(said, acked))
    return false;
  if (!wish->there || wish->shown == wish->read) {
    if (wish->there) read = most(read, wish->read);
    *wish =
        (naive_wish){true, wish->there && wish->keep, said.epoch, read, read};
  }
  naive_replace(model, conv, said);
  conv->at_once = true;
  return true;
}

/* S2: what was read here above the restored position is said again. */
static void read_again(naive *model, naive_conv *conv, bool keep) {
  uint64_t restored = conv->server.seq;

  if (conv->own <= restored || conv->gone) return;
  for (uint64_t s = restored + 1; s <= conv->own && !keep; s++)
    if (naive_mention(model, conv, s)) conv->facts[s].cleared = true;
  conv->wish =
      (naive_wish){true, keep, conv->server.epoch, conv->own, conv->own};
}

/* V5: the server's word on a setting ends a wish that it agrees with. */
void naive_set(naive_setting *setting, bool said, bool on) {
  if (!said) return;
  setting->server = on;
  if (setting->wanted && setting->want == on) setting->wanted = false;
}

static void take_settings(naive *model, naive_conv *conv,
                          const seen_snapshot *said) {
  naive_set(&conv->muted, said->fields & SEEN_SNAPSHOT_MUTED, said->muted);
  naive_set(&conv->pinned, said->fields & SEEN_SNAPSHOT_PINNED, said->pinned);
  if (said->fields & SEEN_SNAPSHOT_UPDATED_AT)
    conv->updated_at = most(conv->updated_at, said->updated_at);
  if (said->fields & SEEN_SNAPSHOT_DELIVERED_SEQ)
    conv->delivered_server = most(conv->delivered_server, said->delivered_seq);
  conv->delivered_here = most(conv->delivered_here, conv->delivered_server);
  if (said->fields & SEEN_SNAPSHOT_ROSTER)
    naive_roster(model, conv, said->roster, said->roster_count);
}

static void add(naive *model, naive_conv *conv) {
  model->convs =
      naive_grow(model->convs, model->conv_count + 1, sizeof *model->convs);
  model->convs[model->conv_count++] = conv;
}

void naive_snapshot(naive *model, const char *id, const seen_snapshot *said) {
  naive_conv *old = naive_find(model, id), *conv = old;
  bool fresh = old == NULL || old->waiting, lost;
  bool away = old != NULL && old->gone;
  bool keep = old != NULL && old->wish.there && old->wish.keep;

  if (fresh) conv = make_fresh(model, old, id, said);
  conv->kind = said->kind;
  if (said->fields & SEEN_SNAPSHOT_JOIN_SEQ) conv->join = said->join_seq;
  conv->gone = said->fields & SEEN_SNAPSHOT_LEAVE_SEQ;
  if (conv->gone) naive_drop_own(model, conv);
  lost = !fresh && lost_a_read(model, conv, said->word.read);
  naive_adopt(model, conv, &said->word, lost || fresh);
  if (fresh && old != NULL) read_again(model, conv, keep);
  take_settings(model, conv, said);
  if (old != NULL && model->link && !conv->gone) {
    if (fresh || away) naive_send_wants(model, conv);
    if (fresh) naive_deliver(model, conv);
  }
  if (!fresh) return;
  if (old != NULL) naive_remove(model, old);
  add(model, conv);
}

/* S2: rows stay shown and wait; a mark is gone, what it carried was read. */
void naive_server_reset(naive *model) {
  for (size_t i = 0; i < model->conv_count; i++) {
    naive_conv *conv = model->convs[i];
    naive_wish *wish = &conv->wish;
    bool keep =
        (wish->there && wish->keep) || (conv->mark.there && conv->mark.keep);

    conv->waiting = true;
    conv->mark.there = false;
    if (wish->there) {
      conv->own = most(conv->own, wish->read);
      *wish = (naive_wish){conv->own > conv->server.seq, keep,
                           conv->server.epoch, conv->own, conv->own};
    }
    naive_settle(model, conv);
  }
  if (model->link) naive_emit(model, SEEN_EFFECT_RESYNC, "", NULL);
}

void naive_snapshot_end(naive *model) {
  for (size_t i = model->conv_count; i-- > 0;)
    if (model->convs[i]->waiting) naive_forget(model, model->convs[i]);
}
