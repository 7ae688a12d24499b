#include "sim/shrink.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES_MAX = 600 };

/* The rule's id, or the first words of what went wrong. */
static size_t rule_length(const char *why) {
  size_t length = strcspn(why, ":");

  return length < 24 ? length : 24;
}

static bool fails_alike(const sim_plan *plan, char why[SIM_WHY]) {
  sim_world *sim = malloc(sizeof *sim);
  sim_tally tally;
  bool alike;

  if (sim == NULL) abort();
  memset(&tally, 0, sizeof tally);
  alike = !sim_run(sim, plan, &tally, false) &&
          strncmp(sim->why, why, rule_length(why) + 1) == 0;
  if (alike) memcpy(why, sim->why, SIM_WHY);
  sim_end(sim);
  free(sim);
  return alike;
}

void shrink_plan(sim_plan *plan, char why[SIM_WHY]) {
  size_t tries = 0;

  for (size_t size = plan->count / 2; size > 0; size /= 2)
    for (size_t from = 0; from + size <= plan->count && tries < TRIES_MAX;) {
      sim_plan smaller = *plan;

      plan_cut(&smaller, from, size);
      tries++;
      if (fails_alike(&smaller, why))
        *plan = smaller;
      else
        from += size;
    }
}
