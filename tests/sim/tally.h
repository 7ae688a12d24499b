/*
 * What was injected and seen, over all seeds of a run: an act or a fault that
 * never came tests nothing.
 */
#ifndef TESTS_SIM_TALLY_H
#define TESTS_SIM_TALLY_H

#include "sim/coverage.h"
#include "sim/plan.h"

/* X(name, words): what went wrong, where it was met and not where planned. */
#define SIM_FAULTS(X)                                                          \
  X(CUT, "links cut")                                                          \
  X(UNANSWERED, "dials that nobody answered")                                  \
  X(REFUSED, "dials refused")                                                  \
  X(PORTALLED, "dials and requests answered by a portal")                      \
  X(UNSOCKETED, "sockets blocked")                                             \
  X(POLL, "links of requests")                                                 \
  X(UNREACHED, "requests that reached nobody")                                 \
  X(LOST_UP, "frames lost on their way to the server")                         \
  X(LOST_DOWN, "frames lost on their way to a device")                         \
  X(LATE, "frames behind those of a later link")                               \
  X(HELD, "frames that waited for a slow reader")                              \
  X(MISSED, "pushes lost")                                                     \
  X(DOUBLED, "pushes that came twice")                                         \
  X(DELAYED, "pushes behind later ones")                                       \
  X(OVERFLOW, "slow readers told to resync")                                   \
  X(AGAIN, "ops said again")                                                   \
  X(UNAUTHORIZED, "tokens that had ended")                                     \
  X(LIMITED, "reports refused for their rate")                                 \
  X(CONFLICT, "marks refused for a read")                                      \
  X(STALE_NOTE, "stale push notifications")                                    \
  X(SERVER_LOSS, "server crashes that lost what was not committed")            \
  X(SERVER_IO, "failures of the server's storage")                             \
  X(SERVER_CLOCK, "server clocks that leapt")                                  \
  X(MEMORY_BACK, "restores in memory")                                         \
  X(SQLITE_BACK, "restores of SQLite's files")                                 \
  X(PAGE, "devices killed behind a page")                                      \
  X(DEVICE_LOSS, "devices killed with what was not written")                   \
  X(DEVICE_IO, "writes that a device put off")                                 \
  X(DEVICE_CALL, "calls of a device's SQLite that failed")

typedef enum sim_fault {
#define SIM_ENUM(name, word) SIM_FAULT_##name,
  SIM_FAULTS(SIM_ENUM)
#undef SIM_ENUM
      SIM_FAULT_TYPES
} sim_fault;

typedef struct sim_tally {
  uint64_t seeds;
  uint64_t virtual_ms;
  uint64_t acts[SIM_ACT_TYPES]; /* that did something */
  uint64_t faults[SIM_FAULT_TYPES];
  uint64_t frames_up;
  uint64_t frames_down;
  uint64_t requests;
  sim_coverage coverage;
} sim_tally;

void tally_add(sim_tally *sum, const sim_tally *more);
void tally_print(const sim_tally *tally, double seconds);

/* Prints what never came; how many. */
unsigned tally_missing(const sim_tally *tally);

#endif
