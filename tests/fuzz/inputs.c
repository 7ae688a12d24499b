#include "fuzz/inputs.h"

#include <string.h>

static const char *const ids[] = {"a", "b", "c", "d", "e", "unheard"};
static const char *const users[] = {"u1", "u2", "u3", "u4", "u5", ""};

static bool flag(input_maker *self) {
  return target_byte(&self->bytes) & 1;
}

/* Small ones, those near the base, those at the end, and any. */
static uint64_t seq(input_maker *self) {
  unsigned byte = target_byte(&self->bytes);

  if (byte < 64) return byte;
  if (byte < 240) return self->base + (byte - 64);
  if (byte < 250) return SEEN_SEQ_MAX + 2 - (byte - 240);
  return target_number(&self->bytes);
}

static uint64_t few(input_maker *self) {
  unsigned byte = target_byte(&self->bytes);

  return byte < 250 ? byte % 5 : SEEN_SEQ_MAX - (byte - 250);
}

static uint32_t bits(input_maker *self) {
  return target_byte(&self->bytes);
}

static const char *user(input_maker *self) {
  return users[target_below(&self->bytes, sizeof users / sizeof *users)];
}

static size_t count(input_maker *self) {
  return target_below(&self->bytes, INPUT_ITEMS + 1);
}

static seen_run run(input_maker *self) {
  seen_run made;

  made.lo = seq(self);
  made.hi = made.lo + target_below(&self->bytes, 8);
  if (target_byte(&self->bytes) > 250) made.hi = seq(self);
  return made;
}

static seen_mention_why why(input_maker *self) {
  return (seen_mention_why)(target_byte(&self->bytes) % 5);
}

static seen_word word(input_maker *self) {
  seen_word made;

  memset(&made, 0, sizeof made);
  made.read = (seen_position){few(self), seq(self), seq(self)};
  made.last_seq = seq(self);
  made.version = few(self);
  made.fields = bits(self);
  if (made.fields & SEEN_WORD_FROM) made.from = seq(self);
  if (made.fields & SEEN_WORD_COUNTED) made.counted = few(self);
  if (made.fields & SEEN_WORD_FLOOR) made.floor = seq(self);
  if (made.fields & SEEN_WORD_UNREAD) made.unread = few(self);
  made.uncountable = self->runs;
  made.uncountable_count = count(self);
  for (size_t i = 0; i < made.uncountable_count; i++)
    self->runs[i] = run(self);
  made.mentions = self->mentions;
  made.mention_count = count(self);
  for (size_t i = 0; i < made.mention_count; i++)
    self->mentions[i] = (seen_mention){seq(self), why(self)};
  return made;
}

static void make_roster(input_maker *self, seen_snapshot *row) {
  row->roster = self->roster;
  row->roster_count = count(self);
  for (size_t i = 0; i < row->roster_count; i++)
    self->roster[i] = (seen_member){.user = user(self),
                                    .join_seq = seq(self),
                                    .leave_seq = seq(self),
                                    .read_seq = seq(self),
                                    .delivered_seq = seq(self),
                                    .bot = flag(self)};
}

static seen_snapshot snapshot(input_maker *self) {
  seen_snapshot made;

  memset(&made, 0, sizeof made);
  made.kind = (seen_kind)(target_byte(&self->bytes) % 4);
  made.word = word(self);
  made.fields = bits(self);
  made.muted = flag(self);
  made.pinned = flag(self);
  if (made.fields & SEEN_SNAPSHOT_UPDATED_AT) made.updated_at = few(self);
  if (made.fields & SEEN_SNAPSHOT_JOIN_SEQ) made.join_seq = seq(self);
  if (made.fields & SEEN_SNAPSHOT_LEAVE_SEQ) made.leave_seq = seq(self);
  if (made.fields & SEEN_SNAPSHOT_DELIVERED_SEQ) made.delivered_seq = seq(self);
  if (made.fields & SEEN_SNAPSHOT_ROSTER) make_roster(self, &made);
  return made;
}

static seen_message message(input_maker *self) {
  seen_message made;

  memset(&made, 0, sizeof made);
  made.seq = seq(self);
  made.from = user(self);
  made.kind = (seen_message_kind)(target_byte(&self->bytes) % 6);
  made.countable = (seen_countable)(target_byte(&self->bytes) % 4);
  made.mention = why(self);
  made.target = seq(self);
  made.sent_at = few(self);
  made.hidden = flag(self);
  return made;
}

