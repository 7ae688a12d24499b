/* What an input may be: numbers below 2^53, ids, runs, targets. */
#include "engine/check.h"

#include <string.h>

#include "base/fail.h"
#include "engine/registry.h"

static int check_number(uint64_t number, const char *what, seen_error *error) {
  if (number <= SEEN_SEQ_MAX) return SEEN_OK;
  return sn_fail(error, SEEN_ERANGE, "%s is above 2^53 - 1", what);
}

static int check_seq(uint64_t seq, const char *what, seen_error *error) {
  if (seq == 0) return sn_fail(error, SEEN_EINVAL, "%s is 0", what);
  return check_number(seq, what, error);
}

int sn_check_id(const char *id, const char *what, seen_error *error) {
  if (!id || !*id) return sn_fail(error, SEEN_EINVAL, "%s is empty", what);
  if (!memchr(id, 0, SN_ID_MAX + 1))
    return sn_fail(error, SEEN_EINVAL, "%s is longer than 255 bytes", what);
  return SEEN_OK;
}

static int check_runs(const seen_run *runs, size_t count, seen_error *error) {
  for (size_t i = 0; i < count; i++) {
    if (runs[i].lo > runs[i].hi)
      return sn_fail(error, SEEN_EINVAL, "a run of uncountable ends first");
    int status = check_seq(runs[i].lo, "an uncountable seq", error);
    if (!status) status = check_number(runs[i].hi, "an uncountable seq", error);
    if (status) return status;
  }
  return SEEN_OK;
}

static int check_mentions(const seen_mention *mentions, size_t count,
                          seen_error *error) {
  for (size_t i = 0; i < count; i++) {
    int status = check_seq(mentions[i].seq, "a mention's seq", error);
    if (status) return status;
    if (mentions[i].why < SEEN_MENTION_ME ||
        mentions[i].why > SEEN_MENTION_QUOTE)
      return sn_fail(error, SEEN_EINVAL, "a mention has no reason");
  }
  return SEEN_OK;
}

static int check_word(const seen_word *word, seen_error *error) {
  const struct {
    uint64_t number;
    const char *what;
  } numbers[] = {
      {word->read.epoch, "read.epoch"},
      {word->read.seq, "read.seq"},
      {word->read.high, "read.high"},
      {word->last_seq, "last_seq"},
      {word->version, "version"},
      {word->fields & SEEN_WORD_FROM ? word->from : 0, "from"},
      {word->fields & SEEN_WORD_COUNTED ? word->counted : 0, "counted"},
      {word->fields & SEEN_WORD_FLOOR ? word->floor : 0, "floor"}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    int status = check_number(numbers[i].number, numbers[i].what, error);
    if (status) return status;
  }
  if (word->fields & SEEN_WORD_UNCOUNTABLE_UNKNOWN && word->uncountable_count)
    return sn_fail(error, SEEN_EINVAL, "uncountable is unknown and listed");
  int status = check_runs(word->uncountable, word->uncountable_count, error);
  if (status) return status;
  return check_mentions(word->mentions, word->mention_count, error);
}

static int check_member(const seen_member *member, seen_error *error) {
  int status = sn_check_id(member->user, "a member's id", error);
  if (!status) status = check_number(member->join_seq, "join", error);
  if (!status) status = check_number(member->leave_seq, "leave", error);
  if (!status) status = check_number(member->read_seq, "read_seq", error);
  if (!status)
    status = check_number(member->delivered_seq, "delivered_seq", error);
  return status;
}

static int check_snapshot(const seen_snapshot *snapshot, seen_error *error) {
  int status = check_word(&snapshot->word, error);
  if (status) return status;
  if ((unsigned)snapshot->kind > SEEN_KIND_LARGE)
    return sn_fail(error, SEEN_EINVAL, "no such kind of conversation");
  status = check_number(snapshot->updated_at, "updated_at", error);
  if (!status && snapshot->fields & SEEN_SNAPSHOT_JOIN_SEQ)
    status = check_seq(snapshot->join_seq, "join_seq", error);
  if (!status)
    status = check_number(snapshot->delivered_seq, "delivered_seq", error);
  for (size_t i = 0; !status && i < snapshot->roster_count; i++)
    status = check_member(&snapshot->roster[i], error);
  return status;
}

