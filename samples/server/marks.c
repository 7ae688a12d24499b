/* Mark as unread (P4), and mark all as read. */
#include "answers.h"
#include "connections.h"
#include "conversations.h"
#include "frames.h"
#include "memory.h"
#include "ops.h"
#include "periods.h"
#include "reports.h"
#include "requests.h"
#include "rows.h"

#include <stdlib.h>

typedef struct mark {
  const char *op;
  const char *conv;
  uint64_t epoch;
  uint64_t seq;
  uint64_t target;
} mark;

static bool read_mark(const json *frame, mark *into) {
  const json *expected = json_member(frame, "expected");
  into->op = json_is_name(json_member(frame, "op"));
  into->conv = json_is_name(json_member(frame, "conv"));
  return into->op && into->conv && json_is_object(expected) &&
         json_is_number(json_member(expected, "epoch"), &into->epoch) &&
         json_is_number(json_member(expected, "seq"), &into->seq) &&
         json_is_number(json_member(frame, "target"), &into->target) &&
         into->target < into->seq;
}

static void answer_mark(server *self, connection *from, uint64_t id,
                        const char *code, conversation *conv, member *of) {
  text item = item_begin(conv->id, *code ? "refused" : "ok", code);
  frames_word(self, &item, conv, of);
  text_add(&item, "}");
  answer_one(from, id, "mark_unread", &item);
}

static void answer_mark_absent(connection *from, uint64_t id, const char *conv,
                               const char *code) {
  text item = item_begin(conv, "refused", code);
  text_add(&item, "}");
  answer_one(from, id, "mark_unread", &item);
}

/* P4; a target that retention or a rejoin has passed is raised. */
static const char *apply(server *self, connection *from, conversation *conv,
                         member *of, const mark *said) {
  uint64_t target = most(said->target, tally_low(conv, of));
  seen_position before = of->read;
  seen_verdict verdict;
  if (target < said->seq) {
    verdict = seen_position_mark_unread(&of->read, said->epoch, said->seq,
                                        target, conv->last_seq);
  } else {
    verdict =
        seen_position_report(&of->read, said->epoch, said->seq, conv->last_seq);
    if (!reports_code(verdict)) verdict = SEEN_CONFLICT;
  }
  if (verdict == SEEN_EPOCH_AHEAD || verdict == SEEN_SEQ_OUT_OF_RANGE)
    return reports_code(verdict);
  bool raised = reports_raise_receipt(self, conv, of, said->seq);
  if (verdict == SEEN_ADVANCED) of->marked_at = self->version + 1;
  if (seen_position_compare(before, of->read) != 0)
    reports_changed(self, conv, of, from);
  else if (raised)
    conversations_save_member(self, conv, of);
  return verdict == SEEN_ADVANCED ? "" : "conflict";
}

void take_mark_unread(server *self, connection *from, const json *frame,
                      uint64_t id) {
  mark said;
  op_done done;
  conversation *conv;
  if (!read_mark(frame, &said)) {
    refuse_invalid(from, id, "op, conv, expected {epoch, seq}, target below");
    return;
  }
  op_state state =
      ops_find(self, from, id, said.op, "mark_unread", said.conv, &done);
  if (state == OP_REUSED) return;
  member *of = find_membership(self, from, said.conv, &conv);
  if (!of) {
    answer_mark_absent(from, id, said.conv, "not_found");
  } else if (state == OP_DONE) {
    answer_mark(self, from, id, done.code, conv, of);
  } else if (!periods_is_present(of)) {
    answer_mark_absent(from, id, said.conv, "not_member");
  } else {
    const char *code = apply(self, from, conv, of, &said);
    self->metrics.marks++;
    ops_keep(self, from, said.op, "mark_unread", said.conv, code, 0);
    answer_mark(self, from, id, code, conv, of);
  }
}

/* Where the conversation stood at a version. */
static uint64_t stood_at(server *self, const conversation *conv,
                         uint64_t version) {
  uint64_t seq = 0;
  if (conv->version <= version) return conv->last_seq;
  core_check(self,
             self->storage.seq_at(self->storage.self, conv->id, version, &seq));
  return seq;
}

/* A mark made since `as_of` stands: this is a report of the epoch before. What
 * retention took of what stood there, nobody can read any more. */
static bool read_up(server *self, connection *from, conversation *conv,
                    member *of, uint64_t as_of) {
  uint64_t seq = most(stood_at(self, conv, as_of), conv->floor);
  uint64_t epoch = of->read.epoch;
  if (of->marked_at > as_of && epoch-- == 0) return false;
  if (seen_position_report(&of->read, epoch, seq, conv->last_seq) !=
      SEEN_ADVANCED)
    return false;
  reports_raise_receipt(self, conv, of, seq);
  reports_changed(self, conv, of, from);
  return true;
}

void take_read_all(server *self, connection *from, const json *frame,
                   uint64_t id) {
  uint64_t as_of;
  conversation *conv;
  answer ack;
  rows list;
  if (!json_is_number(json_member(frame, "as_of"), &as_of)) {
    refuse_invalid(from, id, "as_of: a version");
    return;
  }
  answer_begin_ack(&ack, from, id, "read_all");
  rows_of(self, from->person->user, 0, SIZE_MAX, &list);
  for (size_t i = 0; i < list.count; i++) {
    const row_name *row = &list.rows[i];
    if (row->leave_seq != SEEN_SEQ_MAX || row->last_seq <= row->read_seq)
      continue;
    member *of = find_membership(self, from, row->conv, &conv);
    if (!of) continue;
    bool moved = read_up(self, from, conv, of, as_of);
    text item = item_begin(conv->id, moved ? "ok" : "stale", "");
    frames_word(self, &item, conv, of);
    text_add(&item, "}");
    answer_item(&ack, &item);
  }
  rows_free(&list);
  answer_end(&ack);
}
