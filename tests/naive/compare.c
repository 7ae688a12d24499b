#include "naive/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool effects_keep(naive_effects *effects, const seen_effect *effect) {
  seen_effect *kept = &effects->sent[effects->sent_count];
  size_t count = 0;

  switch (effect->type) {
  case SEEN_EFFECT_CONVERSATION_CHANGED:
    effects->changed[effect->conv <= PLAYER_CONVS ? effect->conv : 0] = true;
    return true;
  case SEEN_EFFECT_LIST_CHANGED: return effects->list_changed = true;
  case SEEN_EFFECT_TOTALS_CHANGED: return effects->totals_changed = true;
  case SEEN_EFFECT_DRIFT: return effects->drifted = true;
  default: break;
  }
  if (effect->type == SEEN_EFFECT_REPORT)
    count = effect->u.report.cleared_count;
  if (effects->sent_count == PLAYER_SENT ||
      effects->cleared_count + count > PLAYER_CLEARED)
    return false;
  *kept = *effect;
  if (count > 0) {
    memcpy(effects->cleared + effects->cleared_count, effect->u.report.cleared,
           count * sizeof(uint64_t));
    kept->u.report.cleared = effects->cleared + effects->cleared_count;
    effects->cleared_count += count;
  }
  effects->sent_count++;
  return true;
}

/* What was sent, as text for a person and for comparing. */
typedef struct sent_text {
  char text[400];
  size_t length;
} sent_text;

#define SAY(sent, ...)                                                         \
  ((sent)->length +=                                                           \
   (size_t)snprintf((sent)->text + (sent)->length,                             \
                    (sent)->length < sizeof(sent)->text                        \
                        ? sizeof(sent)->text - (sent)->length                  \
                        : 0,                                                   \
                    __VA_ARGS__))

static const char *verb(seen_effect_type type) {
  static const char *const verbs[] = {"nothing",     "resync",   "fetch",
                                      "mute",        "pin",      "report",
                                      "mark_unread", "read_all", "delivered",
                                      "unsubscribe", "subscribe"};

  return (size_t)type < sizeof verbs / sizeof *verbs ? verbs[type] : "?";
}

static void say_output(sent_text *sent, const naive_output *output) {
  sent->length = 0;
  SAY(sent, "%s %s", verb(output->type), output->id);
  switch (output->type) {
  case SEEN_EFFECT_MUTE:
  case SEEN_EFFECT_PIN: SAY(sent, " %s", output->on ? "on" : "off"); break;
  case SEEN_EFFECT_DELIVERED: SAY(sent, " %" PRIu64, output->seq); break;
  case SEEN_EFFECT_UNSUBSCRIBE:
  case SEEN_EFFECT_SUBSCRIBE:
    SAY(sent, " %" PRIu64 "-%" PRIu64, output->range.lo, output->range.hi);
    break;
  case SEEN_EFFECT_MARK_UNREAD:
    SAY(sent, " %" PRIu64 ":%" PRIu64 " to %" PRIu64, output->epoch,
        output->seq, output->target);
    break;
  case SEEN_EFFECT_REPORT:
    SAY(sent, " %" PRIu64 ":%" PRIu64 "%s", output->epoch, output->seq,
        output->keep ? " keep" : "");
    for (size_t i = 0; i < output->cleared_count && i < 16; i++)
      SAY(sent, "%s%" PRIu64, i == 0 ? " cleared " : ",", output->cleared[i]);
    break;
  default: break;
  }
}

/* An effect in the fields of an output. */
static naive_output as_output(const naive_pair *pair,
                              const seen_effect *effect) {
  naive_output output = {.type = effect->type};
  const char *id = seen_engine_id(pair->engine, effect->conv);

  if (id != NULL) strncpy(output.id, id, sizeof output.id - 1);
  switch (effect->type) {
  case SEEN_EFFECT_MUTE:
  case SEEN_EFFECT_PIN: output.on = effect->u.on; break;
  case SEEN_EFFECT_DELIVERED: output.seq = effect->u.seq; break;
  case SEEN_EFFECT_UNSUBSCRIBE:
  case SEEN_EFFECT_SUBSCRIBE: output.range = effect->u.range; break;
  case SEEN_EFFECT_MARK_UNREAD:
    output.epoch = effect->u.mark.expected_epoch;
    output.seq = effect->u.mark.expected_seq;
    output.target = effect->u.mark.target;
    break;
  case SEEN_EFFECT_REPORT:
    output.epoch = effect->u.report.epoch;
    output.seq = effect->u.report.seq;
    output.keep = effect->u.report.keep;
    output.cleared = (uint64_t *)effect->u.report.cleared;
    output.cleared_count = effect->u.report.cleared_count;
    break;
  default: break;
  }
  return output;
}

