/*
 * P1 to P9 and S4 as claims about a step, and about what is left when all is
 * quiet. Nothing here is taken from the code under test but the order of
 * positions.
 */
#include "rules.h"

static int order(model_position a, model_position b) {
  if (a.epoch != b.epoch) return a.epoch < b.epoch ? -1 : 1;
  return a.seq < b.seq ? -1 : a.seq > b.seq;
}

static uint8_t receipt_of(model_position read) {
  return read.seq > read.high ? read.seq : read.high;
}

/* What the server takes in this step; none: nothing. */
static model_frame heard(const model_state *from, model_act act) {
  if (act.kind == MODEL_STRAY_COMES) return from->stray;
  if (act.kind == MODEL_SERVER_TAKES)
    return from->device[act.device].to_server[0];
  return (model_frame){0};
}

/* P2: a report, which a mark's `expected` is too. */
static model_position reported(model_position read, const model_frame *frame) {
  bool counts = frame->epoch == read.epoch || frame->seq > read.high;
  if (frame->epoch <= read.epoch && counts && frame->seq > read.seq)
    read.seq = frame->seq;
  return read;
}

/* P4: only what was expected is rolled back, and only once. */
static const char *mark_broken(const model_server *from,
                               const model_frame *frame, model_position now) {
  model_position read = reported(from->read, frame);
  if (frame->kind != MODEL_MARK) return "P4: an epoch that nobody asked for";
  if (from->answers[frame->op]) return "P4: a mark was applied twice";
  if (read.epoch != frame->epoch || read.seq != frame->seq)
    return "P4: what was not expected was rolled back";
  if (now.high != (read.high > read.seq ? read.high : read.seq))
    return "P4: high is not what was known";
  if (now.seq != (frame->more > from->low ? frame->more : from->low))
    return "P4: it is not at the mark's target";
  return NULL;
}

static const char *server_broken(const model_server *from, model_act act,
                                 const model_frame *frame,
                                 const model_server *to) {
  model_position before = from->read, now = to->read;
  if (receipt_of(now) != to->receipt)
    return "P9: the receipt is not the highest seq that was reported";
  if (now.seq > to->last) return "P3: the position is above the last seq";
  if (act.kind == MODEL_FORGETS) return NULL;
  if (order(now, before) < 0) return "P1: the server's position fell";
  if (now.high < before.high) return "P4: high fell";
  if (receipt_of(now) < receipt_of(before)) return "P9: the receipt fell";
  if (now.epoch == before.epoch && now.high != before.high)
    return "P2: high changed in an epoch";
  if (now.epoch == before.epoch && frame->kind &&
      now.seq > reported(before, frame).seq)
    return "P2: what was rolled back rose again";
  if (frame->kind == MODEL_REPORT && frame->seq <= from->last &&
      now.seq < reported(before, frame).seq)
    return "P2: a report is lost";
  if (now.epoch == before.epoch) return NULL;
  if (now.epoch != before.epoch + 1) return "P4: an epoch was left out";
  if (act.kind == MODEL_REJOINS)
    return now.seq == to->last && now.high == to->last
               ? NULL
               : "P5: something is unread after a rejoin";
  return mark_broken(from, frame, now);
}

static const char *wish_broken(const model_memory *memory) {
  if (memory->wish_shown > memory->wish_read)
    return "P6: more is shown than was read";
  if (!memory->mark_set) return NULL;
  if (memory->mark_target >= memory->mark_seq)
    return "P7: an open mark marks nothing";
  if (!memory->wish_set || memory->wish_epoch != memory->mark_epoch + 1)
    return "P7: behind the open mark there is no wish in the coming epoch";
  return NULL;
}

/* What a device is told in this step. */
static model_frame_kind told(const model_state *from, model_act act,
                             unsigned d) {
  if (act.device != d) return MODEL_NO_FRAME;
  if (act.kind == MODEL_WORD_COMES) return MODEL_WORD;
  if (act.kind != MODEL_DEVICE_TAKES) return MODEL_NO_FRAME;
  return (model_frame_kind)from->device[d].to_device[0].kind;
}

