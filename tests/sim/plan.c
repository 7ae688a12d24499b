#include "sim/plan.h"

#include <stdio.h>
#include <string.h>

#include "sim/stories.h"

static const struct {
  const char *word;
  uint32_t weight;
} types[] = {
#define SIM_TYPE(name, word, weight) {word, weight},
    SIM_ACTS(SIM_TYPE)
#undef SIM_TYPE
};

const char *sim_act_word(sim_act_type type) {
  return types[type].word;
}

static uint32_t draw(test_random *random, uint32_t below) {
  return (uint32_t)test_random_below(random, below);
}

static bool one_in(test_random *random, uint32_t count) {
  return draw(random, count) == 0;
}

static void draw_people(sim_plan *plan, test_random *random) {
  plan->users = 2 + draw(random, SIM_USERS - 1);
  plan->convs = 1 + draw(random, SIM_CONVS);
  for (uint32_t i = 0; i < plan->users; i++)
    plan->devices[i] =
        one_in(random, 8) ? SIM_DEVICES : 1 + draw(random, i == 0 ? 3 : 2);
  for (uint32_t i = 0; i < plan->convs; i++) {
    plan->kinds[i] = draw(random, 4); /* 0: direct, 3: large, else group */
    plan->moderated[i] = plan->kinds[i] != 0 && one_in(random, 6);
  }
}

static void draw_surroundings(sim_plan *plan, test_random *random) {
  static const uint32_t latencies[] = {0, 20, 80, 300, 1500};

  plan->latency = latencies[draw(random, 5)];
  plan->loss = one_in(random, 2) ? 0 : draw(random, 300);
  plan->roster_limit = one_in(random, 3) ? 4 : 500;
  /* What no group holds, with its moderator, is large. */
  for (uint32_t i = 0; i < plan->convs; i++)
    if (plan->kinds[i] != 0 && plan->users + 1 > plan->roster_limit)
      plan->kinds[i] = 3;
  plan->peer_limit = one_in(random, 3) ? 3 : 50;
  plan->queue_bytes = one_in(random, 4) ? 2048 : 262144;
  plan->cache_entries = one_in(random, 4) ? 60 : 2000000;
  plan->narrow = one_in(random, 3) ? 1 + draw(random, 3) : 0;
  plan->token_ms = one_in(random, 4) ? 30000 : 36000000;
  plan->admins = one_in(random, 2) ? 1 + draw(random, 3) : 0;
  plan->sqlite_server = one_in(random, 4);
  plan->backups = plan->sqlite_server || one_in(random, 4);
  plan->sqlite_devices = one_in(random, 12);
  plan->faulty_disks = plan->sqlite_devices && one_in(random, 2);
  plan->on_open = one_in(random, 6);
  plan->own_send_reads = one_in(random, 6);
  plan->tight = one_in(random, 5);
  plan->busy = one_in(random, 6);
  if (!plan->busy) return;
  plan->narrow = 2;
  plan->queue_bytes = 700;
}

/* Swarm: each seed leaves some kinds of acts out and likes others more. */
static void draw_weights(const sim_plan *plan, test_random *random,
                         uint32_t weights[SIM_ACT_TYPES]) {
  static const sim_act_type often[] = {
      SIM_SLOW, SIM_UNREAD, SIM_READ_ALL, SIM_PUSHED,   SIM_HISTORY, SIM_CREATE,
      SIM_JOIN, SIM_LEAVE,  SIM_ADD,      SIM_RECEIPTS, SIM_REMOVE,  SIM_MUTE};

  for (size_t i = 0; i < SIM_ACT_TYPES; i++) {
    weights[i] = types[i].weight * (1 + draw(random, 8));
    if (i != SIM_SAY && one_in(random, 3)) weights[i] = 0;
  }
  for (size_t i = 0; plan->busy && i < sizeof often / sizeof *often; i++)
    weights[often[i]] = 30 + draw(random, 60);
  if (!plan->backups) weights[SIM_RESTORE] = 0;
}

static sim_act_type draw_type(test_random *random,
                              const uint32_t weights[SIM_ACT_TYPES]) {
  uint32_t sum = 0, pick;
  size_t i = 0;

  for (size_t k = 0; k < SIM_ACT_TYPES; k++)
    sum += weights[k];
  for (pick = draw(random, sum); pick >= weights[i]; i++)
    pick -= weights[i];
  return (sim_act_type)i;
}

static void draw_act(sim_plan *plan, test_random *random,
                     const uint32_t weights[SIM_ACT_TYPES], uint64_t at) {
  sim_act *act = &plan->acts[plan->count++];

  act->at = at;
  act->type = draw_type(random, weights);
  act->user = draw(random, plan->users);
  act->device = draw(random, plan->devices[act->user]);
  act->conv = draw(random, plan->convs);
  act->a = draw(random, 1u << 20);
  act->b = draw(random, 1u << 20);
  act->c = draw(random, 1u << 20);
}

static void draw_acts(sim_plan *plan, test_random *random) {
  uint32_t weights[SIM_ACT_TYPES];
  uint32_t pace = 1 + draw(random, 4) * draw(random, 400);
  uint32_t stories = stories_pick(random), seldom = 20 + draw(random, 60);
  uint64_t at = 1000;
  size_t count;

  draw_weights(plan, random, weights);
  count = 40 + draw(random, one_in(random, 6) ? SIM_ACTS_MAX - 40 : 160);
  while (plan->count < count) {
    /* Now and then a long silence. */
    at += one_in(random, 40) ? draw(random, 90000) : draw(random, pace * 2);
    draw_act(plan, random, weights, at);
    if (one_in(random, seldom) && plan->count + SIM_STORY_ACTS < SIM_ACTS_MAX)
      at = story_draw(plan, random, stories, at);
  }
}

void plan_draw(sim_plan *plan, uint64_t seed) {
  test_random random = {seed * 2 + 1};

  memset(plan, 0, sizeof *plan);
  plan->seed = seed;
  draw_people(plan, &random);
  draw_surroundings(plan, &random);
  draw_acts(plan, &random);
}

void plan_cut(sim_plan *plan, size_t from, size_t count) {
  memmove(&plan->acts[from], &plan->acts[from + count],
          (plan->count - from - count) * sizeof *plan->acts);
  plan->count -= count;
}

void plan_print(const sim_plan *plan) {
  printf("# %u people, %u conversations, latency %u ms, %u cuts in 10000 "
         "frames%s%s%s%s%s%s%s%s%s%s\n",
         plan->users, plan->convs, plan->latency, plan->loss,
         plan->sqlite_server ? ", server on SQLite" : "",
         plan->sqlite_devices ? ", devices on SQLite" : "",
         plan->faulty_disks ? " that fails" : "",
         plan->on_open ? ", read on open" : "",
         plan->own_send_reads ? ", own messages read" : "",
         plan->tight ? ", tight rates" : "",
         plan->narrow > 0 ? ", narrow pages" : "",
         plan->busy ? ", busy on slow links" : "",
         plan->cache_entries < 1000 ? ", a small cache" : "",
         plan->token_ms < 60000 ? ", short tokens" : "");
  for (size_t i = 0; i < plan->count; i++) {
    const sim_act *act = &plan->acts[i];

    printf("# %8llu ms  u%u/%u c%u %s (%u, %u, %u)\n",
           (unsigned long long)act->at, act->user, act->device, act->conv,
           types[act->type].word, act->a, act->b, act->c);
  }
}
