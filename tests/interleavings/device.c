/*
 * A device: what engine/server.c and engine/reporter.c do with one
 * conversation's wish, open mark and position. What is next to be sent, and
 * every change of a wish, is decided by the shipped functions.
 */
#include <string.h>

#include "engine/reporter.h"
#include "play.h"

static const sn_conv *conv_of(const model_device *device, sn_reading *reading,
                              sn_conv *conv) {
  memset(reading, 0, sizeof *reading);
  memset(conv, 0, sizeof *conv);
  reading->wish = model_wish(&device->now);
  reading->mark = model_mark(&device->now);
  reading->sent = device->sent;
  reading->sent_epoch = device->sent_epoch;
  reading->sent_seq = device->sent_seq;
  reading->mark_sent = device->mark_sent;
  conv->flags = device->now.gone ? SN_ROW | SN_GONE : SN_ROW;
  conv->server = model_unpack(device->now.held);
  conv->reading = reading;
  return conv;
}

static sn_next next_of(const model_device *device) {
  sn_reading reading;
  sn_conv conv;
  return sn_reporter_next(conv_of(device, &reading, &conv));
}

bool model_device_pending(const model_device *device) {
  sn_reading reading;
  sn_conv conv;
  return sn_reporter_pending(conv_of(device, &reading, &conv));
}

bool model_device_has_news(const model_device *device) {
  return device->up && next_of(device) != SN_NEXT_NOTHING;
}

static uint8_t free_op(const model_state *state) {
  bool used[MODEL_OPS + 1] = {false};
  uint8_t op = 1;
  used[state->stray.op] = true;
  for (unsigned d = 0; d < MODEL_DEVICES; d++) {
    const model_device *device = &state->device[d];
    used[device->now.mark_op] = used[device->written.mark_op] = true;
    for (unsigned i = 0; i < MODEL_SENT; i++)
      used[device->to_server[i].op] = true;
  }
  while (used[op])
    op++;
  return op;
}

static void note_sent(model_device *device) {
  device->sent = 1;
  device->sent_epoch = device->now.wish_epoch;
  device->sent_seq = device->now.wish_read;
}

/* P7 */
static model_frame open_mark(model_state *state, model_device *device) {
  sn_wish wish = model_wish(&device->now);
  sn_mark mark = model_mark(&device->now);
  if (!mark.set) {
    uint8_t op = free_op(state);
    sn_wish_open_mark(&wish, &mark, op);
    state->server.answers[op] = 0;
    device->sent = 0;
  }
  device->mark_sent = 1;
  model_set_wish(&device->now, &wish);
  model_set_mark(&device->now, &mark);
  return (model_frame){MODEL_MARK, device->now.mark_epoch, device->now.mark_seq,
                       device->now.mark_target, device->now.mark_op};
}

bool model_device_sends(const model_scene *scene, model_state *state,
                        unsigned d) {
  model_device *device = &state->device[d];
  sn_next next = next_of(device);
  model_frame frame;
  if (!device->up || next == SN_NEXT_NOTHING ||
      model_count(device->to_server, scene->to_server) == scene->to_server)
    return false;
  if (next == SN_NEXT_MARK) {
    frame = open_mark(state, device);
  } else {
    note_sent(device);
    frame =
        (model_frame){MODEL_REPORT, device->sent_epoch, device->sent_seq, 0, 0};
  }
  model_put(device->to_server, scene->to_server, frame);
  return true;
}

/* In which epoch the server will find what is read now. */
static uint8_t epoch_of_reads(const model_state *state,
                              const model_memory *memory) {
  if (!memory->mark_set) return memory->held.epoch;
  uint8_t answer = state->server.answers[memory->mark_op] & (MODEL_SINCE - 1);
  bool refused = answer && answer != MODEL_ACK_MARK - MODEL_ROW;
  return refused ? memory->mark_epoch : (uint8_t)(memory->mark_epoch + 1);
}

/* P6, P8.2, P8.3 and what is acknowledged of an epoch that is over. */
static void settle(const model_scene *scene, model_memory *memory) {
  sn_wish wish = model_wish(memory);
  bool older = wish.set && wish.epoch < memory->held.epoch;
  if (memory->acked && memory->acked_epoch < memory->held.epoch)
    memory->acked = memory->acked_epoch = memory->acked_seq = 0;
  if (memory->mark_set && scene->fault != MODEL_SETTLED_UNDER_A_MARK) return;
  sn_wish_settle(&wish, model_unpack(memory->held));
  if (older && scene->fault == MODEL_OLD_EPOCH_DROPS_READS) wish = (sn_wish){0};
  model_set_wish(memory, &wish);
}

static void read_up(const model_scene *scene, model_state *state, unsigned d,
                    uint8_t seq, bool keep) {
  model_memory *memory = &state->device[d].now;
  sn_wish wish = model_wish(memory);
  uint8_t epoch = epoch_of_reads(state, memory);
  sn_wish_read(&wish, model_unpack(memory->held), seq, keep);
  model_set_wish(memory, &wish);
  if (memory->owed[epoch] < seq) memory->owed[epoch] = seq;
  settle(scene, memory);
}

void model_device_reads(const model_scene *scene, model_state *state,
                        unsigned d, uint8_t seq) {
  read_up(scene, state, d, seq, false);
}

void model_device_marks(model_device *device, uint8_t target) {
  sn_wish wish = model_wish(&device->now);
  sn_wish_mark(&wish, model_unpack(device->now.held), target);
  model_set_wish(&device->now, &wish);
  device->written = device->now; /* S6: said by name */
}