/* A wish grows by what the person reads, and by what the server forgot. */
static bool grew(const model_memory *before, const model_memory *now) {
  uint8_t most = before->held.seq;
  if (!now->wish_set) return false;
  if (before->wish_set && before->wish_read > most) most = before->wish_read;
  if (before->mark_set && before->mark_seq > most) most = before->mark_seq;
  if (before->acked && before->acked_seq > most) most = before->acked_seq;
  return now->wish_read > most;
}

static uint8_t shown_epoch(const model_memory *memory) {
  return memory->wish_set ? memory->wish_epoch : memory->held.epoch;
}

/* S4: a snapshot below what was acknowledged. */
static bool forgot(const model_memory *memory, const model_frame *row) {
  model_position acked = {memory->acked_epoch, memory->acked_seq, 0};
  model_position read = {row->epoch, row->seq, row->more};
  return memory->acked && order(read, acked) < 0;
}

static const char *device_broken(const model_state *from, model_act act,
                                 const model_state *to, unsigned d) {
  const model_memory *before = &from->device[d].now;
  const model_memory *now = &to->device[d].now;
  model_frame_kind kind = told(from, act, d);
  if (act.kind == MODEL_CRASHES && act.device == d) return NULL; /* S6 */
  if (kind == MODEL_OUT_OF_RANGE || kind == MODEL_EPOCH_AHEAD ||
      kind == MODEL_LEFT || kind == MODEL_NOT_MEMBER)
    return NULL; /* S4: by refusal, by membership */
  bool reads = act.kind == MODEL_READS || act.kind == MODEL_READS_ALL;
  if (!(reads && act.device == d) && grew(before, now))
    return "P6: more is wished than was read";
  bool revived =
      kind == MODEL_ROW && forgot(before, &from->device[d].to_device[0]);
  if (order(now->held, before->held) < 0 && !revived)
    return "S4: the position that a device holds fell";
  if (revived || (act.kind == MODEL_MARKS && act.device == d)) return NULL;
  if (shown_epoch(now) == shown_epoch(before) &&
      model_shown(now) < model_shown(before) && kind != MODEL_CONFLICT)
    return "S4: what is shown fell, and nothing was rolled back";
  return NULL;
}

const char *model_rule_broken(const model_scene *scene, const model_state *from,
                              model_act act, const model_state *to) {
  model_frame frame = heard(from, act);
  const char *broken = server_broken(&from->server, act, &frame, &to->server);
  for (unsigned d = 0; !broken && d < MODEL_DEVICES; d++) {
    broken = wish_broken(&to->device[d].now);
    if (!broken) broken = device_broken(from, act, to, d);
    if (!broken && !scene->forgets &&
        order(to->device[d].now.held, to->server.read) > 0)
      broken = "P1: a device holds more than the server ever said";
  }
  return broken;
}

bool model_arrived(model_position read, unsigned epoch, uint8_t seq) {
  return seq <= read.seq || (epoch < read.epoch && seq <= read.high);
}

/* S4: of a server that forgot, what was no read of this device is kept. */
static bool differs(const model_server *server, const model_memory *memory) {
  int above = order(memory->held, server->read);
  if (server->forgets && above > 0) return false;
  return above != 0 || memory->held.high != server->read.high ||
         model_shown(memory) != server->read.seq;
}

static const char *unquiet(const model_state *state,
                           const model_device *device) {
  const model_server *server = &state->server;
  const model_memory *memory = &device->now;
  if (model_device_pending(device)) return "quiet, and a report is pending";
  if (memory->gone == server->member)
    return "quiet, and a device is wrong about the membership";
  if (!server->member) return NULL;
  if (differs(server, memory))
    return "quiet, and a device differs from the server";
  if (server->forgets && (server->fell || server->marks)) return NULL;
  for (unsigned epoch = 0; epoch < MODEL_EPOCHS; epoch++) {
    if (!model_arrived(server->read, epoch, memory->owed[epoch]))
      return "quiet, and a read is lost";
    if (memory->owed[epoch] > receipt_of(server->read))
      return "P9: quiet, and the receipt lacks a read";
  }
  return NULL;
}

const char *model_unquiet(const model_state *state) {
  const char *broken = NULL;
  for (unsigned d = 0; !broken && d < MODEL_DEVICES; d++)
    broken = unquiet(state, &state->device[d]);
  return broken;
}
