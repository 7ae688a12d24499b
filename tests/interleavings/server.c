/*
 * The server, for one user in one conversation: it remembers what each op was
 * answered, tells the other devices what changed, and leaves the rest to
 * <seen/position.h>.
 */
#include <string.h>

#include "play.h"

model_frame model_server_says(const model_server *server,
                              model_frame_kind kind) {
  return (model_frame){(uint8_t)kind, server->read.epoch, server->read.seq,
                       server->read.high, 0};
}

/* A word that waits is replaced by one that is newer. */
static void tell(model_state *state, unsigned d, model_frame frame) {
  model_frame *queue = state->device[d].to_device;
  unsigned count = model_count(queue, MODEL_ASKED);
  if (!state->device[d].up) return;
  if (count && frame.kind == MODEL_WORD && queue[count - 1].kind == MODEL_WORD)
    queue[count - 1] = frame;
  else
    model_put(queue, MODEL_ASKED, frame);
}

void model_server_tells(model_state *state, model_frame_kind kind) {
  for (unsigned d = 0; d < MODEL_DEVICES; d++)
    tell(state, d, model_server_says(&state->server, kind));
}

bool model_server_ready(const model_scene *scene, const model_state *state) {
  for (unsigned d = 0; d < MODEL_DEVICES; d++)
    if (model_count(state->device[d].to_device, scene->to_device) ==
        scene->to_device)
      return false;
  return true;
}

static seen_verdict report(const model_scene *scene, seen_position *read,
                           uint64_t epoch, uint64_t seq, uint64_t last) {
  if (scene->fault == MODEL_REPORT_WITHOUT_EPOCH && epoch < read->epoch)
    epoch = read->epoch;
  if (scene->fault == MODEL_RANGE_NOT_REFUSED) last = SEEN_SEQ_MAX;
  return seen_position_report(read, epoch, seq, last);
}

static seen_verdict mark(const model_scene *scene, seen_position *read,
                         const model_frame *frame, uint8_t target,
                         uint8_t last) {
  seen_position before = *read, expected = {frame->epoch, frame->seq, 0};
  if (scene->fault == MODEL_EXPECTED_NOT_REPORTED &&
      seen_position_compare(before, expected) != 0)
    return SEEN_CONFLICT;
  if (scene->fault == MODEL_MARK_WITHOUT_COMPARE &&
      frame->epoch <= read->epoch && frame->seq < read->seq)
    return seen_position_mark_unread(read, read->epoch, read->seq, target,
                                     last);
  seen_verdict verdict =
      seen_position_mark_unread(read, frame->epoch, frame->seq, target, last);
  if (scene->fault == MODEL_LOST_HIGH && verdict == SEEN_ADVANCED)
    read->high = before.high;
  return verdict;
}

static model_frame_kind refusal_of(seen_verdict verdict) {
  switch (verdict) {
  case SEEN_EPOCH_AHEAD: return MODEL_EPOCH_AHEAD;
  case SEEN_SEQ_OUT_OF_RANGE: return MODEL_OUT_OF_RANGE;
  case SEEN_CONFLICT:
  case SEEN_TARGET_INVALID: return MODEL_CONFLICT;
  default: return MODEL_NO_FRAME;
  }
}

/* What was reported, for the check of P9. */
static void note_receipt(model_server *server, uint8_t seq) {
  if (server->receipt < seq) server->receipt = seq;
}

/* What was read behind a mark that is refused was read in its epoch. */
static void owe_in_the_epoch_before(model_memory *memory,
                                    const model_frame *frame) {
  uint8_t *owed = &memory->owed[frame->epoch];
  if (!memory->mark_set || memory->mark_op != frame->op) return;
  if (owed[0] < owed[1]) owed[0] = owed[1];
  owed[1] = 0;
}

