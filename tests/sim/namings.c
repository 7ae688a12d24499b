#include "sim/namings.h"

#include <inttypes.h>
#include <string.h>

#include "engine/core.h"
#include "engine/gaps.h"
#include "sim/device.h"

static uint64_t next_mention(const sim_device *device, uint32_t conv,
                             uint64_t after) {
  seen_engine *engine = seen_mirror_engine(device->mirror);
  seen_mention found;

  return seen_engine_next_mention(engine,
                                  seen_engine_find(engine, sim_conv(conv)),
                                  after, &found) == SEEN_OK
             ? found.seq
             : 0;
}

static bool is_of_a_person(seen_input_type type) {
  switch (type) {
  case SEEN_INPUT_OPEN:
  case SEEN_INPUT_CLOSE:
  case SEEN_INPUT_VISIBLE:
  case SEEN_INPUT_FOCUS:
  case SEEN_INPUT_APP:
  case SEEN_INPUT_TICK:
  case SEEN_INPUT_MARK_READ:
  case SEEN_INPUT_MARK_UNREAD:
  case SEEN_INPUT_READ_ALL:
  case SEEN_INPUT_CLEAR_MENTIONS: return true;
  default: return false;
  }
}

void namings_before(const sim_device *device, const seen_input *input,
                    sim_before *before) {
  seen_state state;

  memset(before->looked, 0, sizeof before->looked);
  if (!is_of_a_person(input->type)) return;
  for (uint32_t i = 0; i < device->sim->plan.convs; i++) {
    if (!device_state(device, i, &state) || state.mentions == 0) continue;
    before->looked[i] = true;
    before->read[i] = state.read_seq;
    before->count[i] = state.mentions;
    before->last[i] = state.last_seq;
  }
}

/* Up to where this input clears, wherever the position is (M3); 0: nowhere. */
static uint64_t cleared_to(const seen_input *input, uint32_t conv,
                           uint64_t last) {
  if (input->type != SEEN_INPUT_MARK_READ &&
      input->type != SEEN_INPUT_CLEAR_MENTIONS)
    return 0;
  if (sim_conv_of(input->id) != (int)conv) return 0;
  return input->type == SEEN_INPUT_MARK_READ && input->u.seq.said
             ? input->u.seq.seq
             : last;
}

static void check_input(const sim_device *device, const seen_input *input,
                        const sim_before *before, uint32_t conv) {
  bool keeps = input->type == SEEN_INPUT_READ_ALL ||
               input->type == SEEN_INPUT_MARK_UNREAD;
  uint64_t to = cleared_to(input, conv, before->last[conv]);
  uint64_t open = next_mention(device, conv, before->read[conv]);
  seen_state state;

  if (!device_state(device, conv, &state)) return;
  if (keeps && state.mentions != before->count[conv])
    sim_fail(device->sim,
             "M3: %s had %" PRIu64 " mentions in %s, and has %" PRIu64,
             device->name, before->count[conv], sim_conv(conv), state.mentions);
  if (!keeps && open > 0 && open <= state.read_seq)
    sim_fail(device->sim,
             "M3: %s reads %s from %" PRIu64 " to %" PRIu64
             ", and the mention at %" PRIu64 " stays",
             device->name, sim_conv(conv), before->read[conv], state.read_seq,
             open);
  open = next_mention(device, conv, 0);
  if (open > 0 && open <= to)
    sim_fail(device->sim,
             "M3: %s clears %s to %" PRIu64 ", and the mention at %" PRIu64
             " stays",
             device->name, sim_conv(conv), to, open);
}

void namings_after(const sim_device *device, const seen_input *input,
                   const sim_before *before) {
  for (uint32_t i = 0; i < device->sim->plan.convs; i++)
    if (before->looked[i]) check_input(device, input, before, i);
}

void namings_touched(sim_device *device, uint32_t conv, uint64_t seq) {
  uint64_t *touched = &device->sim->touched[conv][device->user];

  if (seq > *touched) *touched = seq;
}

void namings_forget(sim_device *device, uint32_t conv) {
  memset(&device->listed[conv], 0, sizeof device->listed[conv]);
}

/* Whether anything that a moderator holds or took says so, too. */
static bool is_unsure(const sim_facts *facts, uint64_t seq, uint64_t last) {
  for (uint64_t at = seq; at <= last && at <= facts->last; at++)
    if (facts->list[at].unsure && (at == seq || facts->list[at].about == seq))
      return true;
  return false;
}

