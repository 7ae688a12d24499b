/*
 * Writes what a simulation does as a trace: each input, what was sent, and
 * what the conversations show whenever one is closed and at the end.
 */
#ifndef REPLAY_WRITER_H
#define REPLAY_WRITER_H

#include "outputs.h"
#include "simulation.h"

#include <stdio.h>

typedef struct trace_writer {
  FILE *out;
  uint64_t at; /* the last line's time */
  bool failed;
  uint32_t cap;
  output_list sent;
  const char *closed; /* a conversation that was closed by this input */
} trace_writer;

bool trace_writer_open(trace_writer *self, const char *path);

/* Writes `me` and sets what the simulation is to tell. */
void trace_writer_begin(trace_writer *self, const seen_options *me,
                        simulation_watch *watch);
void trace_writer_end(trace_writer *self, simulation *of);

/* False where not everything was written. */
bool trace_writer_close(trace_writer *self);

#endif