static bool same_cleared(const naive_output *a, const naive_output *b) {
  if (a->cleared_count != b->cleared_count) return false;
  for (size_t i = 0; i < a->cleared_count; i++)
    if (a->cleared[i] != b->cleared[i]) return false;
  return true;
}

/* V10: the same, in the same order. */
bool compare_sent(const naive_pair *pair) {
  const naive_output *wanted;
  size_t count = naive_outputs(pair->model, &wanted), had;
  static sent_text ours, theirs;

  had = pair->effects->sent_count;
  for (size_t i = 0; i < count || i < had; i++) {
    naive_output got = {0};

    strcpy(theirs.text, "nothing");
    strcpy(ours.text, "nothing");
    if (i < had) {
      got = as_output(pair, &pair->effects->sent[i]);
      say_output(&theirs, &got);
    }
    if (i < count) say_output(&ours, &wanted[i]);
    if (strcmp(ours.text, theirs.text) != 0 ||
        (i < had && i < count && !same_cleared(&got, &wanted[i])))
      return differ(pair->player, "output %zu: the engine sent %s, wanted %s",
                    i + 1, theirs.text, ours.text);
  }
  return true;
}

#define CHECK(field, got, wanted)                                              \
  do {                                                                         \
    uint64_t got_ = (uint64_t)(got), wanted_ = (uint64_t)(wanted);             \
    if (got_ != wanted_)                                                       \
      return differ(pair->player,                                              \
                    "%s " field ": the engine says %" PRIu64                   \
                    ", wanted %" PRIu64,                                       \
                    id, got_, wanted_);                                        \
  } while (0)

static bool compare_state(const naive_pair *pair, const char *id,
                          const seen_state *got, const seen_state *wanted) {
  CHECK("unread", got->unread, wanted->unread);
  CHECK("exact", got->exact, wanted->exact);
  CHECK("read", got->read_seq, wanted->read_seq);
  CHECK("last_seq", got->last_seq, wanted->last_seq);
  CHECK("server epoch", got->server_read.epoch, wanted->server_read.epoch);
  CHECK("server seq", got->server_read.seq, wanted->server_read.seq);
  CHECK("server high", got->server_read.high, wanted->server_read.high);
  CHECK("mentions", got->mentions, wanted->mentions);
  CHECK("first_mention", got->first_mention, wanted->first_mention);
  CHECK("first_unread", got->first_unread, wanted->first_unread);
  CHECK("marked_unread", got->marked_unread, wanted->marked_unread);
  CHECK("pending", got->pending, wanted->pending);
  CHECK("kind", got->kind, wanted->kind);
  CHECK("muted", got->muted, wanted->muted);
  CHECK("pinned", got->pinned, wanted->pinned);
  CHECK("open", got->open, wanted->open);
  CHECK("badge", got->badge, wanted->badge);
  CHECK("updated_at", got->updated_at, wanted->updated_at);
  return true;
}

static bool same_state(const seen_state *a, const seen_state *b) {
  return a->unread == b->unread && a->exact == b->exact &&
         a->marked_unread == b->marked_unread && a->pending == b->pending &&
         a->muted == b->muted && a->pinned == b->pinned && a->open == b->open &&
         a->badge == b->badge && a->mentions == b->mentions &&
         a->first_mention == b->first_mention &&
         a->first_unread == b->first_unread && a->read_seq == b->read_seq &&
         a->last_seq == b->last_seq && a->updated_at == b->updated_at &&
         a->kind == b->kind && a->server_read.epoch == b->server_read.epoch &&
         a->server_read.seq == b->server_read.seq &&
         a->server_read.high == b->server_read.high;
}

