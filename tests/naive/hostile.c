/*
 * Somebody who says what no server would say: well-formed, but late, wrong,
 * never asked for or about what nobody knows. Whatever it is, engine and
 * model have to take it the same way.
 */
#include "naive/truth.h"

#include <string.h>

/* A seq around what the client knows; seldom far ahead. */
static uint64_t some_seq(naive_world *world, uint64_t last, bool far) {
  if (far && world_chance(world, 4))
    return last + world_between(world, 100, 700);
  return world_between(world, last > 12 ? last - 12 : 0, last + 4);
}

static void some_runs(naive_world *world, seen_word *word) {
  size_t count = (size_t)world_below(world, 5);
  seen_run *runs = world_allocate(world, count + 1, sizeof *runs);

  for (size_t i = 0; i < count; i++) {
    uint64_t last = word->last_seq > 0 ? word->last_seq : 1;
    uint64_t lo = world_between(world, last > 15 ? last - 15 : 1, last);

    runs[i] = (seen_run){lo, world_between(world, lo, lo + 3)};
    if (runs[i].hi > last) runs[i].hi = last;
  }
  word->uncountable = runs;
  word->uncountable_count = word->last_seq > 0 ? count : 0;
}

static void some_mentions(naive_world *world, seen_word *word) {
  size_t count = (size_t)world_below(world, 4);
  seen_mention *mentions = world_allocate(world, count + 1, sizeof *mentions);

  for (size_t i = 0; i < count; i++)
    mentions[i] = (seen_mention){
        world_between(world, word->last_seq > 15 ? word->last_seq - 15 : 1,
                      word->last_seq),
        (seen_mention_why)world_between(world, 1, 3)};
  word->mentions = mentions;
  word->mention_count = word->last_seq > 0 ? count : 0;
}

/* Not as in the truth: each number by itself is possible, together not. */
static seen_word some_word(naive_world *world, uint64_t last,
                           const seen_state *state) {
  seen_word word;

  memset(&word, 0, sizeof word);
  word.last_seq = some_seq(world, last, true);
  word.read = state->server_read;
  if (world_chance(world, 70)) {
    word.read.epoch = word.read.epoch + world_below(world, 3);
    word.read.epoch -= word.read.epoch > 0;
    word.read.seq = world_between(world, 0, word.last_seq);
    word.read.high = world_between(world, 0, last);
  }
  word.version = world->versions ? world->version + world_below(world, 6) : 0;
  word.version -= word.version > 3 ? 3 : 0;
  if (word.version > world->version) world->version = word.version;
  some_mentions(world, &word);
  if (world_chance(world, 10)) {
    word.fields |= SEEN_WORD_UNCOUNTABLE_UNKNOWN;
  } else {
    some_runs(world, &word);
    if (world_chance(world, 50)) {
      word.fields |= SEEN_WORD_FROM;
      word.from = world_between(world, 0, word.last_seq);
      if (world_chance(world, 70)) {
        word.fields |= SEEN_WORD_COUNTED;
        word.counted = world_between(world, 0, word.from);
      }
    }
  }
  if (world_chance(world, 20)) {
    word.fields |= SEEN_WORD_FLOOR;
    word.floor = world_between(world, 0, word.last_seq / 2);
  }
  if (world_chance(world, 20)) {
    word.fields |= SEEN_WORD_UNREAD;
    word.unread = world_below(world, 12);
  }
  return word;
}

static seen_input some_answer(naive_world *world, const char *id,
                              const seen_word *word) {
  seen_input input = world_input(
      world_chance(world, 50) ? SEEN_INPUT_ACK : SEEN_INPUT_REFUSE, id);
  seen_answer *answer = &input.u.answer;

  answer->of =
      (seen_request)world_below(world, input.type == SEEN_INPUT_ACK ? 3 : 2);
  answer->has_word = true;
  answer->word = *word;
  if (input.type == SEEN_INPUT_ACK) return input;
  answer->refusal =
      (seen_refusal)world_between(world, 1, world_chance(world, 5) ? 6 : 4);
  if (answer->refusal == SEEN_REFUSAL_RATE_LIMITED) {
    answer->retry_ms = world_chance(world, 50) ? 900 : 0;
    answer->has_word = world_chance(world, 50);
  }
  if (answer->refusal > SEEN_REFUSAL_RATE_LIMITED) answer->has_word = false;
  if (!answer->has_word) memset(&answer->word, 0, sizeof answer->word);
  return input;
}

