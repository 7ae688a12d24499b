/* Snapshots, messages, words and answers of one conversation. */
#include "engine/server.h"

#include <seen/position.h>
#include <string.h>

#include "engine/delivered.h"
#include "engine/membership.h"
#include "engine/mentions.h"
#include "engine/people.h"
#include "engine/reading.h"
#include "engine/reporter.h"
#include "engine/settings.h"
#include "engine/tally.h"
#include "engine/word.h"

/* The server forgot what it had acknowledged to this device (S4). */
static bool lost_a_read(const sn_conv *conv, seen_position read) {
  const sn_reading *reading = conv->reading;
  if (!reading || !reading->acked || reading->mark.set) return false;
  return seen_position_compare(read, (seen_position){reading->acked_epoch,
                                                     reading->acked_seq, 0}) <
         0;
}

static int reserve_snapshot(seen_engine *engine, sn_conv *conv,
                            const seen_snapshot *snapshot, bool fresh) {
  const seen_word *word = &snapshot->word;
  if (sn_word_reserve(engine, conv, word,
                      fresh || lost_a_read(conv, word->read)) ||
      sn_people_reserve_roster(engine, conv, snapshot) ||
      sn_engine_reserve_outputs(engine, conv, 0, word->mention_count))
    return SEEN_ENOMEM;
  if (conv->delivered_here && sn_engine_need_facts(engine, conv))
    return SEEN_ENOMEM;
  if (conv->reading && sn_runs_reserve(engine->memory, &conv->reading->cleared,
                                       conv->reading->cleared.count + 2))
    return SEEN_ENOMEM;
  return SEEN_OK;
}

static void revive(seen_engine *engine, sn_conv *conv, seen_position read) {
  sn_reading *reading = conv->reading;
  sn_wish_revive(&reading->wish, read, reading->acked_seq);
  sn_word_replace(engine, conv, read);
  reading->now_due = true;
}

/* Reads of an earlier incarnation are said again, clamped (S2). */
static void report_again(sn_conv *conv, seen_position read, bool keep) {
  sn_reading *reading = conv->reading;
  if (!reading || reading->own <= read.seq) return;
  if (!keep) sn_mentions_clear(conv, read.seq + 1, reading->own);
  reading->wish = (sn_wish){read.epoch, reading->own, reading->own, true, keep};
}

static void take_row(seen_engine *engine, sn_conv *conv,
                     const seen_snapshot *snapshot) {
  seen_settings settings = {
      snapshot->fields & SEEN_SNAPSHOT_MUTED, snapshot->muted,
      snapshot->fields & SEEN_SNAPSHOT_PINNED, snapshot->pinned};
  sn_settings_said(engine, conv, &settings);
  if (snapshot->fields & SEEN_SNAPSHOT_UPDATED_AT &&
      snapshot->updated_at > conv->updated_at) { /* B3 */
    conv->updated_at = snapshot->updated_at;
    sn_engine_reorder(engine, conv);
  }
  if (snapshot->fields & SEEN_SNAPSHOT_DELIVERED_SEQ)
    conv->delivered_server =
        sn_max(conv->delivered_server, snapshot->delivered_seq);
  conv->delivered_here = sn_max(conv->delivered_here, conv->delivered_server);
  if (snapshot->fields & SEEN_SNAPSHOT_ROSTER)
    sn_people_take_roster(engine, conv, snapshot);
}

int sn_server_conversation(seen_engine *engine, sn_conv *conv,
                           const seen_snapshot *snapshot) {
  const seen_word *word = &snapshot->word;
  bool known = sn_conv_has(conv, SN_ROW);
  bool renewed = known && sn_conv_has(conv, SN_WAITING);
  bool fresh = !known || renewed;
  bool away = sn_conv_has(conv, SN_GONE);
  if (reserve_snapshot(engine, conv, snapshot, fresh)) return SEEN_ENOMEM;
  bool keep =
      conv->reading && conv->reading->wish.set && conv->reading->wish.keep;
  if (renewed) sn_membership_renew(engine, conv, word->last_seq);
  if (fresh) conv->server = word->read;
  conv->kind = snapshot->kind;
  sn_conv_flag(conv, SN_ROW, true);
  if (snapshot->fields & SEEN_SNAPSHOT_JOIN_SEQ)
    conv->join_seq = snapshot->join_seq;
  sn_conv_flag(conv, SN_GONE, snapshot->fields & SEEN_SNAPSHOT_LEAVE_SEQ);
  if (sn_conv_has(conv, SN_GONE)) sn_membership_end(engine, conv);
  bool lost = lost_a_read(conv, word->read);
  if (lost) revive(engine, conv, word->read);
  sn_word_adopt(engine, conv, word, lost || fresh);
  sn_mentions_derive(conv); /* the membership may begin elsewhere */
  if (renewed && !sn_conv_has(conv, SN_GONE))
    report_again(conv, word->read, keep);
  take_row(engine, conv, snapshot);
  if (!engine->link || sn_conv_has(conv, SN_GONE)) return SEEN_OK;
  /* V5: of who was away, the server has refused it. */
  if (renewed || away) sn_settings_send(engine, conv);
  if (renewed) sn_delivered_send(engine, conv);
  return SEEN_OK;
}

