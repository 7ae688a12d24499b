#include "sim/coverage.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const states[SIM_STATES] = {
    "fresh", "paging", "in sync", "slow", "resyncing", "polled", "draining"};

static const char *const frames[SIM_FRAMES] = {
    "?",    "welcome", "changes",    "message", "position",
    "ack",  "peer",    "receipts",   "members", "set",
    "left", "page",    "report_now", "resync",  "error"};

void coverage_add(sim_coverage *sum, const sim_coverage *more) {
  for (int i = 0; i < SIM_STATES; i++) {
    for (int say = 0; say < SIM_SAYS; say++)
      sum->up[say][i] += more->up[say][i];
    for (int type = 0; type < SIM_FRAMES; type++)
      sum->down[type][i] += more->down[type][i];
  }
}

static void print_row(const char *word, const char *name,
                      const uint64_t row[SIM_STATES]) {
  printf("# %-5s %-12s", word, name);
  for (int i = 0; i < SIM_STATES; i++)
    printf(" %10" PRIu64, row[i]);
  printf("\n");
}

void coverage_print(const sim_coverage *coverage) {
  printf("# %-18s", "");
  for (int i = 0; i < SIM_STATES; i++)
    printf(" %10s", states[i]);
  printf("\n");
  for (int say = 1; say < SIM_SAYS; say++)
    print_row("up", sn_say_name((sn_say)say), coverage->up[say]);
  for (int type = 1; type < SIM_FRAMES; type++)
    print_row("down", frames[type], coverage->down[type]);
}

/* A connection says hello once, and nothing before. */
static bool is_legal_up(sn_say say, sim_state state) {
  return (say == SN_SAY_HELLO) == (state == SIM_STATE_FRESH);
}

/*
 * Before the welcome there are only errors. Who is told to resync is told
 * nothing more but answers, and what waited before: no words. Who is asked to
 * report is told so by a server that is about to go.
 */
static bool is_legal_down(sn_frame_type type, sim_state state) {
  switch (state) {
  case SIM_STATE_FRESH: return type == SN_FRAME_ERROR;
  case SIM_STATE_DRAINING:
    return type != SN_FRAME_WELCOME && type != SN_FRAME_RESYNC;
  case SIM_STATE_RESYNCING:
    return type != SN_FRAME_WELCOME && type != SN_FRAME_POSITION &&
           type != SN_FRAME_REPORT_NOW;
  default: return type != SN_FRAME_RESYNC && type != SN_FRAME_REPORT_NOW;
  }
}

unsigned coverage_missing(const sim_coverage *coverage) {
  unsigned missing = 0;

  for (int i = 0; i < SIM_STATES; i++) {
    for (int say = 1; say < SIM_SAYS; say++)
      if (is_legal_up((sn_say)say, (sim_state)i) && coverage->up[say][i] == 0) {
        printf("# not reached: %s said when %s\n", sn_say_name((sn_say)say),
               states[i]);
        missing++;
      }
    for (int type = 1; type < SIM_FRAMES; type++)
      if (is_legal_down((sn_frame_type)type, (sim_state)i) &&
          coverage->down[type][i] == 0) {
        printf("# not reached: %s told when %s\n", frames[type], states[i]);
        missing++;
      }
  }
  return missing;
}
