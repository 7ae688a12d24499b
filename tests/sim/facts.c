#include "sim/facts.h"

#include <string.h>

#include "sim/sim.h"

void facts_all(sim_world *sim) {
  for (uint32_t i = 0; i < sim->plan.convs; i++)
    sim->facts[i].stale = true;
}

void facts_named(sim_world *sim, const char *text) {
  for (uint32_t i = 0; i < sim->plan.convs; i++)
    if (strstr(text, sim_conv(i)) != NULL) sim->facts[i].stale = true;
  if (strstr(text, "\"read_all\"") != NULL) facts_all(sim);
}

/* "*", "@user", ">user" for who is quoted: a line for each. */
static uint32_t named_in(const char *text) {
  uint32_t names = 0;

  for (; *text != '\0'; text += strcspn(text, "\n"), text += *text == '\n') {
    int user = text[0] == '*' ? -1 : sim_user_of(text + 1);

    if (text[0] == '*') names |= UINT32_MAX;
    if (user >= 0) names |= 1u << user;
  }
  return names;
}

static void take_message(sim_facts *facts, const stored_message *found) {
  sim_fact *fact = &facts->list[found->seq];

  *fact = (sim_fact){
      .from = sim_user_of(found->from),
      .counts = (found->state & MESSAGE_UNCOUNTABLE) == 0,
      .unsure = (found->state & (MESSAGE_HELD | MESSAGE_TAKEN_DOWN)) != 0,
      .held = (found->state & MESSAGE_HELD) != 0,
      .recalled = SEEN_SEQ_MAX};
  if (found->mentions != NULL) {
    fact->about = found->kind == SEEN_MESSAGE_EDIT ? found->target : found->seq;
    fact->names = named_in(found->mentions);
  }
  if (found->kind == SEEN_MESSAGE_RECALL &&
      facts->list[found->target].recalled > found->seq)
    facts->list[found->target].recalled = found->seq;
}

static void take_messages(sim_world *sim, uint32_t conv, uint64_t last) {
  const storage *disk = &sim->disk.inner;
  sim_facts *facts = &sim->facts[conv];
  stored_message found;

  while (facts->last < last && facts->last + 1 < SIM_SEQS_MAX) {
    /* It may be gone already. */
    facts->list[++facts->last] = (sim_fact){
        .from = -1, .counts = true, .unsure = true, .recalled = SEEN_SEQ_MAX};
    if (disk->get_message(disk->self, sim_conv(conv), facts->last, &found) ==
        SEEN_OK)
      take_message(facts, &found);
  }
}

/* What a moderator did to messages of before. */
static void look_again(sim_world *sim, uint32_t conv) {
  const storage *disk = &sim->disk.inner;
  sim_facts *facts = &sim->facts[conv];
  stored_message found;

  for (uint64_t seq = 1; seq <= facts->last; seq++) {
    if (disk->get_message(disk->self, sim_conv(conv), seq, &found) != SEEN_OK)
      continue;
    facts->list[seq].held = (found.state & MESSAGE_HELD) != 0;
    if ((found.state & (MESSAGE_HELD | MESSAGE_TAKEN_DOWN)) != 0)
      facts->list[seq].unsure = true;
  }
}

void facts_take(sim_world *sim) {
  const storage *disk = &sim->disk.inner;
  stored_conversation found;

  for (uint32_t i = 0; i < sim->plan.convs; i++) {
    if (!sim->facts[i].stale ||
        disk->get_conversation(disk->self, sim_conv(i), &found) != SEEN_OK)
      continue;
    sim->facts[i].floor = found.floor;
    take_messages(sim, i, found.last_seq);
    if (sim->moderated) look_again(sim, i);
  }
  sim->moderated = false;
}

void facts_restored(sim_world *sim) {
  for (uint32_t i = 0; i < sim->plan.convs; i++) {
    memset(&sim->facts[i], 0, sizeof sim->facts[i]);
    sim->facts[i].stale = true;
  }
  facts_take(sim);
}

sim_range facts_unread(const sim_facts *facts, uint32_t user, uint64_t base,
                       uint64_t last) {
  sim_range range = {0, 0};

  for (uint64_t seq = base + 1; seq <= last && seq <= facts->last; seq++) {
    const sim_fact *fact = &facts->list[seq];

    if (!fact->counts || fact->from == (int)user || fact->recalled <= last)
      continue;
    range.most++;
    if (!fact->unsure && seq > facts->floor) range.least++;
  }
  return range;
}

bool facts_names(const sim_facts *facts, uint32_t user, uint64_t seq,
                 uint64_t last, bool any) {
  bool names = false;

  for (uint64_t at = seq; at <= last && at <= facts->last; at++)
    if (facts->list[at].about == seq && !(any && names))
      names = (facts->list[at].names >> user & 1) != 0;
  return names;
}

bool facts_member_at(const sim_facts *facts, uint32_t user, uint64_t seq) {
  const sim_member *member = &facts->members[user];

  for (size_t i = 0; i < member->count; i++)
    if (member->periods[i].join <= seq && seq <= member->periods[i].leave)
      return true;
  return false;
}

const sim_period *facts_present(const sim_facts *facts, uint32_t user) {
  const sim_member *member = &facts->members[user];

  return member->count > 0 &&
                 member->periods[member->count - 1].leave == SEEN_SEQ_MAX
             ? &member->periods[member->count - 1]
             : NULL;
}