/*
 * V11. By its as_of a read_all is older than a mark in flight before it, whose
 * rollback stands; so what is read behind an open mark is reported besides.
 */
void model_device_reads_all(const model_scene *scene, model_state *state,
                            unsigned d) {
  model_device *device = &state->device[d];
  uint8_t last = state->server.last;
  if (model_shown(&device->now) < last) read_up(scene, state, d, last, true);
  bool behind =
      device->now.mark_set &&
      (!device->mark_sent || scene->fault != MODEL_READ_ALL_BEHIND_A_MARK);
  if (device->now.wish_set && !behind) note_sent(device);
  settle(scene, &device->now);
  model_put(device->to_server, MODEL_SENT,
            (model_frame){MODEL_READ_ALL, device->now.held.epoch, last, 0, 0});
}

static void end_membership(model_device *device) {
  model_memory *memory = &device->now;
  model_position held = memory->held;
  *memory = (model_memory){.held = held, .gone = 1};
  device->sent = device->sent_epoch = device->sent_seq = device->mark_sent = 0;
}

static void adopt(const model_scene *scene, model_memory *memory,
                  seen_position word) {
  seen_position held = model_unpack(memory->held);
  if (scene->fault == MODEL_MERGE_WITHOUT_EPOCH)
    held = word.seq > held.seq ? word : held;
  else
    held = seen_position_merge(held, word);
  memory->held = model_pack(held);
  if (!memory->gone) settle(scene, memory);
}

static void replace(model_device *device, seen_position word) {
  device->now.held = model_pack(word);
  device->now.acked = device->now.acked_epoch = device->now.acked_seq = 0;
  device->sent = device->sent_epoch = device->sent_seq = 0;
}

/* S4 */
static void take_row(const model_scene *scene, model_device *device,
                     seen_position word) {
  model_memory *memory = &device->now;
  seen_position acked = {memory->acked_epoch, memory->acked_seq, 0};
  bool lost = memory->acked && !memory->mark_set &&
              seen_position_compare(word, acked) < 0;
  memory->gone = 0;
  if (lost && scene->fault != MODEL_SNAPSHOT_REVIVES_NOTHING) {
    sn_wish wish = model_wish(memory);
    sn_wish_revive(&wish, word, memory->acked_seq);
    model_set_wish(memory, &wish);
    replace(device, word);
  }
  adopt(scene, memory, word);
}

static void take_ack(const model_scene *scene, model_device *device,
                     seen_position word) {
  model_memory *memory = &device->now;
  if (device->sent && device->sent_epoch == word.epoch) {
    uint8_t seq = device->sent_seq;
    if (word.seq < seq) seq = (uint8_t)word.seq;
    seen_position acked = {word.epoch, seq, 0};
    seen_position before = {memory->acked_epoch, memory->acked_seq, 0};
    if (!memory->acked || seen_position_compare(before, acked) < 0) {
      memory->acked = 1;
      memory->acked_epoch = device->sent_epoch;
      memory->acked_seq = seq;
    }
  }
  if (scene->fault == MODEL_ANSWER_ENDS_THE_WISH)
    model_set_wish(memory, &(sn_wish){0});
  adopt(scene, memory, word);
}

/* P8.5 to P8.7 */
static void take_refusal(const model_scene *scene, model_device *device,
                         model_frame_kind kind, seen_position word) {
  model_memory *memory = &device->now;
  sn_wish wish = model_wish(memory);
  sn_mark mark = model_mark(memory);
  uint8_t epoch = memory->held.epoch;
  if (mark.set && memory->mark_epoch > epoch) epoch = memory->mark_epoch;
  if (kind == MODEL_OUT_OF_RANGE) {
    replace(device, word);
    wish = (sn_wish){0};
    mark = (sn_mark){0};
    memset(memory->owed, 0, sizeof memory->owed);
  } else if (kind == MODEL_EPOCH_AHEAD && word.epoch < epoch) {
    replace(device, word);
    sn_wish_epoch_lost(&wish, &mark, word);
  } else if (kind == MODEL_CONFLICT && mark.set) {
    sn_wish_conflict(&wish, &mark);
    if (scene->fault == MODEL_CONFLICT_DROPS_READS) wish = (sn_wish){0};
  }
  model_set_wish(memory, &wish);
  model_set_mark(memory, &mark);
  adopt(scene, memory, word);
}

void model_device_takes(const model_scene *scene, model_device *device,
                        model_frame frame) {
  model_memory *memory = &device->now;
  seen_position word = {frame.epoch, frame.seq, frame.more};
  switch ((model_frame_kind)frame.kind) {
  case MODEL_ROW: take_row(scene, device, word); break;
  case MODEL_LEFT:
  case MODEL_NOT_MEMBER: end_membership(device); break;
  case MODEL_ACK: take_ack(scene, device, word); break;
  case MODEL_ACK_MARK:
    /* else a late copy of an earlier answer */
    if (memory->mark_set && frame.epoch > memory->mark_epoch)
      model_set_mark(memory, &(sn_mark){0});
    adopt(scene, memory, word);
    break;
  case MODEL_CONFLICT:
  case MODEL_EPOCH_AHEAD:
  case MODEL_OUT_OF_RANGE:
    take_refusal(scene, device, (model_frame_kind)frame.kind, word);
    break;
  default: adopt(scene, memory, word); break;
  }
}

/* V5: on a new link nothing is in flight. */
void model_device_links(const model_scene *scene, model_device *device) {
  device->up = 1;
  if (scene->fault == MODEL_NOT_SENT_AGAIN) return;
  device->sent = device->sent_epoch = device->sent_seq = 0;
  device->mark_sent = 0;
}
