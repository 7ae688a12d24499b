/*
 * seen-sim: runs simulations by their seeds. A seed that fails is shown with
 * its rule, the acts that are left of it when it was made small, and what each
 * device had been fed, as a trace.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/device.h"
#include "sim/shrink.h"

typedef struct sim_options {
  uint64_t seeds;
  uint64_t from;
  uint64_t jobs;
  uint64_t seconds; /* 0: all seeds, however long that takes */
  uint64_t twice;   /* each n-th seed is run twice; 0: none */
  bool traces;
} sim_options;

static void usage(FILE *out) {
  fputs("Usage: seen-sim [options]\n"
        "  --seeds N    how many simulations (2000)\n"
        "  --from N     the first seed (1)\n"
        "  --jobs N     side by side (1)\n"
        "  --seconds N  ever new seeds, for so long\n"
        "  --twice N    each n-th seed is run twice, and has to be alike (50)\n"
        "  --traces     of a seed that fails, prints what devices were fed\n",
        out);
}

static int print_line(const char *line, size_t length, void *user_data) {
  (void)user_data;
  printf("%.*s\n", (int)length, line);
  return SEEN_OK;
}

static void print_traces(const sim_plan *plan) {
  sim_world *sim = malloc(sizeof *sim);
  sim_tally tally;

  if (sim == NULL) abort();
  memset(&tally, 0, sizeof tally);
  sim_run(sim, plan, &tally, true);
  for (size_t i = 0; i < sim->device_count; i++) {
    if (sim->devices[i].recorder == NULL) continue;
    printf("# trace of %s\n", sim->devices[i].name);
    seen_recorder_dump(sim->devices[i].recorder, SEEN_NAMES_REAL, print_line,
                       NULL, NULL);
  }
  sim_end(sim);
  free(sim);
}

static void tell_failure(const sim_world *failed, const sim_options *how) {
  sim_plan plan = failed->plan;
  char why[SIM_WHY];

  memcpy(why, failed->why, SIM_WHY);
  printf("# seed %" PRIu64 " fails at %" PRIu64 " ms, behind act %zu: %s\n",
         plan.seed, failed->now, failed->step, why);
  fflush(stdout);
  shrink_plan(&plan, why);
  printf("# made smaller: %s\n", why);
  plan_print(&plan);
  if (how->traces) print_traces(&plan);
  printf("# again: tests/run.sh sim --from %" PRIu64 " --seeds 1 --traces\n",
         plan.seed);
  fflush(stdout);
}

static uint64_t hash_of(sim_world *sim, const sim_plan *plan) {
  sim_tally tally;
  uint64_t hash;

  memset(&tally, 0, sizeof tally);
  sim_run(sim, plan, &tally, false);
  hash = sim->hash;
  sim_end(sim);
  return hash;
}

/* One seed; false: it fails. */
static bool run_seed(sim_world *sim, uint64_t seed, const sim_options *how,
                     sim_tally *tally) {
  sim_plan plan;
  bool good;
  uint64_t hash;

  plan_draw(&plan, seed);
  good = sim_run(sim, &plan, tally, false);
  hash = sim->hash;
  if (!good) tell_failure(sim, how);
  sim_end(sim);
  if (good && how->twice > 0 && seed % how->twice == 0 &&
      hash_of(sim, &plan) != hash) {
    printf("# seed %" PRIu64 " is not the same twice\n", seed);
    good = false;
  }
  return good;
}

static void print_tally(const sim_tally *tally, double seconds) {
  printf("# %" PRIu64 " seeds, %.0f virtual hours, %.0f seeds/s; %" PRIu64
         " frames up, %" PRIu64 " down, %" PRIu64 " requests, %" PRIu64
         " cut links, %" PRIu64 " commits lost\n",
         tally->seeds, (double)tally->virtual_ms / 3600000,
         (double)tally->seeds / (seconds > 0 ? seconds : 1), tally->frames_up,
         tally->frames_down, tally->requests, tally->cuts, tally->commits_lost);
  for (int i = 0; i < SIM_ACT_TYPES; i++)
    printf("# %8" PRIu64 "  %s\n", tally->acts[i],
           sim_act_word((sim_act_type)i));
}

static double clock_s(void) {
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Each job takes each n-th seed. Returns how many failed. */
static int run_job(const sim_options *how, uint64_t job) {
  sim_world *sim = malloc(sizeof *sim);
  sim_tally tally;
  double began = clock_s();
  int failed = 0;

  if (sim == NULL) abort();
  memset(&tally, 0, sizeof tally);
  for (uint64_t i = job; how->seconds > 0 || i < how->seeds; i += how->jobs) {
    if (how->seconds > 0 && clock_s() - began > (double)how->seconds) break;
    if (!run_seed(sim, how->from + i, how, &tally)) failed++;
    if (failed == 5) break; /* enough to look at */
  }
  if (job == 0) print_tally(&tally, clock_s() - began);
  fflush(stdout);
  free(sim);
  return failed;
}

static bool read_options(sim_options *how, int count, char **arguments) {
  static const struct option names[] = {
      {"seeds", required_argument, NULL, 's'},
      {"from", required_argument, NULL, 'f'},
      {"jobs", required_argument, NULL, 'j'},
      {"seconds", required_argument, NULL, 't'},
      {"twice", required_argument, NULL, '2'},
      {"traces", no_argument, NULL, 'T'},
      {NULL, 0, NULL, 0},
  };
  int name;

  *how = (sim_options){2000, 1, 1, 0, 50, false};
  while ((name = getopt_long(count, arguments, "", names, NULL)) != -1) {
    uint64_t value = optarg == NULL ? 0 : strtoull(optarg, NULL, 10);

    switch (name) {
    case 's': how->seeds = value; break;
    case 'f': how->from = value; break;
    case 'j': how->jobs = value; break;
    case 't': how->seconds = value; break;
    case '2': how->twice = value; break;
    case 'T': how->traces = true; break;
    default: return false;
    }
  }
  return optind == count && how->jobs > 0 && how->jobs <= 64;
}

int main(int count, char **arguments) {
  sim_options how;
  bool good = true;

  if (!read_options(&how, count, arguments)) {
    usage(stderr);
    return 2;
  }
  for (uint64_t i = 0; i < how.jobs; i++)
    if (how.jobs == 1) {
      return run_job(&how, 0) > 0;
    } else if (fork() == 0) {
      return run_job(&how, i) > 0;
    }
  for (uint64_t i = 0; i < how.jobs; i++) {
    int status = 0;

    wait(&status);
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return good ? 0 : 1;
}