static int check_message(const seen_message *message, seen_error *error) {
  int status = check_seq(message->seq, "seq", error);
  if (!status) status = sn_check_id(message->from, "from", error);
  if (!status) status = check_number(message->sent_at, "sent_at", error);
  if (status) return status;
  if ((unsigned)message->kind > SEEN_MESSAGE_REACTION ||
      (unsigned)message->countable > SEEN_COUNTABLE_YES ||
      (unsigned)message->mention > SEEN_MENTION_QUOTE)
    return sn_fail(error, SEEN_EINVAL, "no such kind, flag or mention");
  if (message->target >= message->seq)
    return sn_fail(error, SEEN_EINVAL, "target %u is not below seq %u",
                   message->target, message->seq);
  return SEEN_OK;
}

static int check_answer(const seen_answer *answer, bool refused,
                        seen_error *error) {
  seen_refusal why = answer->refusal;
  if ((unsigned)answer->of > SEEN_REQUEST_READ_ALL ||
      (refused && answer->of == SEEN_REQUEST_READ_ALL))
    return sn_fail(error, SEEN_EINVAL, "no answer to such a request");
  if (refused && (why < SEEN_REFUSAL_CONFLICT || why > SEEN_REFUSAL_NOT_FOUND))
    return sn_fail(error, SEEN_EINVAL, "no such refusal");
  if (!answer->has_word && (!refused || (why != SEEN_REFUSAL_NOT_MEMBER &&
                                         why != SEEN_REFUSAL_NOT_FOUND &&
                                         why != SEEN_REFUSAL_RATE_LIMITED)))
    return sn_fail(error, SEEN_EINVAL, "the answer lacks the server's word");
  int status = check_number(answer->retry_ms, "retry_ms", error);
  if (status || !answer->has_word) return status;
  return check_word(&answer->word, error);
}

static int check_found(const seen_found *found, seen_error *error) {
  if ((unsigned)found->mention > SEEN_MENTION_QUOTE ||
      found->uncountable == (found->mention != SEEN_MENTION_NONE))
    return sn_fail(error, SEEN_EINVAL, "found: a mention or uncountable");
  return check_seq(found->seq, "seq", error);
}

static int check_memberships(const seen_membership *list, size_t count,
                             seen_error *error) {
  int status = SEEN_OK;
  for (size_t i = 0; !status && i < count; i++) {
    status = sn_check_id(list[i].user, "a member's id", error);
    if (!status) status = check_number(list[i].seq, "a member's seq", error);
  }
  return status;
}

static int check_members(const seen_members *members, seen_error *error) {
  int status = check_memberships(members->joined, members->joined_count, error);
  if (status) return status;
  return check_memberships(members->left, members->left_count, error);
}

static int check_peer(const seen_peer *peer, seen_error *error) {
  int status = sn_check_id(peer->user, "a peer's id", error);
  if (!status) status = check_number(peer->read_seq, "read_seq", error);
  if (!status)
    status = check_number(peer->delivered_seq, "delivered_seq", error);
  return status;
}

static int check_rows(const seen_receipt_rows *rows, seen_error *error) {
  int status = SEEN_OK;
  for (size_t i = 0; !status && i < rows->count; i++) {
    status = check_seq(rows->rows[i].seq, "a receipt's seq", error);
    if (!status) status = check_number(rows->rows[i].read, "read", error);
    if (!status)
      status = check_number(rows->rows[i].audience, "audience", error);
    if (!status)
      status = check_number(rows->rows[i].delivered, "delivered", error);
  }
  return status;
}

static int check_range(seen_run range, seen_error *error) {
  if (range.lo > range.hi)
    return sn_fail(error, SEEN_EINVAL, "the visible range ends first");
  return check_number(range.hi, "the visible range", error);
}

int sn_check_input(const seen_input *input, seen_error *error) {
  if (input->size != sizeof *input)
    return sn_fail(error, SEEN_EINVAL, "input.size is not this library's");
  switch (input->type) {
  case SEEN_INPUT_CONVERSATION:
    return check_snapshot(&input->u.snapshot, error);
  case SEEN_INPUT_MESSAGE: return check_message(&input->u.message, error);
  case SEEN_INPUT_POSITION: return check_word(&input->u.word, error);
  case SEEN_INPUT_ACK: return check_answer(&input->u.answer, false, error);
  case SEEN_INPUT_REFUSE: return check_answer(&input->u.answer, true, error);
  case SEEN_INPUT_FOUND: return check_found(&input->u.found, error);
  case SEEN_INPUT_MEMBERS: return check_members(&input->u.members, error);
  case SEEN_INPUT_PEER: return check_peer(&input->u.peer, error);
  case SEEN_INPUT_RECEIPTS: return check_rows(&input->u.receipts, error);
  case SEEN_INPUT_VISIBLE: return check_range(input->u.range, error);
  case SEEN_INPUT_MARK_READ:
  case SEEN_INPUT_MARK_UNREAD:
    return check_number(input->u.seq.seq, "seq", error);
  default: break;
  }
  if ((unsigned)input->type > SEEN_INPUT_AUDIT)
    return sn_fail(error, SEEN_EINVAL, "no such input");
  return SEEN_OK;
}