static seen_input some_message(naive_world *world, const char *id,
                               uint64_t last) {
  seen_input input = world_input(SEEN_INPUT_MESSAGE, id);
  seen_message *said = &input.u.message;

  said->seq = some_seq(world, last, true);
  said->seq += said->seq == 0;
  said->from = world_people[said->seq % WORLD_PEOPLE];
  said->kind = (seen_message_kind)world_below(world, 5);
  said->countable = world_chance(world, 30)
                        ? (seen_countable)world_below(world, 3)
                        : SEEN_COUNTABLE_BY_KIND;
  if (world_chance(world, 40))
    said->mention = (seen_mention_why)world_below(world, 4);
  if ((said->kind == SEEN_MESSAGE_RECALL || said->kind == SEEN_MESSAGE_EDIT) &&
      said->seq > 1)
    said->target =
        world_between(world, said->seq > 9 ? said->seq - 9 : 1, said->seq - 1);
  said->hidden = world_chance(world, 5);
  if (world_chance(world, 30))
    said->sent_at = 1000000 + world_below(world, 5000);
  return input;
}

static seen_input some_row(naive_world *world, const char *id,
                           const seen_state *state, const seen_word *word) {
  seen_input input = world_input(SEEN_INPUT_CONVERSATION, id);
  seen_snapshot *row = &input.u.snapshot;

  row->kind = state->kind;
  row->word = *word;
  row->fields = (uint32_t)world_below(world, 128) &
                ~(uint32_t)(SEEN_SNAPSHOT_ROSTER | SEEN_SNAPSHOT_LEAVE_SEQ);
  if (world_chance(world, 5)) row->fields |= SEEN_SNAPSHOT_LEAVE_SEQ;
  row->muted = world_chance(world, 50);
  row->pinned = world_chance(world, 50);
  row->updated_at = 1000000 + world_below(world, 5000);
  row->join_seq = world_between(world, 1, word->last_seq / 3 + 1);
  row->leave_seq = word->last_seq;
  row->delivered_seq = world_between(world, 0, word->last_seq);
  return input;
}

/* People come and go in any order, but time goes on. */
static seen_input some_people(naive_world *world, const char *id,
                              uint64_t last) {
  seen_input input = world_input(SEEN_INPUT_MEMBERS, id);
  seen_membership *moves = world_allocate(world, 4, sizeof *moves);
  uint64_t after = last > world->moved ? last : world->moved;

  world->moved = after + 4;
  for (size_t i = 0; i < 4; i++)
    moves[i] = (seen_membership){world_people[world_between(world, 1, 3)],
                                 after + i, world_chance(world, 10)};
  input.u.members = (seen_members){moves + 2, (size_t)world_below(world, 3),
                                   moves, (size_t)world_below(world, 3)};
  return input;
}

/* About any conversation, one that is not known among them. */
void world_act_badly(naive_world *world, const naive *model) {
  static const char stranger[] = "x_0";
  const truth *of = &world->truths[world_below(world, world->truth_count)];
  const char *id = world_chance(world, 5) ? stranger : of->id;
  seen_state state;
  seen_word word;
  seen_input input;

  memset(&state, 0, sizeof state);
  if (!naive_state(model, id, &state)) state.kind = of->kind;
  word = some_word(world, state.last_seq, &state);
  switch (world_below(world, 10)) {
  case 0:
  case 1:
    input = world_input(SEEN_INPUT_POSITION, id);
    input.u.word = word;
    break;
  case 2:
  case 3: input = some_answer(world, id, &word); break;
  case 4: input = some_row(world, id, &state, &word); break;
  case 5: input = some_people(world, id, state.last_seq + 1); break;
  case 6:
    input = world_input(SEEN_INPUT_FOUND, id);
    input.u.found.seq = 1 + some_seq(world, state.last_seq, true);
    input.u.found.uncountable = world_chance(world, 50);
    if (!input.u.found.uncountable) input.u.found.mention = SEEN_MENTION_ALL;
    break;
  default: input = some_message(world, id, state.last_seq); break;
  }
  world_put(world, &input);
}