static bool may_be_open(const sim_facts *facts, uint32_t user, uint64_t seq,
                        uint64_t last) {
  const sim_fact *fact = &facts->list[seq];

  return fact->counts && fact->from != (int)user && fact->recalled > last &&
         facts_names(facts, user, seq, last, true);
}

static bool is_open(const sim_facts *facts, uint32_t user, uint64_t seq,
                    uint64_t last) {
  return may_be_open(facts, user, seq, last) && seq > facts->floor &&
         facts_names(facts, user, seq, last, false);
}

static uint64_t most(uint64_t one, uint64_t other) {
  return one > other ? one : other;
}

/* What is above this nobody of the user's can have cleared; whatever was read
 * of it was so by a mark all as read. */
static uint64_t untouched(const sim_device *device, uint32_t conv,
                          const seen_state *state) {
  const sim_world *sim = device->sim;
  const sim_facts *facts = &sim->facts[conv];
  const sim_period *present = facts_present(facts, device->user);
  uint64_t above = most(sim->touched[conv][device->user], present->join - 1);

  for (uint64_t seq = state->last_seq; sim->plan.own_send_reads && seq > above;
       seq--)
    if (facts->list[seq].from == (int)device->user) above = seq;
  return above;
}

/* What went comes back by another edit alone. */
static bool may_return(const sim_facts *facts, uint32_t user, uint64_t seq,
                       uint64_t gone) {
  for (uint64_t at = gone + 1; at <= facts->last; at++)
    if (facts->list[at].about == seq &&
        (facts->list[at].names >> user & 1) != 0)
      return true;
  return false;
}

static void check_listed(sim_device *device, uint32_t conv,
                         const seen_state *state, uint64_t seq) {
  const sim_facts *facts = &device->sim->facts[conv];
  const sim_listed *listed = &device->listed[conv];
  uint64_t last = state->last_seq;

  if (is_unsure(facts, seq, last)) return;
  if (!may_be_open(facts, device->user, seq, last))
    sim_fail(device->sim, "M1: %s lists a mention at %" PRIu64 " in %s",
             device->name, seq, sim_conv(conv));
  /* A row that is late behind an answer by another way is the server's, until
   * what was read is said again (S4). */
  if (state->pending && seq <= state->read_seq) return;
  if (listed->gone[seq] > 0 &&
      !may_return(facts, device->user, seq, listed->gone[seq]))
    sim_fail(device->sim,
             "M4: %s lists the mention at %" PRIu64
             " in %s again, which was cleared as of %" PRIu64,
             device->name, seq, sim_conv(conv), listed->gone[seq]);
}

static void note_list(sim_device *device, uint32_t conv,
                      const seen_state *state) {
  sim_listed *listed = &device->listed[conv];
  uint64_t next = next_mention(device, conv, 0), count = 0;

  for (uint64_t seq = 1; seq <= state->last_seq && seq < SIM_SEQS_MAX; seq++) {
    bool open = seq == next;

    if (listed->open[seq] && !open) listed->gone[seq] = state->last_seq;
    listed->open[seq] = open;
    if (!open) continue;
    check_listed(device, conv, state, seq);
    listed->gone[seq] = 0;
    next = next_mention(device, conv, seq);
    count++;
  }
  if (count != state->mentions || next > 0)
    sim_fail(device->sim,
             "M2: %s counts %" PRIu64 " mentions in %s, of %" PRIu64,
             device->name, state->mentions, sim_conv(conv), count);
}

void namings_check(sim_device *device, uint32_t conv, const seen_state *state) {
  const sim_facts *facts = &device->sim->facts[conv];
  const sim_period *present = facts_present(facts, device->user);
  const seen_engine *engine = seen_mirror_engine(device->mirror);
  const sn_conv *row =
      sn_engine_conv(engine, seen_engine_find(engine, state->id));

  if (present == NULL || state->server_read.epoch < present->epoch ||
      sn_gaps_above(row, 0) > 0)
    return;
  note_list(device, conv, state);
  for (uint64_t seq = untouched(device, conv, state) + 1;
       seq <= state->last_seq && seq <= facts->last; seq++)
    if (is_open(facts, device->user, seq, state->last_seq) &&
        !is_unsure(facts, seq, state->last_seq) &&
        !device->listed[conv].open[seq])
      sim_fail(device->sim,
               "M2: %s does not list the mention at %" PRIu64 " in %s",
               device->name, seq, sim_conv(conv));
}
