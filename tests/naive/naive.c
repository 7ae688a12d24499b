/*
 * The naive model as one whole: inputs in, answers out. Time is let pass
 * timer by timer before each input (V10).
 */
#include "naive/parts.h"

#include <stdlib.h>
#include <string.h>

static void start(naive *model) {
  model->link = model->foreground = model->focus = true;
  model->units = (uint64_t)model->options.burst * 1000;
  model->units_at = model->now;
  model->fetched_count = 0;
  memset(&model->metrics, 0, sizeof model->metrics);
}

naive *naive_new(const seen_options *options, uint64_t now) {
  naive *model = naive_allocate(1, sizeof *model);

  model->options = *options;
  model->now = now;
  model->me = naive_name(model, options->user);
  start(model);
  return model;
}

static void free_all(naive_conv **convs, size_t count) {
  for (size_t i = 0; i < count; i++)
    naive_conv_free(convs[i]);
  free(convs);
}

void naive_free(naive *model) {
  if (model == NULL) return;
  naive_outputs_clear(model);
  free(model->outputs);
  free_all(model->convs, model->conv_count);
  free_all(model->written, model->written_count);
  for (size_t i = 0; i < model->name_count; i++)
    free(model->names[i]);
  free(model->names);
  free(model->fetched);
  free(model);
}

void naive_break(naive *model, naive_fault fault) {
  model->fault = fault;
}

static naive_conv *find_in(naive_conv *const *convs, size_t count,
                           const char *id) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(convs[i]->id, id) == 0) return convs[i];
  return NULL;
}

naive_conv *naive_find(const naive *model, const char *id) {
  return find_in(model->convs, model->conv_count, id);
}

static void remove_from(naive_conv **convs, size_t *count, naive_conv *conv) {
  for (size_t i = 0; i < *count; i++)
    if (convs[i] == conv) {
      convs[i] = convs[--*count];
      break;
    }
  naive_conv_free(conv);
}

void naive_remove(naive *model, naive_conv *conv) {
  remove_from(model->convs, &model->conv_count, conv);
}

void naive_forget(naive *model, naive_conv *conv) {
  naive_output output = {0};
  output.range = conv->subscription;
  if (conv->subscribed && model->link)
    naive_emit(model, SEEN_EFFECT_UNSUBSCRIBE, conv->id, &output);
  naive_remove(model, conv);
}

/* S8: its row is asked for once a link. */
static void ask_for(naive *model, const seen_input *input) {
  if (!model->link ||
      (input->type != SEEN_INPUT_MESSAGE && input->type != SEEN_INPUT_POSITION))
    return;
  for (size_t i = 0; i < model->fetched_count; i++)
    if (strcmp(model->fetched[i], input->id) == 0) return;
  model->fetched = naive_grow(model->fetched, model->fetched_count + 1,
                              sizeof *model->fetched);
  memset(model->fetched[model->fetched_count], 0, NAIVE_ID_MAX);
  strncpy(model->fetched[model->fetched_count++], input->id, NAIVE_ID_MAX - 1);
  naive_emit(model, SEEN_EFFECT_FETCH, input->id, NULL);
}

/* U3: a copy of a message above the tally; copies add up. */
static void keep_copy(naive *model, naive_conv *conv, const seen_message *said,
                      bool counts) {
  conv->copies =
      naive_grow(conv->copies, conv->copy_count + 1, sizeof *conv->copies);
  conv->copies[conv->copy_count++] =
      (naive_copy){said->seq, said->kind, counts, said->mention, said->target};
  if (conv->last < said->seq) conv->last = said->seq;
  naive_see_gaps(conv, model->now);
}

static void note_delivery(naive *model, naive_conv *conv, uint64_t seq) {
  if (!model->options.delivered || seq <= conv->delivered_here) return;
  conv->delivered_here = seq;
  conv->delivered_last = model->now;
  if (conv->delivered_first == SEEN_NEVER) conv->delivered_first = model->now;
}

