/*
 * The engine against the naive model: the bytes make each choice of the world
 * that invents their inputs, after which both have to agree; and where the
 * world's server was never wrong, all is as that knows it in the end.
 */
#include "fuzz/target.h"

#include "naive/shrink.h"
#include "naive/world.h"

#include <stdio.h>

enum { MOST_STEPS = 300 };

/* Says it as random tests do, by a run as short as it gets. */
static void differs(naive_run *run) {
  char why[512] = "";

  naive_run_shrink(run);
  naive_run_differs(run, why, sizeof why);
  naive_run_print(run);
  target_stop(why, __FILE__, __LINE__);
}

/* false: they differ, after the run's last step. */
static bool play(naive_run *run, naive_player *player) {
  naive_world *world = run->world;
  bool finishing = false;

  while (!naive_world_finished(world)) {
    naive_step step;

    if (!finishing &&
        (!naive_world_has_bytes(world) || run->count == MOST_STEPS)) {
      naive_world_finish(world);
      finishing = true;
    }
    step = naive_world_next(world, player_model(player));
    naive_run_add(run, &step);
    if (!player_step(player, &step)) return false;
    naive_world_hear(world, player_model(player));
  }
  return true;
}

static void check_truth(const naive_run *run, const naive_player *player) {
  char why[512];

  if (!naive_world_untrue(run->world, player_model(player), why, sizeof why))
    return;
  naive_run_print(run);
  target_stop(why, __FILE__, __LINE__);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  target_bytes from = {bytes, bytes + size};
  naive_mood mood =
      target_byte(&from) & 1 ? NAIVE_MOOD_HOSTILE : NAIVE_MOOD_CONSISTENT;
  naive_run run = {.fault = NAIVE_FAULT_NONE};
  naive_player *player;

  run.world = naive_world_of_bytes(from.at, (size_t)(from.end - from.at), mood);
  run.options = *naive_world_options(run.world);
  player = player_new(&run.options, NAIVE_FAULT_NONE);
  if (!play(&run, player)) differs(&run);
  if (mood == NAIVE_MOOD_CONSISTENT) check_truth(&run, player);
  player_free(player);
  naive_run_free(&run);
  return 0;
}