static int check_rising(const seen_run *runs, size_t count, const char *what,
                        seen_error *error) {
  uint64_t last = 0;
  for (size_t i = 0; i < count; i++) {
    if (runs[i].lo <= last || runs[i].hi < runs[i].lo)
      return sn_fail(error, SEEN_EINVAL, "record: %s are not in order", what);
    last = runs[i].hi;
  }
  return check_number(last, what, error);
}

static int check_live(const seen_record *record, seen_error *error) {
  size_t count = record->live_count;
  int status = check_rising(record->live, count, "live seqs", error);
  if (status || !count) return status;
  if (record->live[0].lo <= record->tally_last ||
      record->live[count - 1].hi > record->last_seq)
    return sn_fail(error, SEEN_EINVAL,
                   "record: live seqs are not above the tally up to last_seq");
  return SEEN_OK;
}

/* U7: what was found yields to what was said; both would count twice. */
static int check_found_runs(const seen_record *record, seen_error *error) {
  const seen_run *said = record->uncountable;
  size_t at = 0;
  int status =
      check_rising(record->found, record->found_count, "found seqs", error);
  for (size_t i = 0; !status && i < record->found_count; i++) {
    while (at < record->uncountable_count && said[at].hi < record->found[i].lo)
      at++;
    if (at < record->uncountable_count && said[at].lo <= record->found[i].hi)
      status = sn_fail(error, SEEN_EINVAL,
                       "record: found seqs are said to be uncountable");
  }
  return status;
}

static int check_record_lists(const seen_record *record, seen_error *error) {
  seen_receipt_rows rows = {record->receipts, record->receipt_count};
  int status = check_rising(record->uncountable, record->uncountable_count,
                            "uncountable seqs", error);
  if (!status) status = check_live(record, error);
  if (!status) status = check_found_runs(record, error);
  if (!status)
    status = check_rising(record->cleared, record->cleared_count,
                          "cleared mentions", error);
  if (!status)
    status = check_mentions(record->mentions, record->mention_count, error);
  if (!status)
    status = check_mentions(record->found_mentions, record->found_mention_count,
                            error);
  if (!status) status = check_rows(&rows, error);
  return status;
}

static int check_record_people(const seen_record *record, seen_error *error) {
  int status = SEEN_OK;
  for (size_t i = 0; !status && i < record->member_count; i++)
    status = check_member(&record->members[i], error);
  for (size_t i = 0; !status && i < record->peer_count; i++)
    status = check_peer(&record->peers[i], error);
  for (size_t i = 0; !status && i < record->sender_count; i++) {
    const seen_sender *sender = &record->senders[i];
    status = sn_check_id(sender->user, "a sender's id", error);
    if (!status) status = check_rising(&sender->run, 1, "senders", error);
  }
  for (size_t i = 0; !status && i < record->note_count; i++) {
    const seen_note *note = &record->notes[i];
    status = check_seq(note->target, "a note's target", error);
    if (!status) status = check_seq(note->seq, "a note's seq", error);
    if (!status && (unsigned)note->mention > SEEN_MENTION_QUOTE)
      status = sn_fail(error, SEEN_EINVAL, "record: no such mention");
  }
  return status;
}

/* The block of a tally ends in the tally, and no more of it was counted than it
 * has. */
static int check_record_tally(const seen_record *record, seen_error *error) {
  uint64_t from = record->tally_from, base = record->tally_base;
  uint64_t most = from > base ? from - base : 0;
  if (record->tally_last > record->last_seq)
    return sn_fail(error, SEEN_EINVAL, "record: last_seq is below the tally");
  if (most && from > record->tally_last)
    return sn_fail(error, SEEN_EINVAL, "record: the block passes the tally");
  if (record->flags & SEEN_RECORD_COUNTED && record->tally_counted > most)
    return sn_fail(error, SEEN_EINVAL, "record: counted is above the block");
  return SEEN_OK;
}

