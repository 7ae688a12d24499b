/*
 * What the naive model sends and when (P7, V3–V5, V7, V10, R5, U5): each turn
 * looks at every conversation, and the next timer is the least of all.
 */
#include "naive/parts.h"

#include <stdlib.h>
#include <string.h>

enum { FRAME_ITEMS = 100, TOKEN = 1000 };

/* V10 */
static int rank(seen_effect_type type) {
  switch (type) {
  case SEEN_EFFECT_RESYNC: return 0;
  case SEEN_EFFECT_FETCH: return 1;
  case SEEN_EFFECT_MUTE: return 2;
  case SEEN_EFFECT_PIN: return 3;
  case SEEN_EFFECT_REPORT:
  case SEEN_EFFECT_MARK_UNREAD: return 4;
  case SEEN_EFFECT_READ_ALL: return 5;
  case SEEN_EFFECT_DELIVERED: return 6;
  case SEEN_EFFECT_UNSUBSCRIBE: return 7;
  default: return 8;
  }
}

static bool goes_before(const naive_output *a, const naive_output *b) {
  if (rank(a->type) != rank(b->type)) return rank(a->type) < rank(b->type);
  return strcmp(a->id, b->id) < 0;
}

/* Puts an output in its place in this turn, behind its equals. */
void naive_emit(naive *model, seen_effect_type type, const char *id,
                const naive_output *fields) {
  naive_output output = {0};
  size_t at = model->output_count;

  if (fields != NULL) output = *fields;
  output.type = type;
  strncpy(output.id, id, sizeof output.id - 1);
  model->outputs = naive_grow(model->outputs, model->output_count + 1,
                              sizeof *model->outputs);
  for (; at > model->turn && goes_before(&output, &model->outputs[at - 1]);
       at--)
    model->outputs[at] = model->outputs[at - 1];
  model->outputs[at] = output;
  model->output_count++;
}

/* V4 */
static void refill(naive *model) {
  uint64_t full = (uint64_t)model->options.burst * TOKEN;
  uint64_t gain =
      (model->now - model->units_at) * model->options.reports_per_second;

  model->units_at = model->now;
  model->units = gain > full - model->units ? full : model->units + gain;
}

static uint64_t token_time(naive *model) {
  uint64_t rate = model->options.reports_per_second;

  refill(model);
  if (model->units >= TOKEN) return model->now;
  return model->now + (TOKEN - model->units + rate - 1) / rate;
}

/* P7: what goes next. */
typedef enum next { NOTHING, A_MARK, A_REPORT } next;

static next what_goes(const naive_conv *conv) {
  if (naive_silent(conv)) return NOTHING;
  if (conv->mark.there) return conv->mark_sent ? NOTHING : A_MARK;
  if (conv->wish.there && conv->wish.shown < conv->wish.read) return A_MARK;
  return naive_unsent(conv) ? A_REPORT : NOTHING;
}

/* V3, V7 */
static uint64_t due_at(const naive *model, const naive_conv *conv) {
  next what = what_goes(conv);
  uint64_t quiet, latest;

  if (what == NOTHING) return SEEN_NEVER;
  if (conv->retry_at != SEEN_NEVER) return conv->retry_at;
  if (what == A_MARK || conv->at_once || conv->first_advance == SEEN_NEVER)
    return 0;
  quiet = conv->last_advance + model->options.debounce_ms;
  latest = conv->first_advance + model->options.max_wait_ms;
  if (model->fault == NAIVE_FAULT_DEBOUNCE) return latest;
  return quiet < latest ? quiet : latest;
}

/* V3: at once; V4: a close or background asks for a free frame. */
void naive_hurry(naive_conv *conv, bool free_frame) {
  if (!naive_unsent(conv) || conv->retry_at != SEEN_NEVER) return;
  conv->at_once = true;
  if (free_frame && !conv->mark.there) conv->free_frame = true;
}

static void nothing_waits(naive_conv *conv) {
  conv->first_advance = conv->last_advance = SEEN_NEVER;
  conv->at_once = conv->free_frame = false;
  conv->retry_at = SEEN_NEVER;
}

/* M4: every clearing that goes by name, rising. */
static void send_report(naive *model, naive_conv *conv) {
  naive_output output = {0};

  output.epoch = conv->wish.there ? conv->wish.epoch : conv->server.epoch;
  output.seq = conv->wish.there ? conv->wish.read : conv->server.seq;
  output.keep = conv->wish.there && conv->wish.keep;
  output.cleared = naive_allocate(conv->fact_count, sizeof(uint64_t));
  for (uint64_t s = 1; s < conv->fact_count; s++) {
    conv->facts[s].cleared_sent = naive_named(conv, s);
    if (conv->facts[s].cleared_sent) output.cleared[output.cleared_count++] = s;
  }
  naive_emit(model, SEEN_EFFECT_REPORT, conv->id, &output);
  model->metrics.reports_sent++;
  conv->sent = true;
  conv->sent_epoch = output.epoch;
  conv->sent_seq = output.seq;
  nothing_waits(conv);
}

