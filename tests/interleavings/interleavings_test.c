/*
 * Two devices and a server: P1 to P9 and S4 hold in every interleaving of what
 * a person, the network and the server can do, within a bound; and faults that
 * are planted do not get through. In a soak the bound is wider.
 */
#include "search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
/* cmocka wants some of those. */
#include <cmocka.h>

#include "support/random.h"

/*
 * Seqs at the start and at most, marks, leaves and rejoins, marks of all as read, crashes,
 * losses of the server; frames on their way to the server, to a device, of an
 * older link, and words out of all order.
 */
static const model_scene small[] = {
    {"a mark, an older link", 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, MODEL_RIGHT},
    {"two marks", 1, 1, 2, 0, 0, 0, 0, 1, 1, 0, 0, MODEL_RIGHT},
    {"a mark, a late word", 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1, MODEL_RIGHT},
    {"a rejoin", 1, 2, 0, 1, 0, 0, 0, 1, 1, 0, 0, MODEL_RIGHT},
    {"a mark, all as read", 1, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, MODEL_RIGHT},
    {"a mark, a leave", 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, MODEL_RIGHT},
    {"a crash", 1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, MODEL_RIGHT},
    {"reads forgotten", 1, 1, 0, 0, 0, 0, 1, 1, 2, 0, 0, MODEL_RIGHT},
    {"messages forgotten", 1, 2, 0, 0, 0, 0, 1, 1, 1, 0, 0, MODEL_RIGHT},
    {"a mark forgotten", 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, MODEL_RIGHT},
};

static const model_scene usual[] = {
    {"three seqs, a mark", 3, 3, 1, 0, 0, 0, 0, 1, 1, 0, 0, MODEL_RIGHT},
    {"a mark, an older link", 2, 2, 1, 0, 0, 0, 0, 1, 1, 1, 0, MODEL_RIGHT},
    {"two marks", 2, 2, 2, 0, 0, 0, 0, 1, 1, 0, 0, MODEL_RIGHT},
    {"two marks, an older link", 1, 1, 2, 0, 0, 0, 0, 1, 2, 1, 0, MODEL_RIGHT},
    {"a mark, a late word", 2, 2, 1, 0, 0, 0, 0, 1, 1, 0, 1, MODEL_RIGHT},
    {"a mark, a rejoin", 1, 2, 1, 1, 0, 0, 0, 1, 2, 0, 0, MODEL_RIGHT},
    {"a rejoin, an older link", 1, 2, 0, 1, 0, 0, 0, 1, 2, 1, 0, MODEL_RIGHT},
    {"a rejoin, a crash", 1, 2, 0, 1, 0, 1, 0, 1, 2, 0, 0, MODEL_RIGHT},
    {"a mark, all as read", 2, 2, 1, 0, 1, 0, 0, 1, 1, 0, 0, MODEL_RIGHT},
    {"a mark, a crash", 1, 1, 1, 0, 0, 1, 0, 1, 2, 0, 0, MODEL_RIGHT},
    {"reads forgotten", 2, 2, 0, 0, 0, 0, 1, 2, 3, 1, 0, MODEL_RIGHT},
    {"messages forgotten", 1, 2, 0, 0, 0, 0, 1, 1, 2, 0, 0, MODEL_RIGHT},
    {"a mark forgotten", 1, 1, 1, 0, 0, 0, 1, 1, 2, 0, 0, MODEL_RIGHT},
};

static const model_scene large[] = {
    {"three seqs, a mark", 3, 3, 1, 0, 0, 0, 0, 1, 2, 0, 0, MODEL_RIGHT},
    {"a mark, an older link", 2, 2, 1, 0, 0, 0, 0, 2, 3, 1, 0, MODEL_RIGHT},
    {"two marks", 2, 2, 2, 0, 0, 0, 0, 1, 2, 0, 0, MODEL_RIGHT},
    {"two marks, an older link", 1, 1, 2, 0, 0, 0, 0, 2, 3, 1, 0, MODEL_RIGHT},
    {"a mark, a late word", 2, 2, 1, 0, 0, 0, 0, 1, 2, 0, 1, MODEL_RIGHT},
    {"a rejoin, an older link", 1, 2, 1, 1, 0, 0, 0, 1, 2, 1, 0, MODEL_RIGHT},
    {"a rejoin, messages", 1, 3, 1, 1, 0, 0, 0, 1, 2, 0, 0, MODEL_RIGHT},
    {"two marks, a crash", 1, 1, 2, 0, 0, 1, 0, 1, 2, 0, 0, MODEL_RIGHT},
    {"a mark, a crash", 2, 2, 1, 0, 0, 1, 0, 1, 2, 0, 0, MODEL_RIGHT},
    {"all as read, messages", 2, 3, 1, 0, 1, 0, 0, 1, 2, 0, 0, MODEL_RIGHT},
};

enum {
  SMALL = sizeof small / sizeof *small,
  USUAL = sizeof usual / sizeof *usual,
  LARGE = sizeof large / sizeof *large
};