static int check_record_numbers(const seen_record *record, seen_error *error) {
  const uint64_t numbers[] = {record->read.epoch,
                              record->read.seq,
                              record->read.high,
                              record->last_seq,
                              record->floor,
                              record->join_seq,
                              record->updated_at,
                              record->tally_version,
                              record->tally_last,
                              record->tally_from,
                              record->tally_base,
                              record->tally_counted,
                              record->delivered_here,
                              record->delivered_server,
                              record->wish_epoch,
                              record->wish_read,
                              record->wish_shown,
                              record->acked_epoch,
                              record->acked_seq,
                              record->own,
                              record->mark.expected_epoch,
                              record->mark.expected_seq,
                              record->mark.target};
  int status = SEEN_OK;
  for (size_t i = 0; !status && i < sizeof numbers / sizeof *numbers; i++)
    status = check_number(numbers[i], "record: a number", error);
  if (status) return status;
  if (record->wish_shown > record->wish_read)
    return sn_fail(error, SEEN_EINVAL,
                   "record: a wish shows more than it read");
  return check_record_tally(record, error);
}

int sn_check_record(const seen_record *record, seen_error *error) {
  if (record->size != sizeof *record)
    return sn_fail(error, SEEN_EINVAL, "record.size is not this library's");
  int status = sn_check_id(record->id, "record: the id", error);
  if (status) return status;
  if ((unsigned)record->kind > SEEN_KIND_LARGE)
    return sn_fail(error, SEEN_EINVAL, "no such kind of conversation");
  status = check_record_numbers(record, error);
  if (!status) status = check_record_lists(record, error);
  if (!status) status = check_record_people(record, error);
  return status;
}

static int check_time(uint64_t time, seen_error *error) {
  return time == SEEN_NEVER ? SEEN_OK : check_number(time, "a time", error);
}

static int check_times(const seen_working *working, seen_error *error) {
  const uint64_t times[] = {working->first_advance,   working->last_advance,
                            working->retry_at,        working->backoff,
                            working->delivered_first, working->delivered_last};
  int status = SEEN_OK;
  for (size_t i = 0; !status && i < sizeof times / sizeof *times; i++)
    status = check_time(times[i], error);
  if (status) return status;
  if ((working->first_advance == SEEN_NEVER) !=
          (working->last_advance == SEEN_NEVER) ||
      (working->delivered_first == SEEN_NEVER) !=
          (working->delivered_last == SEEN_NEVER))
    return sn_fail(error, SEEN_EINVAL, "a first time without a last one");
  return SEEN_OK;
}

static int check_stays(const seen_working *working, seen_error *error) {
  uint64_t next = working->on_screen.lo;
  for (size_t i = 0; i < working->stay_count; i++) {
    seen_run rows = working->stays[i].rows;
    if (!rows.lo || rows.lo != next || rows.hi < rows.lo ||
        rows.hi > working->on_screen.hi)
      return sn_fail(error, SEEN_EINVAL, "stays do not cover the screen");
    int status = check_number(working->stays[i].since, "a time", error);
    if (status) return status;
    next = rows.hi + 1;
  }
  if (working->stay_count && next != working->on_screen.hi + 1)
    return sn_fail(error, SEEN_EINVAL, "stays do not cover the screen");
  return SEEN_OK;
}

static int check_gaps(const seen_working *working, seen_error *error) {
  for (size_t i = 0; i < working->gap_count; i++) {
    const seen_gap *gap = &working->gaps[i];
    int status = check_seq(gap->run.lo, "a gap", error);
    if (!status) status = check_number(gap->run.hi, "a gap", error);
    if (!status) status = check_number(gap->since, "a time", error);
    if (status) return status;
    if (gap->run.hi < gap->run.lo)
      return sn_fail(error, SEEN_EINVAL, "a gap ends before it begins");
    if (i && gap->since < working->gaps[i - 1].since)
      return sn_fail(error, SEEN_EINVAL, "gaps are not in order of time");
  }
  return SEEN_OK;
}

int sn_check_working(const seen_working *working, seen_error *error) {
  if (working->size != sizeof *working)
    return sn_fail(error, SEEN_EINVAL, "working.size is not this library's");
  int status = check_times(working, error);
  if (!status) status = check_range(working->on_screen, error);
  if (!status) status = check_range(working->subscribed, error);
  if (!status) status = check_stays(working, error);
  if (!status) status = check_gaps(working, error);
  if (!status)
    status = check_rising(working->sent_cleared, working->sent_cleared_count,
                          "cleared mentions", error);
  if (!status) status = check_number(working->sent_epoch, "sent epoch", error);
  if (!status) status = check_number(working->sent_seq, "sent seq", error);
  if (!status)
    status = check_number(working->delivered_sent, "delivered", error);
  return status;
}