/* P7: the wish becomes the open mark and starts anew in the coming epoch. */
static void send_mark(naive *model, naive_conv *conv) {
  naive_output output = {0};
  naive_wish *wish = &conv->wish;
  naive_mark *mark = &conv->mark;

  if (!mark->there) {
    *mark =
        (naive_mark){true, wish->keep, wish->epoch, wish->read, wish->shown};
    *wish =
        (naive_wish){true, false, mark->epoch + 1, mark->target, mark->target};
    conv->sent = false;
    nothing_waits(conv);
  }
  conv->mark_sent = true;
  conv->retry_at = SEEN_NEVER;
  output.epoch = mark->epoch;
  output.seq = mark->seq;
  output.target = mark->target;
  naive_emit(model, SEEN_EFFECT_MARK_UNREAD, conv->id, &output);
}

/* V4: one frame of reports, if the bucket or a free one lets it go. */
static void send_frame(naive *model, naive_conv **frame, size_t count) {
  bool is_free = false;

  for (size_t i = 0; i < count; i++)
    is_free = is_free || frame[i]->free_frame;
  refill(model);
  if (model->units >= TOKEN)
    model->units -= TOKEN;
  else if (!is_free)
    return;
  model->metrics.report_frames++;
  for (size_t i = 0; i < count; i++)
    send_report(model, frame[i]);
}

static int compare_ids(const void *a, const void *b) {
  const naive_conv *const *left = a, *const *right = b;

  return strcmp((*left)->id, (*right)->id);
}

static void send_due(naive *model) {
  naive_conv **due = naive_allocate(model->conv_count, sizeof *due);
  size_t count = 0;

  for (size_t i = 0; i < model->conv_count; i++) {
    naive_conv *conv = model->convs[i];

    if (due_at(model, conv) > model->now) continue;
    if (what_goes(conv) == A_MARK)
      send_mark(model, conv);
    else
      due[count++] = conv;
  }
  qsort(due, count, sizeof *due, compare_ids);
  for (size_t i = 0; i < count; i += FRAME_ITEMS)
    send_frame(model, due + i,
               count - i < FRAME_ITEMS ? count - i : FRAME_ITEMS);
  free(due);
}

/* What arrived here is due like a report, but costs no token. */
static uint64_t delivered_due(const naive *model, const naive_conv *conv) {
  uint64_t quiet, latest;

  if (conv->delivered_last == SEEN_NEVER) return SEEN_NEVER;
  quiet = conv->delivered_last + model->options.debounce_ms;
  latest = conv->delivered_first + model->options.max_wait_ms;
  return quiet < latest ? quiet : latest;
}

void naive_deliver(naive *model, naive_conv *conv) {
  naive_output output = {0};

  conv->delivered_first = conv->delivered_last = SEEN_NEVER;
  if (!model->options.delivered || naive_silent(conv) ||
      conv->delivered_here <= conv->delivered_sent ||
      conv->delivered_here <= conv->delivered_server)
    return;
  output.seq = conv->delivered_sent = conv->delivered_here;
  naive_emit(model, SEEN_EFFECT_DELIVERED, conv->id, &output);
}

/* R5: from the first to the last of one's own texts on screen. */
static seen_run wanted_range(const naive *model, const naive_conv *conv) {
  seen_run own = {0, 0};

  if (!model->options.subscriptions || !conv->open || !conv->has_range ||
      naive_silent(conv))
    return own;
  for (uint64_t s = conv->range.lo; s <= conv->range.hi; s++) {
    if (s >= conv->fact_count || conv->facts[s].sender != model->me ||
        !conv->facts[s].text)
      continue;
    own.lo = own.lo == 0 ? s : own.lo;
    own.hi = s;
  }
  return own;
}

static void subscribe(naive *model, naive_conv *conv) {
  seen_run wanted = wanted_range(model, conv);
  naive_output output = {0};

  if (conv->subscribed == (wanted.lo != 0) &&
      (!conv->subscribed || (conv->subscription.lo == wanted.lo &&
                             conv->subscription.hi == wanted.hi)))
    return;
  if (conv->subscribed) {
    output.range = conv->subscription;
    naive_emit(model, SEEN_EFFECT_UNSUBSCRIBE, conv->id, &output);
  }
  conv->subscribed = wanted.lo != 0;
  conv->subscription = wanted;
  output.range = wanted;
  if (conv->subscribed)
    naive_emit(model, SEEN_EFFECT_SUBSCRIBE, conv->id, &output);
}