/* P4; a target that a rejoin has passed is raised. */
static model_frame_kind apply_mark(const model_scene *scene,
                                   model_server *server,
                                   const model_frame *frame) {
  uint8_t target = frame->more < server->low ? server->low : frame->more;
  seen_position read = model_unpack(server->read);
  seen_verdict verdict;
  if (target < frame->seq) {
    verdict = mark(scene, &read, frame, target, server->last);
  } else {
    verdict = report(scene, &read, frame->epoch, frame->seq, server->last);
    if (!refusal_of(verdict)) verdict = SEEN_CONFLICT;
  }
  model_frame_kind refusal = refusal_of(verdict);
  if (!refusal || refusal == MODEL_CONFLICT) note_receipt(server, frame->seq);
  server->read = model_pack(read);
  return refusal ? refusal : MODEL_ACK_MARK;
}

static model_frame_kind take_mark(const model_scene *scene, model_state *state,
                                  const model_frame *frame) {
  model_server *server = &state->server;
  uint8_t *answer = &server->answers[frame->op];
  if (*answer && scene->fault != MODEL_OP_FORGOTTEN)
    return (model_frame_kind)((*answer & (MODEL_SINCE - 1)) + MODEL_ROW);
  if (!server->member) return MODEL_NOT_MEMBER;
  model_frame_kind kind = apply_mark(scene, server, frame);
  if (*answer) return kind;
  *answer = (uint8_t)(kind - MODEL_ROW);
  if (server->kept) *answer |= MODEL_SINCE;
  for (unsigned d = 0; kind != MODEL_ACK_MARK && d < MODEL_DEVICES; d++) {
    owe_in_the_epoch_before(&state->device[d].now, frame);
    owe_in_the_epoch_before(&state->device[d].written, frame);
  }
  return kind;
}

/* P2, P3; the late report of who has left is taken. */
static model_frame_kind take_report(const model_scene *scene,
                                    model_server *server,
                                    const model_frame *frame) {
  seen_position read = model_unpack(server->read);
  seen_verdict verdict =
      report(scene, &read, frame->epoch, frame->seq, server->last);
  if (refusal_of(verdict)) return refusal_of(verdict);
  note_receipt(server, frame->seq);
  server->read = model_pack(read);
  return MODEL_ACK;
}

/* V11: a rollback that the device had not seen stands; only news is told. */
static model_frame_kind take_read_all(model_server *server,
                                      const model_frame *frame) {
  seen_position read = model_unpack(server->read);
  uint64_t epoch = frame->epoch < read.epoch ? frame->epoch : read.epoch;
  if (!server->member || seen_position_report(&read, epoch, frame->seq,
                                              server->last) != SEEN_ADVANCED)
    return MODEL_NO_FRAME;
  note_receipt(server, frame->seq);
  server->read = model_pack(read);
  return MODEL_ACK;
}

void model_server_takes(const model_scene *scene, model_state *state,
                        unsigned d, model_frame frame) {
  model_server *server = &state->server;
  seen_position before = model_unpack(server->read);
  model_frame_kind answer;
  switch ((model_frame_kind)frame.kind) {
  case MODEL_REPORT: answer = take_report(scene, server, &frame); break;
  case MODEL_MARK: answer = take_mark(scene, state, &frame); break;
  default: answer = take_read_all(server, &frame); break;
  }
  if (scene->fault == MODEL_RECEIPT_FALLS && before.epoch != server->read.epoch)
    server->read.high = server->read.seq;
  bool moved = seen_position_compare(before, model_unpack(server->read)) != 0;
  for (unsigned other = 0; moved && other < MODEL_DEVICES; other++)
    if (other != d) tell(state, other, model_server_says(server, MODEL_WORD));
  if (answer && d < MODEL_DEVICES)
    tell(state, d, model_server_says(server, answer));
}

/* P5; the notice of it takes a seq. */
void model_server_rejoins(const model_scene *scene, model_state *state) {
  model_server *server = &state->server;
  seen_position read = model_unpack(server->read);
  server->last++;
  read = seen_position_rejoin(read, server->last);
  if (scene->fault == MODEL_REJOIN_IN_THE_SAME_EPOCH) read.epoch--;
  server->read = model_pack(read);
  server->low = (uint8_t)(server->last - 1);
  server->member = 1;
  server->rejoins++;
  server->receipt = server->last;
  model_server_tells(state, MODEL_ROW);
}