/* The scenes that this run is about, and what came of them. */
static const model_scene *scenes = usual;
static size_t count = USUAL;
static model_result results[USUAL];

static model_result search(const model_scene *scene) {
  model_result result = model_search(scene);
  printf("# %s: %zu states, %zu steps, %zu quiet, %u deep, quiet within %u\n",
         scene->name, result.states, result.steps, result.quiet, result.depth,
         result.healing);
  return result;
}

static int search_all(void **state) {
  size_t states = 0, steps = 0;
  (void)state;
  if (test_scaled(20) < 20) {
    scenes = small;
    count = SMALL;
  }
  for (size_t i = 0; i < count; i++) {
    results[i] = search(&scenes[i]);
    states += results[i].states;
    steps += results[i].steps;
  }
  printf("# %zu states, %zu steps in all\n", states, steps);
  return 0;
}

static void test_interleavings__every_rule_holds_in_each(void **state) {
  (void)state;
  for (size_t i = 0; i < count; i++)
    if (results[i].broken)
      fail_msg("%s: %s", scenes[i].name, results[i].broken);
}

static void test_interleavings__every_rule_holds_in_many_more(void **state) {
  time_t end = test_soak_end();
  (void)state;
  for (size_t i = 0; i < LARGE && time(NULL) < end; i++) {
    model_result result = search(&large[i]);
    if (result.broken) fail_msg("%s: %s", large[i].name, result.broken);
  }
}

static void test_interleavings__every_act_and_every_frame_is_met(void **state) {
  model_result all = {0};
  (void)state;
  for (size_t i = 0; i < count; i++) {
    for (size_t act = 0; act < MODEL_ACT_KINDS; act++)
      all.acts[act] += results[i].acts[act];
    for (size_t frame = 0; frame < MODEL_FRAME_KINDS; frame++)
      all.taken[frame] += results[i].taken[frame];
  }
  for (size_t act = 0; act < MODEL_ACT_KINDS; act++)
    if (!all.acts[act]) fail_msg("act %zu was not met", act);
  for (size_t frame = MODEL_NO_FRAME + 1; frame < MODEL_FRAME_KINDS; frame++)
    if (!all.taken[frame]) fail_msg("frame %zu was not met", frame);
}

/* A small scene in which each fault shows. */
static const struct {
  const char *what;
  const model_scene *scene;
} faults[MODEL_FAULTS] = {
    [MODEL_MERGE_WITHOUT_EPOCH] = {"merge without epoch", &small[0]},
    [MODEL_REPORT_WITHOUT_EPOCH] = {"report without epoch", &small[0]},
    [MODEL_LOST_HIGH] = {"a mark loses high", &small[0]},
    [MODEL_MARK_WITHOUT_COMPARE] = {"a mark without compare", &usual[5]},
    [MODEL_EXPECTED_NOT_REPORTED] = {"expected is not reported", &small[0]},
    [MODEL_OP_FORGOTTEN] = {"a mark is judged twice", &small[0]},
    [MODEL_REJOIN_IN_THE_SAME_EPOCH] = {"a rejoin in the epoch", &small[3]},
    [MODEL_CONFLICT_DROPS_READS] = {"a conflict drops reads", &usual[0]},
    [MODEL_OLD_EPOCH_DROPS_READS] = {"a rollback drops reads", &usual[5]},
    [MODEL_ANSWER_ENDS_THE_WISH] = {"an answer ends the wish", &small[0]},
    [MODEL_NOT_SENT_AGAIN] = {"nothing is sent again", &small[0]},
    [MODEL_SETTLED_UNDER_A_MARK] = {"settled under a mark", &small[0]},
    [MODEL_OPEN_MARK_NOT_WRITTEN] = {"the mark is not written", &usual[9]},
    [MODEL_SNAPSHOT_REVIVES_NOTHING] = {"no read is revived", &small[7]},
    [MODEL_RANGE_NOT_REFUSED] = {"no range is refused", &small[8]},
    [MODEL_RECEIPT_FALLS] = {"a receipt falls", &small[0]},
    [MODEL_READ_ALL_BEHIND_A_MARK] = {"all as read behind a mark", &small[4]},
};

static void test_interleavings__a_planted_fault_is_found(void **state) {
  (void)state;
  for (int fault = MODEL_RIGHT + 1; fault < MODEL_FAULTS; fault++) {
    model_scene scene = *faults[fault].scene;
    scene.fault = (model_fault)fault;
    printf("# planted: %s\n", faults[fault].what);
    model_result result = model_search(&scene);
    if (!result.broken) fail_msg("%s was not found", faults[fault].what);
    printf("#   found after %zu states; %u acts lead to it\n", result.states,
           result.length);
    assert_in_range(result.length, 1, 15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_interleavings__a_planted_fault_is_found),
      cmocka_unit_test(test_interleavings__every_act_and_every_frame_is_met),
      cmocka_unit_test(test_interleavings__every_rule_holds_in_each),
      cmocka_unit_test(test_interleavings__every_rule_holds_in_many_more),
  };
  return cmocka_run_group_tests(tests, search_all, NULL);
}
