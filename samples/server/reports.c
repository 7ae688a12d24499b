#include "reports.h"

#include "answers.h"
#include "audience.h"
#include "channels.h"
#include "connections.h"
#include "conversations.h"
#include "frames.h"
#include "mentions.h"
#include "messages.h"
#include "periods.h"
#include "persons.h"
#include "requests.h"

typedef struct report {
  const char *conv;
  uint64_t epoch;
  uint64_t seq;
  uint64_t cleared[OPEN_MENTIONS];
  size_t cleared_count;
  bool keep;
} report;

/* Who is offline hears of it by the row that comes with the next resume. */
static void moved(server *self, conversation *conv, const member *of,
                  const period *in, uint64_t receipt, uint64_t delivered) {
  audience_move(conv, of, in, receipt, delivered);
  channels_moved(self, conv, of, in, receipt, delivered);
  if (of->off || of->role == ROLE_BOT || !channels_tell_peers(self, conv))
    return;
  conv->version = core_next_version(self);
  conversations_save(self, conv);
  /* A `peer` is of the latest membership; the roster has them all (R3). */
  if (in != periods_latest(of)) messages_mark_all(conv, true);
}

bool reports_raise_receipt(server *self, conversation *conv, member *of,
                           uint64_t seq) {
  period *in = periods_holding(of, seq);
  if (!in || least(seq, in->leave_seq) <= in->receipt) return false;
  uint64_t receipt = in->receipt, delivered = in->delivered;
  in->receipt = least(seq, in->leave_seq);
  in->delivered = most(in->delivered, in->receipt);
  moved(self, conv, of, in, receipt, delivered);
  return true;
}

void reports_changed(server *self, conversation *conv, member *of,
                     const connection *by) {
  person *who = map_get(&self->persons, of->user);
  of->version = of->moved_at = core_next_version(self);
  of->moved_by = by->device_mark;
  conversations_save_member(self, conv, of);
  if (who) person_moved(who, conv->id, by);
}

const char *reports_code(seen_verdict verdict) {
  switch (verdict) {
  case SEEN_EPOCH_AHEAD: return "epoch_ahead";
  case SEEN_SEQ_OUT_OF_RANGE: return "seq_out_of_range";
  case SEEN_CONFLICT:
  case SEEN_TARGET_INVALID: return "conflict";
  default: return NULL;
  }
}

static bool read_cleared(const json *list, report *into) {
  if (!list) return true;
  if (!json_is_array(list) || json_count(list) > OPEN_MENTIONS) return false;
  for (const json *at = json_first(list); at; at = json_after(at))
    if (!json_is_number(at, &into->cleared[into->cleared_count++]))
      return false;
  return true;
}

static bool read_report(const json *item, report *into) {
  const json *keep = json_member(item, "keep");
  into->conv = json_is_name(json_member(item, "conv"));
  into->cleared_count = 0;
  into->keep = false;
  return into->conv &&
         json_is_number(json_member(item, "epoch"), &into->epoch) &&
         json_is_number(json_member(item, "seq"), &into->seq) &&
         read_cleared(json_member(item, "cleared"), into) &&
         (!keep || json_is_bool(keep, &into->keep));
}

static const char *result_of(const report *said, seen_position before,
                             seen_position now) {
  if (said->epoch < before.epoch)
    return now.seq == before.seq ? "stale" : "rebased";
  return now.seq == said->seq ? "ok" : "stale";
}

/* What a device that is back has read, or believes, beyond the server. */
static void count_back(server *self, const connection *from,
                       seen_verdict verdict) {
  if (!connection_is_back(from)) return;
  if (verdict == SEEN_ADVANCED) self->metrics.resume_reports_ahead++;
  if (verdict == SEEN_EPOCH_AHEAD || verdict == SEEN_SEQ_OUT_OF_RANGE)
    self->metrics.resume_reports_beyond++;
}

