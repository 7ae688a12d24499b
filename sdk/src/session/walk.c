/* As "Trace verbs" of docs/protocol.md maps the two. */
#include "session/walk.h"

#include "model/names.h"
#include "session/paging.h"
#include "session/request.h"

static void begin(sn_session *session, sn_walk walk) {
  session->walk = walk;
}

void sn_walk_frame(sn_session *session, const sn_frame *frame) {
  begin(session, (sn_walk){.frame = frame});
}

void sn_walk_page(sn_session *session, const sn_frame *frame) {
  begin(session, (sn_walk){.frame = frame, .page = true});
}

void sn_walk_answer(sn_session *session, const sn_frame *frame,
                    sn_request *request) {
  begin(session, (sn_walk){.frame = frame, .request = request});
}

void sn_walk_audience(sn_session *session, const sn_audience *audience,
                      sn_request *request) {
  begin(session, (sn_walk){.audience = audience, .request = request});
}

bool sn_walk_underway(const sn_session *session) {
  return session->walk.frame || session->walk.audience || session->walk.push;
}

static void saw(sn_session *session, uint64_t version) {
  if (version > session->seen) session->seen = version;
}

static seen_input *input_of(sn_out *out, seen_input_type type,
                            const char *conv) {
  seen_input *input = &out->u.input;
  out->type = SN_OUT_INPUT;
  *input =
      (seen_input){.size = (uint32_t)sizeof *input, .type = type, .id = conv};
  return input;
}

static void say_row(sn_session *session, const sn_row *row, sn_out *out) {
  saw(session, row->snapshot.word.version);
  if (row->snapshot.fields & SEEN_SNAPSHOT_LEAVE_SEQ)
    input_of(out, SEEN_INPUT_LEFT, row->id)->u.seq =
        (seen_optional_seq){true, row->snapshot.leave_seq};
  else
    input_of(out, SEEN_INPUT_CONVERSATION, row->id)->u.snapshot = row->snapshot;
}

/*
 * What a notification brings may be late: of what all is known up to the
 * version held, and of rows that wait for another history's, nothing is taken.
 */
static bool is_late(const sn_session *session, uint64_t version) {
  return session->walk.push && (session->reset || version <= session->version);
}

/* Beside a link, which brings rows itself, no more than a word: who was removed
 * since would not hear of it again. */
static bool say_pushed_row(sn_session *session, const sn_row *row,
                           sn_out *out) {
  const seen_snapshot *snapshot = &row->snapshot;
  if (is_late(session, snapshot->word.version)) return false;
  if (session->link.stage != SN_STAGE_UP) {
    say_row(session, row, out);
    return true;
  }
  if (snapshot->fields & SEEN_SNAPSHOT_LEAVE_SEQ) return false;
  saw(session, snapshot->word.version);
  input_of(out, SEEN_INPUT_POSITION, row->id)->u.word = snapshot->word;
  return true;
}

static bool walk_pushed_rows(sn_session *session, const sn_changes *changes,
                             size_t step, sn_out *out) {
  for (; step < changes->count; step++, session->walk.step++)
    if (say_pushed_row(session, &changes->rows[step], out)) return true;
  return false;
}

static void say_missing(const char *conv, sn_out *out) {
  input_of(out, SEEN_INPUT_REFUSE, conv)->u.answer = (seen_answer){
      .of = SEEN_REQUEST_REPORT, .refusal = SEEN_REFUSAL_NOT_FOUND};
}

/* Behind the items of a page. */
static bool end_page(sn_session *session, const sn_changes *page, size_t step,
                     sn_out *out) {
  if (!session->walk.page) return false;
  if (step == 0) {
    sn_paging_done(session, page);
    if (!session->reset || page->more) {
      if (session->reset) return false;
      sn_paging_note(session, out);
      session->walk.step++; /* there is no end of a snapshot to say */
      return true;
    }
    session->reset = false;
    input_of(out, SEEN_INPUT_SNAPSHOT_END, NULL);
    return true;
  }
  if (step == 1) {
    sn_paging_note(session, out);
    return true;
  }
  return false;
}

static bool walk_changes(sn_session *session, const sn_frame *frame,
                         size_t step, sn_out *out) {
  const sn_changes *changes = &frame->u.changes;
  if (session->walk.push) return walk_pushed_rows(session, changes, step, out);
  if (step < changes->count) {
    say_row(session, &changes->rows[step], out);
    return true;
  }
  step -= changes->count;
  if (step < changes->missing_count) {
    say_missing(changes->missing[step], out);
    return true;
  }
  return end_page(session, changes, step - changes->missing_count, out);
}