static void message(naive *model, naive_conv *conv, const seen_message *said) {
  bool mine = strcmp(said->from, model->options.user) == 0;
  bool counts = said->countable == SEEN_COUNTABLE_BY_KIND /* F2 */
                    ? said->kind == SEEN_MESSAGE_TEXT
                    : said->countable == SEEN_COUNTABLE_YES;
  naive_fact *fact;

  if (conv->gone) return;
  fact = naive_fact_at(conv, said->seq);
  fact->sender = naive_name(model, said->from);
  fact->text = said->kind == SEEN_MESSAGE_TEXT;
  if (said->seq > conv->tally.last)
    keep_copy(model, conv, said, counts && !mine && !said->hidden);
  naive_drop_found(model, conv);
  if (counts && conv->updated_at < said->sent_at)
    conv->updated_at = said->sent_at; /* B3 */
  if (!mine)
    note_delivery(model, conv, said->seq);
  else if (said->kind == SEEN_MESSAGE_TEXT &&
           model->options.own_send == SEEN_OWN_SEND_READS)
    naive_by_name(model, conv, said->seq); /* F5 */
}

/* U7 */
static void found(naive *model, naive_conv *conv, const seen_found *said) {
  if (conv->gone) return;
  if (said->uncountable && said->seq > conv->server.seq)
    naive_fact_at(conv, said->seq)->found_uncountable = true;
  if (said->mention != SEEN_MENTION_NONE)
    naive_fact_at(conv, said->seq)->found_mention = said->mention;
  naive_drop_found(model, conv);
}

/* V5: the person's word, until a row agrees. */
static void want(naive *model, naive_conv *conv, naive_setting *setting,
                 seen_effect_type type, bool on) {
  bool now = setting->wanted ? setting->want : setting->server;
  naive_output output = {0};

  if (now == on || conv->gone) return;
  setting->wanted = true;
  setting->want = output.on = on;
  if (model->link && !conv->waiting) naive_emit(model, type, conv->id, &output);
}

/* S2: a row of another incarnation takes no word of the new one. */
static bool waits_for_its_row(const naive_conv *conv, const seen_input *in) {
  if (!conv->waiting) return false;
  return in->type == SEEN_INPUT_POSITION || in->type == SEEN_INPUT_ACK ||
         (in->type == SEEN_INPUT_REFUSE &&
          in->u.answer.refusal != SEEN_REFUSAL_NOT_MEMBER &&
          in->u.answer.refusal != SEEN_REFUSAL_NOT_FOUND);
}

static void feed_conv(naive *model, naive_conv *conv, const seen_input *in) {
  if (waits_for_its_row(conv, in)) return;
  switch (in->type) {
  case SEEN_INPUT_MESSAGE: message(model, conv, &in->u.message); break;
  case SEEN_INPUT_POSITION: naive_adopt(model, conv, &in->u.word, false); break;
  case SEEN_INPUT_ACK: naive_ack(model, conv, &in->u.answer); break;
  case SEEN_INPUT_REFUSE: naive_refuse(model, conv, &in->u.answer); break;
  case SEEN_INPUT_FOUND: found(model, conv, &in->u.found); break;
  case SEEN_INPUT_MEMBERS: naive_members(model, conv, &in->u.members); break;
  case SEEN_INPUT_PEER: naive_peer_said(model, conv, &in->u.peer); break;
  case SEEN_INPUT_RECEIPTS: naive_receipts(conv, &in->u.receipts); break;
  case SEEN_INPUT_SET:
    naive_set(&conv->muted, in->u.settings.has_muted, in->u.settings.muted);
    naive_set(&conv->pinned, in->u.settings.has_pinned, in->u.settings.pinned);
    break;
  case SEEN_INPUT_LEFT:
    conv->gone = true;
    naive_drop_own(model, conv);
    break;
  case SEEN_INPUT_FORGET: naive_forget(model, conv); break;
  case SEEN_INPUT_OPEN: naive_open(model, conv); break;
  case SEEN_INPUT_VISIBLE: naive_visible(model, conv, in->u.range); break;
  case SEEN_INPUT_CLOSE: naive_close(conv); break;
  case SEEN_INPUT_MARK_READ:
    naive_by_name(model, conv, in->u.seq.said ? in->u.seq.seq : conv->last);
    break;
  case SEEN_INPUT_MARK_UNREAD:
    naive_mark_unread(model, conv, &in->u.seq);
    break;
  case SEEN_INPUT_CLEAR_MENTIONS: naive_clear_mentions(model, conv); break;
  case SEEN_INPUT_MUTE:
    want(model, conv, &conv->muted, SEEN_EFFECT_MUTE, in->u.on);
    break;
  case SEEN_INPUT_PIN:
    want(model, conv, &conv->pinned, SEEN_EFFECT_PIN, in->u.on);
    break;
  default: break;
  }
}