/* M5: walks the mentions one by one. */
static bool compare_mentions(const naive_pair *pair, const char *id,
                             seen_conv conv, uint64_t count) {
  uint64_t wanted[64], after = 0, at = 0;
  seen_mention mention;

  naive_mentions(pair->model, id, wanted, 64);
  while (at < 64 && seen_engine_next_mention(pair->engine, conv, after,
                                             &mention) == SEEN_OK) {
    if (at == count || mention.seq != wanted[at])
      return differ(pair->player, "%s: mention %" PRIu64 " is %" PRIu64, id,
                    at + 1, mention.seq);
    after = mention.seq;
    at++;
  }
  CHECK("mentions walked", at, count < 64 ? count : 64);
  return true;
}

/* One conversation: its state, its mentions, and that a change was told. */
static bool compare_row(const naive_pair *pair, size_t index) {
  const char *id = pair->known->ids[index];
  seen_conv conv = seen_engine_find(pair->engine, id);
  seen_state got = {.size = (uint32_t)sizeof got}, wanted;
  bool there =
      conv != 0 && seen_engine_state(pair->engine, conv, &got) == SEEN_OK;
  bool *was = &pair->known->there[index];
  seen_state *shown = &pair->known->shown[index];

  CHECK("has a row", there, naive_state(pair->model, id, &wanted));
  if (there && (!compare_state(pair, id, &got, &wanted) ||
                !compare_mentions(pair, id, conv, wanted.mentions)))
    return false;
  if (pair->told && (there != *was || (there && !same_state(&got, shown))) &&
      (conv > PLAYER_CONVS || !pair->effects->changed[conv]))
    return differ(pair->player, "%s changed and nobody was told", id);
  *was = there;
  *shown = got;
  return true;
}

/* B3: the order, by pages of three. */
static bool compare_order(const naive_pair *pair) {
  const char *wanted[PLAYER_CONVS];
  size_t count = naive_order(pair->model, wanted, PLAYER_CONVS);
  bool moved = count != pair->known->rows;
  const char *id = "list";

  CHECK("rows", seen_engine_count(pair->engine), count);
  for (size_t at = 0; at <= count; at += 3) {
    seen_state rows[3] = {{.size = (uint32_t)sizeof *rows},
                          {.size = (uint32_t)sizeof *rows},
                          {.size = (uint32_t)sizeof *rows}};
    size_t got = seen_engine_page(pair->engine, at, 3, rows);

    CHECK("page", got, count - at < 3 ? count - at : 3);
    for (size_t i = 0; i < got; i++) {
      if (strcmp(rows[i].id, wanted[at + i]) != 0)
        return differ(pair->player, "row %zu is %s, wanted %s", at + i + 1,
                      rows[i].id, wanted[at + i]);
      moved = moved || strcmp(pair->known->order[at + i], rows[i].id) != 0;
      strncpy(pair->known->order[at + i], rows[i].id, NAIVE_ID_MAX - 1);
    }
  }
  pair->known->rows = count;
  if (moved && pair->told && !pair->effects->list_changed)
    return differ(pair->player, "the list changed and nobody was told");
  return true;
}

bool compare_rows(const naive_pair *pair) {
  for (size_t i = 0; i < pair->known->count; i++)
    if (!compare_row(pair, i)) return false;
  return compare_order(pair);
}

static bool compare_totals(const naive_pair *pair) {
  seen_totals got, wanted, *shown = &pair->known->totals;
  const char *id = "totals";

  seen_engine_totals(pair->engine, &got);
  naive_totals(pair->model, &wanted);
  CHECK("unread", got.unread, wanted.unread);
  CHECK("conversations", got.conversations, wanted.conversations);
  CHECK("muted", got.muted, wanted.muted);
  CHECK("mentions", got.mentions, wanted.mentions);
  if (pair->told && !pair->effects->totals_changed &&
      (got.unread != shown->unread || got.muted != shown->muted ||
       got.conversations != shown->conversations ||
       got.mentions != shown->mentions))
    return differ(pair->player, "totals changed and nobody was told");
  *shown = got;
  return true;
}

