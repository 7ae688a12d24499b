/* States as values: packed, queued, and made one of all that are alike. */
#include "state.h"

#include <assert.h>
#include <string.h>

static uint8_t small(uint64_t value) {
  assert(value < 16);
  return (uint8_t)value;
}

seen_position model_unpack(model_position position) {
  return (seen_position){position.epoch, position.seq, position.high};
}

model_position model_pack(seen_position position) {
  return (model_position){small(position.epoch), small(position.seq),
                          small(position.high)};
}

sn_wish model_wish(const model_memory *memory) {
  return (sn_wish){memory->wish_epoch, memory->wish_read, memory->wish_shown,
                   memory->wish_set, memory->wish_keep};
}

void model_set_wish(model_memory *memory, const sn_wish *wish) {
  memory->wish_epoch = small(wish->epoch);
  memory->wish_read = small(wish->read);
  memory->wish_shown = small(wish->shown);
  memory->wish_set = wish->set;
  memory->wish_keep = wish->keep;
}

sn_mark model_mark(const model_memory *memory) {
  return (sn_mark){memory->mark_epoch, memory->mark_seq, memory->mark_target,
                   memory->mark_op,    memory->mark_set, memory->mark_keep};
}

void model_set_mark(model_memory *memory, const sn_mark *mark) {
  memory->mark_epoch = small(mark->epoch);
  memory->mark_seq = small(mark->seq);
  memory->mark_target = small(mark->target);
  memory->mark_op = small(mark->op);
  memory->mark_set = mark->set;
  memory->mark_keep = mark->keep;
}

uint8_t model_shown(const model_memory *memory) {
  return memory->wish_set ? memory->wish_shown : memory->held.seq;
}

unsigned model_count(const model_frame *queue, unsigned size) {
  unsigned count = 0;
  while (count < size && queue[count].kind != MODEL_NO_FRAME)
    count++;
  return count;
}

void model_put(model_frame *queue, unsigned size, model_frame frame) {
  unsigned count = model_count(queue, size);
  assert(count < size);
  queue[count] = frame;
}

model_frame model_take(model_frame *queue, unsigned size) {
  model_frame first = queue[0];
  memmove(queue, queue + 1, (size - 1) * sizeof *queue);
  queue[size - 1] = (model_frame){0};
  return first;
}

/* Ops from 1 on in the order in which they are met. */
typedef struct numbering {
  uint8_t of[16];
  uint8_t next;
} numbering;

static void renumber(numbering *numbers, uint8_t *op) {
  if (!*op) return;
  if (!numbers->of[*op]) numbers->of[*op] = ++numbers->next;
  *op = numbers->of[*op];
}

static void canonical_ops(model_state *state) {
  numbering numbers = {{0}, 0};
  uint8_t answers[MODEL_OPS] = {0};
  for (unsigned d = 0; d < MODEL_DEVICES; d++) {
    model_device *device = &state->device[d];
    renumber(&numbers, &device->now.mark_op);
    renumber(&numbers, &device->written.mark_op);
    for (unsigned i = 0; i < MODEL_SENT; i++)
      renumber(&numbers, &device->to_server[i].op);
  }
  renumber(&numbers, &state->stray.op);
  assert(numbers.next < MODEL_OPS);
  for (unsigned op = 1; op < MODEL_OPS; op++)
    if (numbers.of[op]) answers[numbers.of[op]] = state->server.answers[op];
  memcpy(state->server.answers, answers, sizeof answers);
}

bool model_canonical(model_state *state) {
  model_state other = *state;
  other.device[0] = state->device[1];
  other.device[1] = state->device[0];
  canonical_ops(state);
  canonical_ops(&other);
  if (memcmp(state, &other, sizeof other) <= 0) return false;
  *state = other;
  return true;
}

void model_store(const model_state *state, uint8_t *packed) {
  uint8_t bytes[MODEL_STATE_BYTES + 1] = {0};
  unsigned all = 0;
  memcpy(bytes, state, sizeof *state);
  for (size_t i = 0; i < MODEL_PACKED_BYTES; i++) {
    all |= (unsigned)bytes[2 * i] | bytes[2 * i + 1];
    packed[i] = (uint8_t)(bytes[2 * i] | bytes[2 * i + 1] << 4);
  }
  assert(all < 16);
  (void)all;
}

void model_load(const uint8_t *packed, model_state *state) {
  uint8_t bytes[MODEL_STATE_BYTES + 1] = {0};
  for (size_t i = 0; i < MODEL_PACKED_BYTES; i++) {
    bytes[2 * i] = packed[i] & 15;
    bytes[2 * i + 1] = packed[i] >> 4;
  }
  memcpy(state, bytes, sizeof *state);
}