static void hurry_all(naive *model, bool free_frame) {
  for (size_t i = 0; i < model->conv_count; i++)
    naive_hurry(model->convs[i], free_frame);
}

static void feed_session(naive *model, const seen_input *in) {
  switch (in->type) {
  case SEEN_INPUT_READ_ALL: naive_read_all(model); break;
  case SEEN_INPUT_APP:
    naive_attention(model, &model->foreground, in->u.on);
    if (!in->u.on) hurry_all(model, true);
    break;
  case SEEN_INPUT_FOCUS: naive_attention(model, &model->focus, in->u.on); break;
  case SEEN_INPUT_LINK: naive_link(model, in->u.on); break;
  case SEEN_INPUT_FLUSH:
  case SEEN_INPUT_REPORT_NOW: hurry_all(model, false); break;
  case SEEN_INPUT_SERVER_RESET: naive_server_reset(model); break;
  case SEEN_INPUT_SNAPSHOT_END: naive_snapshot_end(model); break;
  default: break;
  }
}

/* S6: dates what differs from its record. */
static void date_changes(naive *model) {
  for (size_t i = 0; i < model->conv_count; i++) {
    naive_conv *conv = model->convs[i];
    const naive_conv *written =
        find_in(model->written, model->written_count, conv->id);

    if (written != NULL && naive_conv_same(conv, written))
      conv->unwritten = SEEN_NEVER;
    else if (conv->unwritten == SEEN_NEVER)
      conv->unwritten = model->now;
  }
  for (size_t i = 0; i < model->written_count; i++) {
    naive_conv *written = model->written[i];

    if (naive_find(model, written->id) != NULL)
      written->unwritten = SEEN_NEVER;
    else if (written->unwritten == SEEN_NEVER)
      written->unwritten = model->now;
  }
}

static void end_turn(naive *model) {
  naive_settle_turn(model);
  date_changes(model);
}

static void let_pass(naive *model, uint64_t until) {
  for (;;) {
    uint64_t next = naive_next_timer(model);

    if (next > until) break;
    if (next > model->now) model->now = next;
    end_turn(model);
  }
  model->now = until;
}

void naive_feed(naive *model, const seen_input *input, uint64_t now) {
  naive_conv *conv;

  let_pass(model, now);
  if (input->type == SEEN_INPUT_CONVERSATION) {
    naive_snapshot(model, input->id, &input->u.snapshot);
  } else if (SEEN_INPUT_HAS_CONV(input->type)) {
    conv = naive_find(model, input->id);
    if (conv != NULL)
      feed_conv(model, conv, input);
    else
      ask_for(model, input);
  } else {
    feed_session(model, input);
  }
  end_turn(model);
}

size_t naive_outputs(const naive *model, const naive_output **outputs) {
  *outputs = model->outputs;
  return model->output_count;
}

void naive_outputs_clear(naive *model) {
  for (size_t i = 0; i < model->output_count; i++)
    free(model->outputs[i].cleared);
  model->output_count = model->turn = 0;
}

uint64_t naive_deadline(const naive *model) {
  return naive_next_timer((naive *)model);
}

static bool shown_setting(const naive_setting *setting) {
  return setting->wanted ? setting->want : setting->server;
}

size_t naive_mentions(const naive *model, const char *id, uint64_t *seqs,
                      size_t limit) {
  const naive_conv *conv = naive_find(model, id);
  size_t count = 0;

  for (uint64_t s = 1; conv != NULL && s <= conv->last; s++) {
    if (!naive_mention(model, conv, s)) continue;
    if (count < limit) seqs[count] = s;
    count++;
  }
  return count;
}

/* B2 */
static seen_badge_kind badge(const seen_state *state) {
  if (state->unread > 0)
    return state->muted ? SEEN_BADGE_DOT_KIND : SEEN_BADGE_NUMBER;
  return state->marked_unread ? SEEN_BADGE_DOT_KIND : SEEN_BADGE_NONE;
}

