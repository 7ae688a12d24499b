#include "naive/random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
/* cmocka wants the four above. */
#include <cmocka.h>

size_t naive_random_run(uint64_t seed, naive_mood mood, naive_fault fault,
                        size_t count, naive_run *run, char *why, size_t size) {
  naive_world *world = naive_world_new(seed, mood);
  naive_player *player;
  size_t played = 0;
  bool agree = true;

  *run = (naive_run){
      .options = *naive_world_options(world), .fault = fault, .world = world};
  player = player_new(&run->options, fault);
  why[0] = '\0';
  while (agree && !naive_world_finished(world)) {
    if (played == count) naive_world_finish(world);
    naive_step step = naive_world_next(world, player_model(player));

    naive_run_add(run, &step);
    played++;
    agree = player_step(player, &step);
    naive_world_hear(world, player_model(player));
  }
  if (!agree) {
    snprintf(why, size, "%s", player_difference(player));
    printf("# seed %" PRIu64 ", step %zu: %s\n", seed, played, why);
    naive_run_shrink(run);
    naive_run_differs(run, why, size);
    printf("# shrunk to %zu steps: %s\n", run->count, why);
    naive_run_print(run);
  }
  if (agree && mood == NAIVE_MOOD_CONSISTENT &&
      naive_world_untrue(world, player_model(player), why, size)) {
    printf("# seed %" PRIu64 ": %s\n", seed, why);
    naive_run_print(run);
  }
  player_free(player);
  return played;
}

void naive_random_runs(uint64_t seed, naive_mood mood, uint64_t inputs) {
  test_random seeds = {seed};
  char why[512];
  uint64_t played = 0;

  while (played < inputs) {
    uint64_t one = test_random_next(&seeds);
    size_t length = 40 + (size_t)(one % 500);
    naive_run run;

    played += naive_random_run(one, mood, NAIVE_FAULT_NONE, length, &run, why,
                               sizeof why);
    naive_run_free(&run);
    if (why[0] != '\0') fail_msg("seed %" PRIu64 ": %s", one, why);
  }
}
