/* What a run counted, and how it is printed. */
#ifndef LOAD_FIGURES_H
#define LOAD_FIGURES_H

#include "latency.h"
#include "options.h"

#include <cjson/cJSON.h>
#include <stddef.h>

enum { TALLY_ROWS = 24, WAITS = 3 };

/* How often each name came; those without room are the last one's. */
typedef struct tally {
  struct {
    char name[40];
    uint64_t count;
  } rows[TALLY_ROWS];
  size_t count;
} tally;

void tally_add(tally *self, const char *name, uint64_t count);

/* What a kind of act took; `name` is static. */
typedef struct wait_figures {
  const char *name; /* NULL: none */
  latency took;
} wait_figures;

/* Counters of the server's /metrics, by how much they rose. */
typedef enum server_count {
  SERVER_REPORTS,
  SERVER_MERGED,
  SERVER_STALE,
  SERVER_REFUSED,
  SERVER_COMMITS,
  SERVER_PUSHES,
  SERVER_COUNTS
} server_count;

typedef struct server_counts {
  bool known;
  double counts[SERVER_COUNTS];
} server_counts;

/* Adds those of a page; `sign` -1 takes them off. */
void server_counts_add(server_counts *self, const char *page, double sign);

typedef struct figures {
  uint64_t sent, answered; /* of what the load counts */
  uint64_t pushes;         /* frames that nobody asked for */
  tally results, errors;
  wait_figures waits[WAITS];
  uint64_t began, stopped, drained;          /* ns */
  uint64_t answered_in_time;                 /* before it stopped */
  uint64_t not_answered, not_sent, not_told; /* when it stopped */
  double cpu_s;                              /* of this program, in the load */
  cJSON *own;                                /* the load's */
  server_counts server;
  uint64_t window_ms, reports_per_second; /* the server's */
  const char *unit, *section;
} figures;

/* Everything as one tree; `environment` becomes part of it. */
cJSON *figures_tree(const figures *self, const options *how,
                    cJSON *environment);

/* The tree as JSON, or as text for people. */
void figures_print(const cJSON *tree, bool json, FILE *out);

#endif