static int reserve_message(seen_engine *engine, sn_conv *conv,
                           const seen_message *message, bool next, bool reads) {
  if (engine->options.delivered && sn_engine_need_facts(engine, conv))
    return SEEN_ENOMEM;
  if (message->seq > conv->tally_last && !next) {
    if (sn_engine_need_facts(engine, conv)) return SEEN_ENOMEM;
    if (message->mention && sn_engine_need_reading(engine, conv))
      return SEEN_ENOMEM;
    if (sn_tally_reserve_message(engine->memory, conv, message))
      return SEEN_ENOMEM;
  }
  if (reads && sn_engine_need_reading(engine, conv)) return SEEN_ENOMEM;
  return sn_engine_reserve_outputs(engine, conv, 0, 1);
}

int sn_server_message(seen_engine *engine, sn_conv *conv,
                      const seen_message *message) {
  bool own = strcmp(message->from, engine->user) == 0;
  bool reads = own && message->kind == SEEN_MESSAGE_TEXT &&
               engine->options.own_send == SEEN_OWN_SEND_READS;
  if (sn_conv_has(conv, SN_GONE)) return SEEN_OK;
  bool next = sn_tally_is_next(conv, message, own);
  if (reserve_message(engine, conv, message, next, reads) ||
      (sn_people_keep_sender(conv, own) &&
       sn_people_note_sender(engine, conv, message, own)))
    return SEEN_ENOMEM;
  if (next)
    sn_tally_add_next(conv, message->seq);
  else if (message->seq > conv->tally_last) /* U3 */
    sn_tally_add_message(conv, message, own, engine->now);
  if (message->sent_at > conv->updated_at && sn_tally_counts(message)) {
    conv->updated_at = message->sent_at; /* B3 */
    sn_engine_reorder(engine, conv);
  }
  if (!own) sn_delivered_rise(engine, conv, message->seq);
  if (reads) sn_read_by_name(engine, conv, message->seq); /* F5 */
  return SEEN_OK;
}

int sn_server_position(seen_engine *engine, sn_conv *conv,
                       const seen_word *word) {
  if (sn_conv_has(conv, SN_WAITING)) return SEEN_OK; /* S2 */
  if (sn_word_reserve(engine, conv, word, false) ||
      sn_engine_reserve_outputs(engine, conv, 0, word->mention_count))
    return SEEN_ENOMEM;
  sn_word_adopt(engine, conv, word, false);
  return SEEN_OK;
}

static void acknowledge_report(sn_conv *conv, seen_position read) {
  sn_reading *reading = conv->reading;
  sn_reporter_answered(conv);
  if (!reading->sent || reading->sent_epoch != read.epoch) return;
  uint64_t seq = sn_min(read.seq, reading->sent_seq);
  if (reading->acked &&
      (reading->acked_epoch > read.epoch ||
       (reading->acked_epoch == read.epoch && reading->acked_seq >= seq)))
    return;
  reading->acked = true;
  reading->acked_epoch = read.epoch;
  reading->acked_seq = seq;
}

int sn_server_ack(seen_engine *engine, sn_conv *conv,
                  const seen_answer *answer) {
  if (sn_conv_has(conv, SN_WAITING)) return SEEN_OK; /* S2 */
  if (sn_engine_need_reading(engine, conv) ||
      sn_word_reserve(engine, conv, &answer->word, false) ||
      sn_engine_reserve_outputs(engine, conv, 0, answer->word.mention_count))
    return SEEN_ENOMEM;
  sn_mark *mark = &conv->reading->mark;
  if (answer->of != SEEN_REQUEST_MARK_UNREAD) {
    acknowledge_report(conv, answer->word.read);
  } else if (mark->set && answer->word.read.epoch > mark->epoch) {
    sn_reporter_answered(conv); /* else a late copy of an earlier answer */
    *mark = (sn_mark){0};
  }
  sn_word_adopt(engine, conv, &answer->word, false);
  return SEEN_OK;
}

static void out_of_range(seen_engine *engine, sn_conv *conv,
                         const seen_word *word) {
  sn_reading *reading = conv->reading;
  sn_word_replace(engine, conv, word->read);
  reading->wish = (sn_wish){0};
  reading->mark = (sn_mark){0};
  reading->own = sn_min(reading->own, word->read.seq);
  sn_runs_remove(&reading->cleared, word->last_seq + 1, SEEN_SEQ_MAX);
  sn_mentions_derive(conv);
}

