/*
 * How long a report waits until it is durable: frames of one item, one of a
 * connection in flight. The options hold both at 1. How many of them share a
 * commit is the server's to say.
 */
#include "reporting.h"

static void tell(const run *of, cJSON *into) {
  double commits = of->figures.server.counts[SERVER_COMMITS];

  reporters_tell(of, into);
  if (commits > 0)
    cJSON_AddNumberToObject(into, "reports_per_commit",
                            (double)of->figures.answered / commits);
}

const load load_durable = {
    .unit = "reports",
    .open = reporters_open,
    .close = reporters_close,
    .act = reporters_act,
    .frame = reporters_frame,
    .section = "merge",
    .tell = tell,
};