static bool walk_message(sn_session *session, const sn_frame *frame,
                         size_t step, sn_out *out) {
  const sn_live *live = &frame->u.message;
  if (step > 1) return false;
  if (step == 1) {
    out->type = SN_OUT_MESSAGE;
    out->u.message.conv = frame->conv;
    out->u.message.text = live->text;
    return true;
  }
  saw(session, live->version);
  input_of(out, SEEN_INPUT_MESSAGE, frame->conv)->u.message = live->message;
  return true;
}

static seen_request request_of(sn_say say) {
  if (say == SN_SAY_MARK_UNREAD) return SEEN_REQUEST_MARK_UNREAD;
  return say == SN_SAY_READ_ALL ? SEEN_REQUEST_READ_ALL : SEEN_REQUEST_REPORT;
}

/* The item of what the host sent and the server took; NULL: it is no such. */
static const sn_item *sent_item(const sn_session *session, const sn_ack *ack) {
  const sn_item *item = ack->count ? &ack->items[0] : NULL;
  return ack->of == SN_SAY_SEND && session->walk.request && item &&
                 item->result != SN_RESULT_REFUSED && item->seq
             ? item
             : NULL;
}

/* It is a live message of one's own (F5, B3); its word comes behind it. */
static void say_sent(const sn_session *session, const sn_item *item,
                     sn_out *out) {
  seen_message *message =
      &input_of(out, SEEN_INPUT_MESSAGE, item->conv)->u.message;
  *message = session->walk.request->sent;
  message->seq = item->seq;
  message->from = session->user;
  message->sent_at = item->sent_at;
}

/* What an item of an ack is to the engine; false: nothing. */
static bool say_item(sn_session *session, sn_say of, const sn_item *item,
                     sn_out *out) {
  seen_answer answer = {.of = request_of(of),
                        .has_word = item->has_word,
                        .word = item->word,
                        .retry_ms = item->retry_ms};
  if (item->has_word) saw(session, item->word.version);
  if (of == SN_SAY_SEND && item->has_word) {
    input_of(out, SEEN_INPUT_POSITION, item->conv)->u.word = item->word;
    return true;
  }
  if (of != SN_SAY_READ && of != SN_SAY_MARK_UNREAD && of != SN_SAY_READ_ALL)
    return false;
  if (of == SN_SAY_READ_ALL && item->word.read.seq < item->word.last_seq) {
    /* The person may have meant more than `as_of` named (behind a mark that is
     * still in flight, before the rows after a welcome): the engine is to say
     * what is left by a report. */
    answer.of = SEEN_REQUEST_REPORT;
    answer.refusal = SEEN_REFUSAL_RATE_LIMITED;
    answer.retry_ms = 1;
    input_of(out, SEEN_INPUT_REFUSE, item->conv)->u.answer = answer;
    return true;
  }
  if (item->result != SN_RESULT_REFUSED) {
    input_of(out, SEEN_INPUT_ACK, item->conv)->u.answer = answer;
    return true;
  }
  if (of == SN_SAY_READ_ALL || !sn_refusal_parse(item->code, &answer.refusal)) {
    sn_log_write(&session->log, SEEN_LOG_ERROR, "%s of %s was refused: %s",
                 sn_say_name(of), item->conv, item->code);
    return false;
  }
  input_of(out, SEEN_INPUT_REFUSE, item->conv)->u.answer = answer;
  return true;
}

/* The reply to the host's request; it is freed with the next output. */
static seen_reply *reply_of(sn_session *session, int code, sn_out *out) {
  out->type = SN_OUT_REPLY;
  out->u.reply = sn_request_reply(session->walk.request, code);
  session->gone = session->walk.request;
  session->walk.request = NULL;
  return &out->u.reply;
}

static void reply_to_ack(sn_session *session, const sn_ack *ack, sn_out *out) {
  seen_reply *reply = reply_of(session, SEEN_OK, out);
  const sn_item *item = ack->count ? &ack->items[0] : NULL;
  reply->receipts = ack->receipts;
  reply->version = ack->version;
  if (!item) return;
  reply->seq = item->seq;
  reply->sent_at = item->sent_at;
  if (item->result != SN_RESULT_REFUSED) return;
  reply->code = SEEN_EREFUSED;
  reply->reason = item->code;
}

static bool walk_ack(sn_session *session, const sn_frame *frame, size_t step,
                     sn_out *out) {
  const sn_ack *ack = &frame->u.ack;
  const sn_item *sent = sent_item(session, ack);
  if (sent && step == 0) {
    say_sent(session, sent, out);
    return true;
  }
  if (sent) step--;
  for (; step < ack->count; step++, session->walk.step++)
    if (say_item(session, ack->of, &ack->items[step], out)) return true;
  if (!session->walk.request) return false;
  reply_to_ack(session, ack, out);
  return true;
}