static void refused_for_good(seen_engine *engine, sn_conv *conv) {
  sn_conv_flag(conv, SN_GONE, true); /* S5 */
  sn_membership_end(engine, conv);
}

static void rate_limited(seen_engine *engine, sn_conv *conv,
                         const seen_answer *answer) {
  sn_reporter_limited(engine, conv, answer->retry_ms);
  if (answer->of == SEEN_REQUEST_MARK_UNREAD)
    conv->reading->mark_sent = false;
  else
    sn_runs_clear(&conv->reading->sent_cleared);
}

/* An answer that refuses and says how things stand (P8, V6). */
static void refused(seen_engine *engine, sn_conv *conv,
                    const seen_answer *answer) {
  sn_reading *reading = conv->reading;
  sn_mark *mark = &reading->mark;
  const seen_word *word = &answer->word;
  uint64_t epoch = sn_max(conv->server.epoch, mark->set ? mark->epoch : 0);
  sn_reporter_answered(conv);
  if (answer->of == SEEN_REQUEST_REPORT) sn_runs_clear(&reading->sent_cleared);
  if (answer->refusal == SEEN_REFUSAL_SEQ_OUT_OF_RANGE) {
    out_of_range(engine, conv, word);
  } else if (answer->refusal == SEEN_REFUSAL_EPOCH_AHEAD) {
    if (word->read.epoch >= epoch) return; /* late news */
    sn_word_replace(engine, conv, word->read);
    sn_wish_epoch_lost(&reading->wish, mark, word->read);
  } else if (answer->of == SEEN_REQUEST_MARK_UNREAD && mark->set) {
    sn_wish_conflict(&reading->wish, mark);
  }
}

static bool is_for_good(const seen_answer *answer) {
  return answer->refusal == SEEN_REFUSAL_NOT_MEMBER ||
         answer->refusal == SEEN_REFUSAL_NOT_FOUND;
}

int sn_server_refuse(seen_engine *engine, sn_conv *conv,
                     const seen_answer *answer) {
  if (sn_conv_has(conv, SN_WAITING) && !is_for_good(answer)) /* S2 */
    return SEEN_OK;
  if (sn_engine_need_reading(engine, conv) ||
      sn_runs_reserve(engine->memory, &conv->reading->cleared, 1) ||
      (answer->has_word &&
       sn_word_reserve(engine, conv, &answer->word, false)) ||
      sn_engine_reserve_outputs(
          engine, conv, 0, answer->has_word ? answer->word.mention_count : 0))
    return SEEN_ENOMEM;
  engine->metrics.refused++;
  if (is_for_good(answer)) {
    refused_for_good(engine, conv);
    return SEEN_OK;
  }
  if (answer->refusal == SEEN_REFUSAL_RATE_LIMITED)
    rate_limited(engine, conv, answer);
  else
    refused(engine, conv, answer);
  if (answer->has_word) sn_word_adopt(engine, conv, &answer->word, false);
  return SEEN_OK;
}

static int reserve_found(seen_engine *engine, sn_conv *conv) {
  if (sn_engine_need_facts(engine, conv) ||
      sn_engine_need_reading(engine, conv))
    return SEEN_ENOMEM;
  sn_facts *facts = conv->facts;
  if (sn_runs_reserve(engine->memory, &facts->found, 1) ||
      sn_runs_reserve(engine->memory, &facts->found_mentions, 2) ||
      sn_runs_reserve(engine->memory, &facts->open, 2))
    return SEEN_ENOMEM;
  return sn_mentions_reserve(engine->memory, conv, 0, 1, 1);
}

int sn_server_found(seen_engine *engine, sn_conv *conv,
                    const seen_found *found) {
  uint64_t seq = found->seq;
  if (sn_conv_has(conv, SN_GONE)) return SEEN_OK;
  if (reserve_found(engine, conv) ||
      sn_engine_reserve_outputs(engine, conv, 0, 1))
    return SEEN_ENOMEM;
  sn_facts *facts = conv->facts;
  if (found->uncountable && seq > conv->server.seq &&
      !sn_tally_said_uncountable(conv, seq)) {
    sn_runs_put(&facts->found, seq, seq, 0);
    sn_runs_remove(&facts->found_mentions, seq, seq);
    sn_runs_remove(&facts->open, seq, seq);
  }
  if (found->mention != SEEN_MENTION_NONE && !sn_tally_uncountable(conv, seq)) {
    sn_runs_put(&facts->found_mentions, seq, seq, (uint32_t)found->mention);
    sn_mentions_show(conv, seq);
  }
  return SEEN_OK;
}

int sn_server_left(seen_engine *engine, sn_conv *conv) {
  if (sn_engine_reserve_outputs(engine, conv, 0, 0)) return SEEN_ENOMEM;
  sn_conv_flag(conv, SN_GONE, true);
  sn_membership_end(engine, conv);
  return SEEN_OK;
}
