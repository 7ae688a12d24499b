/* Expectations against an engine. */
#ifndef REPLAY_COMPARE_H
#define REPLAY_COMPARE_H

#include "outputs.h"
#include "place.h"

/*
 * Compares one expectation and prints each difference. `sent` is what was sent
 * since the last time, `cap` the badge's.
 */
outcome compare_line(const place *at, const seen_trace_line *line,
                     seen_engine *engine, uint32_t cap,
                     const output_list *sent);

#endif