static bool walk_peer(const sn_frame *frame, size_t step, sn_out *out) {
  const sn_peers *peer = &frame->u.peer;
  if (step >= peer->count) return false;
  input_of(out, SEEN_INPUT_PEER, frame->conv)->u.peer = peer->items[step];
  return true;
}

static bool walk_page(sn_session *session, const sn_frame *frame, sn_out *out) {
  const sn_page *page = &frame->u.page;
  if (!session->walk.request) return false;
  seen_reply *reply = reply_of(session, SEEN_OK, out);
  reply->messages = page->messages;
  reply->message_count = page->count;
  reply->more = page->more;
  return true;
}

static bool walk_error(sn_session *session, const sn_frame *frame,
                       sn_out *out) {
  if (!session->walk.request) return false;
  seen_reply *reply = reply_of(session, SEEN_EREFUSED, out);
  reply->reason = frame->u.error.code;
  reply->message = frame->u.error.message;
  return true;
}

/* What is one input. */
static bool walk_one(sn_session *session, const sn_frame *frame, size_t step,
                     sn_out *out) {
  if (step) return false;
  switch (frame->type) {
  case SN_FRAME_POSITION:
    if (is_late(session, frame->u.position.version)) return false;
    saw(session, frame->u.position.version);
    input_of(out, SEEN_INPUT_POSITION, frame->conv)->u.word = frame->u.position;
    return true;
  case SN_FRAME_RECEIPTS:
    input_of(out, SEEN_INPUT_RECEIPTS, frame->conv)->u.receipts =
        frame->u.receipts;
    return true;
  case SN_FRAME_MEMBERS:
    input_of(out, SEEN_INPUT_MEMBERS, frame->conv)->u.members =
        frame->u.members;
    return true;
  case SN_FRAME_SET:
    input_of(out, SEEN_INPUT_SET, frame->conv)->u.settings = frame->u.set;
    return true;
  case SN_FRAME_LEFT:
    input_of(out, SEEN_INPUT_LEFT, frame->conv)->u.seq =
        (seen_optional_seq){true, frame->u.left};
    return true;
  case SN_FRAME_REPORT_NOW:
    input_of(out, SEEN_INPUT_REPORT_NOW, NULL);
    return true;
  default: return false;
  }
}

static bool walk_frame(sn_session *session, const sn_frame *frame, size_t step,
                       sn_out *out) {
  switch (frame->type) {
  case SN_FRAME_CHANGES: return walk_changes(session, frame, step, out);
  case SN_FRAME_MESSAGE: return walk_message(session, frame, step, out);
  case SN_FRAME_ACK: return walk_ack(session, frame, step, out);
  case SN_FRAME_PEER: return walk_peer(frame, step, out);
  case SN_FRAME_PAGE: return walk_page(session, frame, out);
  case SN_FRAME_ERROR: return walk_error(session, frame, out);
  default: return walk_one(session, frame, step, out);
  }
}

static bool walk_audience(sn_session *session, const sn_audience *audience,
                          sn_out *out) {
  if (!session->walk.request) return false;
  seen_reply *reply = reply_of(session, SEEN_OK, out);
  reply->users = audience->users;
  reply->user_count = audience->count;
  reply->cursor = audience->cursor;
  reply->read = audience->read;
  reply->delivered = audience->delivered;
  reply->audience = audience->audience;
  reply->hidden = audience->hidden;
  return true;
}

/* The next frame of a push that is taken; false: there is none. */
static bool next_of_push(sn_session *session) {
  const sn_frame *frame;
  while (session->walk.push) {
    if (sn_frames_next(&session->reader, &frame, NULL) || !frame) {
      session->walk.push = false;
    } else if (frame->type == SN_FRAME_MESSAGE ||
               frame->type == SN_FRAME_POSITION ||
               frame->type == SN_FRAME_CHANGES) {
      begin(session, (sn_walk){.frame = frame, .push = true});
      return true;
    }
  }
  return false;
}

void sn_walk_push(sn_session *session) {
  begin(session, (sn_walk){.push = true});
  (void)next_of_push(session);
}

bool sn_walk_next(sn_session *session, sn_out *out) {
  sn_walk *walk = &session->walk;
  if (walk->audience && walk_audience(session, walk->audience, out))
    return true;
  while (walk->frame) {
    size_t step = walk->step;
    if (walk_frame(session, walk->frame, step, out)) {
      walk->step++;
      return true;
    }
    walk->frame = NULL;
    if (!next_of_push(session)) break;
  }
  begin(session, (sn_walk){0});
  return false;
}