static seen_answer answer(input_maker *self, seen_input_type type) {
  seen_answer made;

  memset(&made, 0, sizeof made);
  made.of = (seen_request)(target_byte(&self->bytes) % 4);
  if (type == SEEN_INPUT_REFUSE)
    made.refusal = (seen_refusal)(target_byte(&self->bytes) % 8);
  made.has_word = target_byte(&self->bytes) % 4 != 0;
  if (made.has_word) made.word = word(self);
  made.retry_ms = few(self) * 100;
  return made;
}

static size_t moves(input_maker *self, seen_membership *list) {
  size_t made = count(self);

  for (size_t i = 0; i < made; i++)
    list[i] = (seen_membership){user(self), seq(self), flag(self)};
  return made;
}

static seen_members members(input_maker *self) {
  seen_members made;

  made.joined = self->joined;
  made.joined_count = moves(self, self->joined);
  made.left = self->left;
  made.left_count = moves(self, self->left);
  return made;
}

static seen_receipt_rows receipts(input_maker *self) {
  seen_receipt_rows made = {self->rows, count(self)};

  for (size_t i = 0; i < made.count; i++)
    self->rows[i] =
        (seen_receipt_row){seq(self), few(self), few(self), few(self)};
  return made;
}

static void fill_in(input_maker *self, seen_input *input) {
  switch (input->type) {
  case SEEN_INPUT_CONVERSATION: input->u.snapshot = snapshot(self); break;
  case SEEN_INPUT_MESSAGE: input->u.message = message(self); break;
  case SEEN_INPUT_POSITION: input->u.word = word(self); break;
  case SEEN_INPUT_ACK:
  case SEEN_INPUT_REFUSE: input->u.answer = answer(self, input->type); break;
  case SEEN_INPUT_FOUND:
    input->u.found = (seen_found){seq(self), why(self), flag(self)};
    break;
  case SEEN_INPUT_MEMBERS: input->u.members = members(self); break;
  case SEEN_INPUT_PEER:
    input->u.peer = (seen_peer){user(self), seq(self), seq(self)};
    break;
  case SEEN_INPUT_RECEIPTS: input->u.receipts = receipts(self); break;
  case SEEN_INPUT_SET:
    input->u.settings =
        (seen_settings){flag(self), flag(self), flag(self), flag(self)};
    break;
  case SEEN_INPUT_VISIBLE: input->u.range = run(self); break;
  case SEEN_INPUT_LEFT:
  case SEEN_INPUT_MARK_READ:
  case SEEN_INPUT_MARK_UNREAD:
    input->u.seq = (seen_optional_seq){flag(self), seq(self)};
    break;
  case SEEN_INPUT_MUTE:
  case SEEN_INPUT_PIN:
  case SEEN_INPUT_APP:
  case SEEN_INPUT_FOCUS:
  case SEEN_INPUT_LINK: input->u.on = flag(self); break;
  default: break;
  }
}

/* Before, at and after the times that an engine waits for. */
static void pass(input_maker *self) {
  static const uint32_t pauses[] = {0,   0,   0,   0,    1,    10,   149, 150,
                                    200, 499, 500, 1000, 2000, 5000, 0,   0};
  unsigned byte = target_byte(&self->bytes);

  self->now += pauses[byte % 16];
  if (byte == 255) self->now = seq(self);
}

void input_maker_begin(input_maker *self, const uint8_t *bytes, size_t size,
                       seen_options *options) {
  static const uint64_t bases[] = {0, 0, 1000000, SEEN_SEQ_MAX - 200};
  uint8_t with;

  memset(self, 0, sizeof *self);
  self->bytes = (target_bytes){bytes, bytes + size};
  self->base = bases[target_below(&self->bytes, 4)];
  with = target_byte(&self->bytes);
  options->read = with & 1 ? SEEN_READ_ON_OPEN : SEEN_READ_VIEWPORT;
  options->own_send = with & 2 ? SEEN_OWN_SEND_READS : SEEN_OWN_SEND_NEUTRAL;
  options->delivered = with & 4;
  options->subscriptions = with & 8;
  options->jitter = with & 16;
  options->burst = with & 32 ? 1 : 4;
}

seen_input input_maker_next(input_maker *self) {
  seen_input input;
  unsigned of;

  memset(&input, 0, sizeof input);
  input.size = (uint32_t)sizeof input;
  pass(self);
  input.type =
      (seen_input_type)(target_byte(&self->bytes) % (SEEN_INPUT_AUDIT + 2));
  if (SEEN_INPUT_HAS_CONV(input.type)) {
    of = target_byte(&self->bytes);
    if (of & 128)
      input.conv = of & 7;
    else
      input.id = ids[of % (sizeof ids / sizeof *ids)];
  }
  fill_in(self, &input);
  return input;
}