static void fill_state(const naive *model, const naive_conv *conv,
                       seen_state *state) {
  state->id = conv->id;
  state->kind = conv->kind;
  state->unread = naive_unread(model, conv, &state->exact);
  state->marked_unread = naive_marked(conv);
  state->pending = naive_pending(conv);
  state->muted = shown_setting(&conv->muted);
  state->pinned = shown_setting(&conv->pinned);
  state->open = conv->open;
  state->badge = badge(state);
  state->first_mention = 0;
  state->mentions = naive_mentions(model, conv->id, &state->first_mention, 1);
  state->first_unread = naive_first_unread(model, conv);
  state->read_seq = naive_shown(conv);
  state->last_seq = conv->last;
  state->server_read = conv->server;
  state->updated_at = conv->updated_at;
}

bool naive_state(const naive *model, const char *id, seen_state *state) {
  const naive_conv *conv = naive_find(model, id);

  if (conv == NULL || conv->gone) return false;
  fill_state(model, conv, state);
  return true;
}

/* B4 */
void naive_totals(const naive *model, seen_totals *totals) {
  *totals = (seen_totals){0};
  for (size_t i = 0; i < model->conv_count; i++) {
    seen_state state;

    if (!naive_state(model, model->convs[i]->id, &state)) continue;
    totals->mentions += state.mentions;
    if (state.muted) {
      totals->muted += state.unread;
      continue;
    }
    totals->unread += state.unread;
    totals->conversations += state.unread > 0 || state.marked_unread;
  }
}

void naive_metrics(const naive *model, seen_metrics *metrics) {
  *metrics = model->metrics;
}

/* B3 */
static int compare_rows(const void *a, const void *b) {
  const naive_conv *left = *(const naive_conv *const *)a;
  const naive_conv *right = *(const naive_conv *const *)b;
  bool pinned = shown_setting(&left->pinned);

  if (pinned != shown_setting(&right->pinned)) return pinned ? -1 : 1;
  if (left->updated_at != right->updated_at)
    return left->updated_at > right->updated_at ? -1 : 1;
  return strcmp(left->id, right->id);
}

static int compare_unpinned(const void *a, const void *b) {
  const naive_conv *left = *(const naive_conv *const *)a;
  const naive_conv *right = *(const naive_conv *const *)b;

  if (left->updated_at != right->updated_at)
    return left->updated_at > right->updated_at ? -1 : 1;
  return strcmp(left->id, right->id);
}

size_t naive_order(const naive *model, const char **ids, size_t limit) {
  naive_conv **rows = naive_allocate(model->conv_count, sizeof *rows);
  size_t count = 0;

  for (size_t i = 0; i < model->conv_count; i++)
    if (!model->convs[i]->gone) rows[count++] = model->convs[i];
  qsort(rows, count, sizeof(naive_conv *),
        model->fault == NAIVE_FAULT_ORDER ? compare_unpinned : compare_rows);
  for (size_t i = 0; i < count && i < limit; i++)
    ids[i] = rows[i]->id;
  free(rows);
  return count;
}

void naive_write(naive *model, const char *id) {
  naive_conv *conv = naive_find(model, id);
  naive_conv *old = find_in(model->written, model->written_count, id);

  if (old != NULL) remove_from(model->written, &model->written_count, old);
  if (conv == NULL) return;
  conv->unwritten = SEEN_NEVER;
  model->written = naive_grow(model->written, model->written_count + 1,
                              sizeof *model->written);
  model->written[model->written_count++] = naive_conv_copy(conv);
}

uint64_t naive_unwritten(const naive *model, const char *id) {
  const naive_conv *conv = naive_find(model, id);

  if (conv == NULL) conv = find_in(model->written, model->written_count, id);
  return conv != NULL ? conv->unwritten : SEEN_NEVER;
}

void naive_restart(naive *model, uint64_t now) {
  let_pass(model, now);
  free_all(model->convs, model->conv_count);
  model->convs = naive_allocate(model->written_count, sizeof *model->convs);
  model->conv_count = model->written_count;
  for (size_t i = 0; i < model->written_count; i++) {
    model->convs[i] = naive_conv_copy(model->written[i]);
    naive_conv_wake(model->convs[i], now);
  }
  start(model);
  model->link = false;
  naive_outputs_clear(model);
}
