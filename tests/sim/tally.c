#include "sim/tally.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const faults[] = {
#define SIM_WORD(name, word) word,
    SIM_FAULTS(SIM_WORD)
#undef SIM_WORD
};

void tally_add(sim_tally *sum, const sim_tally *more) {
  sum->seeds += more->seeds;
  sum->virtual_ms += more->virtual_ms;
  sum->frames_up += more->frames_up;
  sum->frames_down += more->frames_down;
  sum->requests += more->requests;
  for (int i = 0; i < SIM_ACT_TYPES; i++)
    sum->acts[i] += more->acts[i];
  for (int i = 0; i < SIM_FAULT_TYPES; i++)
    sum->faults[i] += more->faults[i];
  coverage_add(&sum->coverage, &more->coverage);
}

static uint64_t sum_of(const uint64_t *list, int from, int to) {
  uint64_t sum = 0;

  for (int i = from; i < to; i++)
    sum += list[i];
  return sum;
}

static void print_line(uint64_t count, const char *word) {
  printf("# %8" PRIu64 "  %s\n", count, word);
}

void tally_print(const sim_tally *tally, double seconds) {
  printf("# %" PRIu64 " seeds, %.0f virtual hours, %.0f seeds/s; %" PRIu64
         " frames up, %" PRIu64 " down, %" PRIu64 " requests\n",
         tally->seeds, (double)tally->virtual_ms / 3600000,
         (double)tally->seeds / (seconds > 0 ? seconds : 1), tally->frames_up,
         tally->frames_down, tally->requests);
  printf("# people did, %" PRIu64 " times:\n", sum_of(tally->acts, 0, SIM_CUT));
  for (int i = 0; i < SIM_CUT; i++)
    print_line(tally->acts[i], sim_act_word((sim_act_type)i));
  printf("# faults injected, %" PRIu64 ":\n",
         sum_of(tally->acts, SIM_CUT, SIM_ACT_TYPES));
  for (int i = SIM_CUT; i < SIM_ACT_TYPES; i++)
    print_line(tally->acts[i], sim_act_word((sim_act_type)i));
  printf("# met by what was under way, %" PRIu64 " times:\n",
         sum_of(tally->faults, 0, SIM_FAULT_TYPES));
  for (int i = 0; i < SIM_FAULT_TYPES; i++)
    print_line(tally->faults[i], faults[i]);
  printf("# frames by the state of their connection:\n");
  coverage_print(&tally->coverage);
}

unsigned tally_missing(const sim_tally *tally) {
  unsigned missing = 0;

  for (int i = 0; i < SIM_ACT_TYPES; i++)
    if (tally->acts[i] == 0) {
      printf("# never: %s\n", sim_act_word((sim_act_type)i));
      missing++;
    }
  for (int i = 0; i < SIM_FAULT_TYPES; i++)
    if (tally->faults[i] == 0) {
      printf("# never: %s\n", faults[i]);
      missing++;
    }
  return missing;
}