/* P2, P3, M3. The result; `*code` where it is "refused". */
static const char *apply(server *self, connection *from, conversation *conv,
                         member *of, report *said, const char **code) {
  uint64_t last = tally_last(conv, of);
  seen_position before = of->read;
  bool was_left = !periods_is_present(of), changed;
  if (was_left) said->seq = least(said->seq, last);
  seen_verdict verdict =
      seen_position_report(&of->read, said->epoch, said->seq, last);
  count_back(self, from, verdict);
  *code = reports_code(verdict);
  if (*code) return "refused";
  conversations_own(self, conv, of);
  bool advanced = verdict == SEEN_ADVANCED && !said->keep;
  changed =
      mentions_clear(conv, of, before.seq, advanced ? said->seq : before.seq,
                     said->cleared, said->cleared_count);
  changed = changed || verdict == SEEN_ADVANCED;
  bool raised = reports_raise_receipt(self, conv, of, said->seq);
  if (changed)
    reports_changed(self, conv, of, from);
  else if (raised)
    conversations_save_member(self, conv, of);
  return result_of(said, before, of->read);
}

static void count(metrics *into, const char *result, const char *code) {
  into->reports++;
  if (*code) into->reports_refused++;
  if (result[0] == 's') into->reports_stale++;
}

static void take_item(server *self, connection *from, const json *item,
                      answer *into) {
  report said;
  conversation *conv = NULL;
  member *of = NULL;
  const char *result = "refused", *code = "invalid";
  if (read_report(item, &said)) {
    of = find_membership(self, from, said.conv, &conv);
    code = "not_found";
    if (of) result = apply(self, from, conv, of, &said, &code);
    if (!code) code = "";
  }
  count(&self->metrics, result, code);
  text written = item_begin(said.conv ? said.conv : "", result, code);
  if (of) frames_word(self, &written, conv, of);
  text_add(&written, "}");
  answer_item(into, &written);
}

static const json *items_of(server *self, connection *from, const json *frame,
                            uint64_t id) {
  const json *items = json_member(frame, "items");
  if (json_is_array(items) && json_count(items) > 0 &&
      json_count(items) <= self->limits.items)
    return items;
  refuse_invalid(from, id, "items: 1 to 100 of them");
  return NULL;
}

void take_read(server *self, connection *from, const json *frame, uint64_t id) {
  const json *items = items_of(self, from, frame, id);
  answer ack;
  if (!items) return;
  answer_begin_ack(&ack, from, id, "read");
  for (const json *at = json_first(items); at; at = json_after(at))
    take_item(self, from, at, &ack);
  answer_end(&ack);
}

/* The code of a refusal; "" for taken. */
static const char *deliver(server *self, conversation *conv, member *of,
                           uint64_t seq) {
  period *in = periods_holding(of, seq);
  if (!periods_is_present(of)) seq = least(seq, tally_last(conv, of));
  if (seq > tally_last(conv, of)) return "seq_out_of_range";
  if (!in || least(seq, in->leave_seq) <= in->delivered) return "";
  uint64_t delivered = in->delivered;
  in->delivered = least(seq, in->leave_seq);
  moved(self, conv, of, in, in->receipt, delivered);
  of->version = core_next_version(self);
  conversations_save_member(self, conv, of);
  return "";
}

static void take_delivered_item(server *self, connection *from,
                                const json *item, answer *into) {
  const char *name = json_is_name(json_member(item, "conv"));
  const char *code = "invalid";
  conversation *conv;
  member *of = NULL;
  uint64_t seq;
  if (name && json_is_number(json_member(item, "seq"), &seq)) {
    of = find_membership(self, from, name, &conv);
    code = of ? deliver(self, conv, of, seq) : "not_found";
  }
  text written = item_begin(name ? name : "", *code ? "refused" : "ok", code);
  if (of)
    text_member_number(&written, "delivered_seq",
                       periods_latest(of)->delivered);
  text_add(&written, "}");
  answer_item(into, &written);
}

void take_delivered(server *self, connection *from, const json *frame,
                    uint64_t id) {
  const json *items = items_of(self, from, frame, id);
  answer ack;
  if (!items) return;
  answer_begin_ack(&ack, from, id, "delivered");
  for (const json *at = json_first(items); at; at = json_after(at))
    take_delivered_item(self, from, at, &ack);
  answer_end(&ack);
}
