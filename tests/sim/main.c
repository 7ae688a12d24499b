/*
 * seen-sim: runs simulations by their seeds. A seed that fails is shown with
 * its rule, the acts that are left of it when it was made small, and what each
 * device had been fed, as a trace in a file. Prints TAP.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/device.h"
#include "sim/shrink.h"
#include "sim/traces.h"

/* No seed takes as long, under valgrind neither. */
enum { JOBS_MAX = 64, FAILURES_MAX = 5, SEED_SECONDS = 300 };

typedef struct sim_options {
  uint64_t seeds;
  uint64_t from;
  uint64_t fresh; /* seeds besides, by SEEN_SEED */
  uint64_t jobs;
  uint64_t twice;     /* each n-th seed is run twice; 0: none */
  bool states;        /* what is legal has to be reached */
  const char *traces; /* where those of a seed that fails are written */
  time_t until;       /* ever new seeds until then */
} sim_options;

/* What a job has to tell: memory that all of them share. */
typedef struct sim_job {
  sim_tally tally;
  uint64_t failed;
  uint64_t unlike; /* seeds that were not the same twice */
  uint64_t seed;   /* that it runs */
  bool done;
} sim_job;

static void usage(FILE *out) {
  fputs(
      "Usage: seen-sim [options]\n"
      "  --seeds N    how many simulations (2000)\n"
      "  --from N     the first seed (1)\n"
      "  --fresh N    as many more, by SEEN_SEED (0)\n"
      "  --jobs N     side by side (as there are cores)\n"
      "  --twice N    each n-th seed is run twice, and has to be alike (50)\n"
      "  --states     each legal frame has to meet each state, and each fault\n"
      "               has to come\n"
      "  --traces     of a seed that fails, prints what devices were fed\n"
      "SEEN_SCALE divides the counts; with SEEN_SECONDS it goes on under\n"
      "fresh seeds.\n",
      out);
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
  if (how->traces != NULL) traces_write(&plan, how->traces);
  printf("# again: tests/run.sh sim --from %" PRIu64 " --seeds 1 --traces .\n",
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

static void run_seed(sim_world *sim, uint64_t seed, const sim_options *how,
                     sim_job *job) {
  sim_plan plan;
  uint64_t hash;
  bool good;

  job->seed = seed;
  alarm(SEED_SECONDS);
  plan_draw(&plan, seed);
  good = sim_run(sim, &plan, &job->tally, false);
  hash = sim->hash;
  alarm(0);
  if (!good) tell_failure(sim, how);
  sim_end(sim);
  if (!good) job->failed++;
  if (good && how->twice > 0 && seed % how->twice == 0 &&
      hash_of(sim, &plan) != hash) {
    printf("# seed %" PRIu64 " is not the same twice\n", seed);
    job->unlike++;
  }
}

/* Each job takes each n-th seed: those asked for, then fresh ones. */
static void run_job(const sim_options *how, uint64_t number, uint64_t fresh,
                    sim_job *job) {
  sim_world *sim = malloc(sizeof *sim);
  uint64_t most = how->seeds + how->fresh;

  if (sim == NULL) abort();
  for (uint64_t i = number; job->failed < FAILURES_MAX; i += how->jobs) {
    if (i >= most && time(NULL) >= how->until) break;
    run_seed(sim, i < how->seeds ? how->from + i : fresh + i - how->seeds, how,
             job);
  }
  job->done = true;
  fflush(stdout);
  free(sim);
}

static double clock_s(void) {
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static sim_job *start_jobs(const sim_options *how, uint64_t fresh) {
  sim_job *jobs = mmap(NULL, how->jobs * sizeof *jobs, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  if (jobs == MAP_FAILED) abort();
  fflush(stdout);
  /* One that dies has to be told of. */
  for (uint64_t i = 0; i < how->jobs; i++)
    if (fork() == 0) {
      run_job(how, i, fresh, &jobs[i]);
      exit(0);
    }
  return jobs;
}

static bool report(unsigned number, bool good, const char *what) {
  printf("%sok %u - %s\n", good ? "" : "not ", number, what);
  return good;
}

/* A signal ended it, or it took for ever: there is no rule, and no trace. */
static void tell_death(uint64_t seed) {
  printf("# seed %" PRIu64 " dies\n", seed);
  printf("# again: gdb -ex 'set follow-fork-mode child' -ex run --args "
         "build/dev/tests/sim/seen-sim --from %" PRIu64 " --seeds 1\n",
         seed);
}

/* What all jobs found. */
static bool tell(const sim_options *how, const sim_job *jobs, double seconds) {
  sim_job sum;
  bool all_done = true, good;

  memset(&sum, 0, sizeof sum);
  for (uint64_t i = 0; i < how->jobs; i++) {
    tally_add(&sum.tally, &jobs[i].tally);
    sum.failed += jobs[i].failed;
    sum.unlike += jobs[i].unlike;
    all_done = all_done && jobs[i].done;
  }
  tally_print(&sum.tally, seconds);
  for (uint64_t i = 0; i < how->jobs; i++)
    if (!jobs[i].done) tell_death(jobs[i].seed);
  printf("1..%d\n", how->states ? 4 : 2);
  good = report(1, all_done && sum.failed == 0, "each seed keeps all rules");
  good = report(2, sum.unlike == 0, "the same seed is the same twice") && good;
  if (!how->states) return good;
  good = report(3, coverage_missing(&sum.tally.coverage) == 0,
                "each legal frame meets each state of a connection") &&
         good;
  return report(4, tally_missing(&sum.tally) == 0,
                "each act and each fault comes") &&
         good;
}

static bool read_options(sim_options *how, int count, char **arguments) {
  static const struct option names[] = {
      {"seeds", required_argument, NULL, 's'},
      {"from", required_argument, NULL, 'f'},
      {"fresh", required_argument, NULL, 'n'},
      {"jobs", required_argument, NULL, 'j'},
      {"twice", required_argument, NULL, '2'},
      {"states", no_argument, NULL, 'S'},
      {"traces", required_argument, NULL, 'T'},
      {NULL, 0, NULL, 0},
  };
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int name;

  *how = (sim_options){2000, 1,     0,    cores > 0 ? (uint64_t)cores : 1,
                       50,   false, NULL, test_soak_end()};
  while ((name = getopt_long(count, arguments, "", names, NULL)) != -1) {
    uint64_t value = optarg == NULL ? 0 : strtoull(optarg, NULL, 10);

    switch (name) {
    case 's': how->seeds = value; break;
    case 'f': how->from = value; break;
    case 'n': how->fresh = value; break;
    case 'j': how->jobs = value; break;
    case '2': how->twice = value; break;
    case 'S': how->states = true; break;
    case 'T': how->traces = optarg; break;
    default: return false;
    }
  }
  return optind == count && how->jobs > 0 && how->jobs <= JOBS_MAX;
}

int main(int count, char **arguments) {
  double began = clock_s();
  uint64_t fresh = 0, seeds;
  sim_options how;
  sim_job *jobs;

  if (!read_options(&how, count, arguments)) {
    usage(stderr);
    return 2;
  }
  seeds = how.seeds;
  how.seeds = how.seeds > 0 ? test_scaled(how.seeds) : 0;
  how.fresh = how.fresh > 0 ? test_scaled(how.fresh) : 0;
  if (how.seeds < seeds) how.states = false; /* too few to reach them all */
  if (how.fresh > 0 || how.until > time(NULL)) fresh = test_fresh_seed();
  jobs = start_jobs(&how, fresh);
  while (wait(NULL) > 0) {
  }
  return tell(&how, jobs, clock_s() - began) ? 0 : 1;
}