/* U5: when the oldest gap that was not asked for is to be. */
static uint64_t fetch_due(const naive *model, const naive_conv *conv) {
  uint64_t due = SEEN_NEVER;

  if (naive_silent(conv)) return due;
  for (size_t s = 0; s < conv->fact_count; s++) {
    const naive_fact *fact = &conv->facts[s];

    if (fact->gap_since != SEEN_NEVER && !fact->asked &&
        fact->gap_since + model->options.fetch_wait_ms < due)
      due = fact->gap_since + model->options.fetch_wait_ms;
  }
  return due;
}

static void fetch(naive *model, naive_conv *conv) {
  if (fetch_due(model, conv) > model->now) return;
  for (size_t s = 0; s < conv->fact_count; s++) {
    naive_fact *fact = &conv->facts[s];

    if (fact->gap_since != SEEN_NEVER &&
        fact->gap_since + model->options.fetch_wait_ms <= model->now)
      fact->asked = true;
  }
  naive_emit(model, SEEN_EFFECT_FETCH, conv->id, NULL);
}

/* V7: a wait that ended with nothing to be sent. */
static void end_waits(naive *model) {
  for (size_t i = 0; i < model->conv_count; i++) {
    naive_conv *conv = model->convs[i];

    if (conv->retry_at < model->now && what_goes(conv) == NOTHING)
      conv->retry_at = SEEN_NEVER;
  }
}

/* The end of a turn: all that is due now, in the order of V10. */
void naive_settle_turn(naive *model) {
  end_waits(model);
  naive_dwell(model);
  if (model->link) {
    send_due(model);
    for (size_t i = 0; i < model->conv_count; i++)
      if (delivered_due(model, model->convs[i]) <= model->now)
        naive_deliver(model, model->convs[i]);
    for (size_t i = 0; i < model->conv_count; i++)
      subscribe(model, model->convs[i]);
    for (size_t i = 0; i < model->conv_count; i++)
      fetch(model, model->convs[i]);
  }
  model->turn = model->output_count;
}

static uint64_t dwell_due(const naive *model, const naive_conv *conv) {
  uint64_t dwell = model->options.dwell_ms, due = SEEN_NEVER;

  if (model->fault == NAIVE_FAULT_DWELL) dwell++;
  if (!naive_can_read(model, conv)) return due;
  for (size_t s = 0; s < conv->fact_count; s++) {
    const naive_fact *fact = &conv->facts[s];

    if (fact->on_screen_since != SEEN_NEVER && !fact->fired &&
        fact->on_screen_since + dwell < due)
      due = fact->on_screen_since + dwell;
  }
  return due;
}

static uint64_t send_due_at(naive *model, const naive_conv *conv) {
  uint64_t due = due_at(model, conv), token;

  if (due == SEEN_NEVER || what_goes(conv) == A_MARK) return due;
  token = token_time(model);
  return due > token ? due : token;
}

uint64_t naive_next_timer(naive *model) {
  uint64_t soonest = SEEN_NEVER;

  for (size_t i = 0; i < model->conv_count; i++) {
    const naive_conv *conv = model->convs[i];
    uint64_t times[4] = {dwell_due(model, conv), SEEN_NEVER, SEEN_NEVER,
                         SEEN_NEVER};

    if (model->link) {
      times[1] = send_due_at(model, conv);
      times[2] = delivered_due(model, conv);
      times[3] = fetch_due(model, conv);
    }
    for (size_t t = 0; t < 4; t++)
      if (times[t] < soonest) soonest = times[t];
  }
  return soonest;
}

/* V5: what the row does not say yet. */
void naive_send_wants(naive *model, const naive_conv *conv) {
  naive_output output = {0};

  output.on = conv->muted.want;
  if (conv->muted.wanted)
    naive_emit(model, SEEN_EFFECT_MUTE, conv->id, &output);
  output.on = conv->pinned.want;
  if (conv->pinned.wanted)
    naive_emit(model, SEEN_EFFECT_PIN, conv->id, &output);
}

/* V5: on a new link, what is not the server's yet is sent again. */
void naive_link(naive *model, bool up) {
  if (up == model->link) return;
  model->link = up;
  model->fetched_count = 0;
  for (size_t i = 0; i < model->conv_count; i++) {
    naive_conv *conv = model->convs[i];

    conv->subscribed = false;
    conv->retry_at = SEEN_NEVER;
    conv->backoff = 1000;
    conv->free_frame = false;
    if (!up) continue;
    naive_conv_new_link(conv);
    conv->delivered_first = conv->delivered_last = SEEN_NEVER;
    if (naive_silent(conv)) continue;
    naive_send_wants(model, conv);
    if (naive_unsent(conv)) conv->at_once = true;
    naive_deliver(model, conv);
  }
}