static bool compare_metrics(const naive_pair *pair) {
  seen_metrics got = {.size = (uint32_t)sizeof got}, wanted;
  const char *id = "metric";

  seen_engine_metrics(pair->engine, &got);
  naive_metrics(pair->model, &wanted);
  CHECK("advances", got.advances, wanted.advances);
  CHECK("reports_sent", got.reports_sent, wanted.reports_sent);
  CHECK("report_frames", got.report_frames, wanted.report_frames);
  CHECK("reports_merged", got.reports_merged, wanted.reports_merged);
  CHECK("stale_positions", got.stale_positions, wanted.stale_positions);
  CHECK("refused", got.refused, wanted.refused);
  CHECK("unread_drift", got.unread_drift, wanted.unread_drift);
  return true;
}

/*
 * The deadline is the model's, or one of the store within persist_ms; never
 * now, which would be a loop without end.
 */
static bool compare_deadline(const naive_pair *pair) {
  uint64_t got = seen_engine_deadline(pair->engine);
  uint64_t wanted = naive_deadline(pair->model);
  const char *id = "engine";

  if (got < wanted && got > pair->now &&
      got <= pair->now + pair->options->persist_ms)
    return true;
  CHECK("deadline", got, wanted);
  return true;
}

bool compare_session(const naive_pair *pair) {
  return compare_totals(pair) && compare_metrics(pair) &&
         compare_deadline(pair);
}

/* S6: written persist_ms after the first change at the latest. */
bool compare_written(const naive_pair *pair) {
  for (size_t i = 0; i < pair->known->count; i++) {
    const char *id = pair->known->ids[i];
    uint64_t since = naive_unwritten(pair->model, id);

    if (since == SEEN_NEVER) continue;
    if (since + pair->options->persist_ms <= pair->now)
      return differ(pair->player, "%s was not written since %" PRIu64, id,
                    since);
    if (seen_engine_deadline(pair->engine) > since + pair->options->persist_ms)
      return differ(pair->player, "%s is not written and no deadline says so",
                    id);
  }
  return true;
}

static bool compare_readers(const naive_pair *pair, const char *id,
                            seen_conv conv, uint64_t seq, seen_readers which) {
  const char *got[64], *wanted[64];
  size_t count = 0,
         expected = naive_readers(pair->model, id, seq, which, wanted, 64);

  if (seen_engine_readers(pair->engine, conv, seq, which, got, 64, &count) !=
      SEEN_OK)
    return differ(pair->player, "%s: no list of readers", id);
  CHECK("readers", count, expected);
  for (size_t i = 0; i < count; i++)
    if (strcmp(got[i], wanted[i]) != 0)
      return differ(pair->player, "%s: reader %zu of %" PRIu64 " is %s", id,
                    i + 1, seq, got[i]);
  return true;
}

/* R1, R2: one message's receipts, each time another. */
bool compare_receipts(const naive_pair *pair, const char *id) {
  seen_conv conv = id != NULL ? seen_engine_find(pair->engine, id) : 0;
  seen_receipt got = {.size = (uint32_t)sizeof got}, wanted;
  seen_state state;
  uint64_t seq;

  if (conv == 0 || !naive_state(pair->model, id, &state) || state.last_seq == 0)
    return true;
  seq = 1 + (pair->now * 7 + state.unread) % state.last_seq;
  if (naive_is_others(pair->model, id, seq)) return true;
  if (!naive_receipt(pair->model, id, seq, &wanted) ||
      seen_engine_receipt(pair->engine, conv, seq, &got) != SEEN_OK)
    return differ(pair->player, "%s: no receipt of %" PRIu64, id, seq);
  if (got.audience != wanted.audience || got.read != wanted.read ||
      got.delivered != wanted.delivered || got.state != wanted.state)
    return differ(pair->player,
                  "%s receipt of %" PRIu64 ": the engine says %" PRIu64
                  ", %" PRIu64 " of %" PRIu64 ", wanted %" PRIu64 ", %" PRIu64
                  " of %" PRIu64,
                  id, seq, got.read, got.delivered, got.audience, wanted.read,
                  wanted.delivered, wanted.audience);
  if (state.kind != SEEN_KIND_GROUP) return true;
  return compare_readers(pair, id, conv, seq, SEEN_READERS_READ) &&
         compare_readers(pair, id, conv, seq, SEEN_READERS_UNREAD);
}
