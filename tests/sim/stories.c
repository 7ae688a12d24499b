#include "sim/stories.h"

/* Two devices of a person, and somebody else of the same conversation. */
typedef struct sim_story {
  sim_plan *plan;
  test_random *random;
  uint64_t at;
  uint32_t user;
  uint32_t one;
  uint32_t two;
  uint32_t other;
  uint32_t conv;
} sim_story;

static uint32_t draw(sim_story *story, uint32_t below) {
  return (uint32_t)test_random_below(story->random, below);
}

/* Time goes on by up to `ms`. */
static void wait(sim_story *story, uint32_t ms) {
  story->at += draw(story, ms + 1);
}

static sim_act *add(sim_story *story, sim_act_type type, uint32_t user,
                    uint32_t device) {
  sim_act *act = &story->plan->acts[story->plan->count++];

  *act = (sim_act){.at = story->at,
                   .type = type,
                   .user = user,
                   .device = device,
                   .conv = story->conv};
  act->a = draw(story, 1u << 20) | 1;
  act->b = draw(story, 1u << 20);
  act->c = draw(story, 1u << 20);
  return act;
}

static sim_act *one(sim_story *story, sim_act_type type) {
  return add(story, type, story->user, story->one);
}

static sim_act *two(sim_story *story, sim_act_type type) {
  return add(story, type, story->user, story->two);
}

static void others_say(sim_story *story, uint32_t most) {
  for (uint32_t count = 1 + draw(story, most); count > 0; count--) {
    wait(story, 300);
    add(story, draw(story, 3) == 0 ? SIM_NAME : SIM_SAY, story->other, 0);
  }
}

/* To the end of the list. */
static void scroll(sim_act *act) {
  act->b = act->b / 3 * 3 + 1;
}

/* P8: a mark is refused for what was read elsewhere, and reading goes on. */
static void conflict(sim_story *story) {
  sim_act *away;

  others_say(story, 3);
  scroll(one(story, SIM_SCROLL));
  story->at += 1000;
  away = one(story, SIM_PARTITION);
  away->a = 3000;
  away->b = 2; /* of this device alone */
  wait(story, 500);
  one(story, SIM_UNREAD);
  others_say(story, 3);
  scroll(two(story, SIM_SCROLL));
  for (uint32_t i = 0; i < 4; i++) {
    wait(story, 4000);
    one(story, SIM_CLOSE);
    scroll(one(story, SIM_SCROLL));
    if (i % 2 == 0) others_say(story, 1);
  }
}

/* V11: both at once, by two devices. */
static void race(sim_story *story) {
  bool first = draw(story, 2) == 0;

  others_say(story, 2);
  wait(story, 2000);
  one(story, first ? SIM_READ_ALL : SIM_UNREAD);
  wait(story, story->plan->latency + 20);
  two(story, first ? SIM_UNREAD : SIM_READ_ALL);
  wait(story, story->plan->latency + 20);
  if (draw(story, 2) == 0) one(story, SIM_READ);
}

/* Whatever comes of it, the answer is lost. */
static void lost_answer(sim_story *story) {
  static const sim_act_type types[] = {SIM_SAY,  SIM_UNREAD, SIM_READ_ALL,
                                       SIM_JOIN, SIM_LEAVE,  SIM_RECALL,
                                       SIM_EDIT, SIM_ADD};

  one(story, types[draw(story, sizeof types / sizeof *types)]);
  wait(story, 2 * story->plan->latency + 4);
  one(story, SIM_CUT);
}

/* P5: an epoch each time. */
static void rejoins(sim_story *story) {
  for (uint32_t count = 2 + draw(story, 6); count > 0; count--) {
    one(story, SIM_REMOVE)->b = 1; /* by the operator */
    wait(story, 1500);
    if (draw(story, 3) == 0) others_say(story, 1);
    one(story, SIM_ADD)->b = 1;
    wait(story, 1500);
    if (draw(story, 3) == 0) two(story, SIM_UNREAD);
  }
}

/* V4: more by name than the bucket holds. */
static void hurry(sim_story *story) {
  others_say(story, 3);
  wait(story, 2000);
  for (uint32_t count = 8 + draw(story, 12); count > 0; count--) {
    sim_act *act = one(story, draw(story, 3) == 0 ? SIM_UNREAD : SIM_READ);

    act->conv = draw(story, story->plan->convs);
    act->a -= draw(story, 2); /* up to a seq, or to the last one */
    wait(story, draw(story, 3) * 40);
  }
}

/* S2: killed behind the same page again and again; of another history, too. */
static void pages(sim_story *story) {
  if (story->plan->backups && draw(story, 2) == 0) {
    one(story, SIM_RESTORE);
    story->at += 1000;
  }
  for (uint32_t count = 1 + draw(story, 4); count > 0; count--) {
    sim_act *page = one(story, SIM_PAGE);

    page->a = draw(story, 5000);
    page->c = page->c / 3 * 3; /* the first one */
    story->at += 4000;
    wait(story, 6000);
  }
}

/* S2: who came in after the backup is out of it again. */
static void undone(sim_story *story) {
  if (!story->plan->backups) return;
  one(story, SIM_REMOVE)->b = 1; /* by the operator */
  wait(story, 2000);
  one(story, SIM_FLUSH)->a = 16; /* with it a backup is taken */
  wait(story, 2000);
  one(story, SIM_ADD)->b = 1;
  others_say(story, 3);
  wait(story, 5000);
  scroll(two(story, SIM_SCROLL));
  wait(story, 2000);
  one(story, SIM_RESTORE);
}

/* R2: disabled, and meanwhile there is talk. */
static void disabled(sim_story *story) {
  one(story, SIM_DISABLE);
  wait(story, 5000);
  others_say(story, 3);
  wait(story, 40000);
  one(story, SIM_ENABLE);
  others_say(story, 2);
}

/* U5: nothing of it is told, or twice, or late. */
static void missed(sim_story *story) {
  one(story, SIM_MISS)->a = 5000 + draw(story, 20000);
  for (uint32_t count = 1 + draw(story, 6); count > 0; count--) {
    others_say(story, 2);
    if (draw(story, 3) == 0) add(story, SIM_RECALL, story->other, 0);
    if (draw(story, 4) == 0) scroll(two(story, SIM_SCROLL));
    if (draw(story, 6) == 0) two(story, SIM_UNREAD);
  }
}

typedef void (*sim_teller)(sim_story *story);

static const sim_teller tellers[] = {conflict, race,     lost_answer,
                                     rejoins,  hurry,    pages,
                                     undone,   disabled, missed};

enum { STORIES = sizeof tellers / sizeof *tellers };

uint32_t stories_pick(test_random *random) {
  uint32_t which = 0;

  for (uint32_t i = 0; i < STORIES; i++)
    if (test_random_below(random, 3) == 0) which |= 1u << i;
  return which;
}

uint64_t story_draw(sim_plan *plan, test_random *random, uint32_t which,
                    uint64_t at) {
  sim_story story = {.plan = plan, .random = random, .at = at};
  uint32_t pick = draw(&story, STORIES);

  story.user = draw(&story, plan->users);
  story.one = draw(&story, plan->devices[story.user]);
  story.two = (story.one + 1) % plan->devices[story.user];
  story.other = (story.user + 1) % plan->users;
  story.conv = draw(&story, plan->convs);
  while (which != 0 && (which >> pick & 1) == 0)
    pick = (pick + 1) % STORIES;
  if (which != 0) tellers[pick](&story);
  return story.at;
}
