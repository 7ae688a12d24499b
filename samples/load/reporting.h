/*
 * Readers who report: each reports the messages of its conversations one by
 * one, in turn, so that every report moves a position.
 */
#ifndef LOAD_REPORTING_H
#define LOAD_REPORTING_H

#include "run.h"

enum { MOST_IN_FLIGHT = 64 };

/* A frame without an answer. */
typedef struct report_frame {
  uint64_t id, at; /* when it was due */
  uint64_t first;  /* which of the reader's reports is its first item */
  uint32_t items, answered;
} report_frame;

typedef struct reader {
  uint64_t next; /* its next report: conversations in turn, seqs rising */
  uint64_t last_id;
  size_t in_air;
  report_frame frames[MOST_IN_FLIGHT];
} reader;

typedef struct reporting {
  reader *readers;
  /* A report was taken; may be NULL. */
  void (*taken)(run *of, size_t group, uint64_t seq, uint64_t at);
} reporting;

void reporting_open(reporting *self, const run *of);
void reporting_close(reporting *self);

/* As a load's `act` and `frame`. */
bool reporting_act(reporting *self, run *of, size_t user, uint64_t at);
void reporting_frame(reporting *self, run *of, size_t user, const char *type,
                     const cJSON *frame);

/* The loads that are nothing else. */
bool reporters_open(run *of);
void reporters_close(run *of);
bool reporters_act(run *of, size_t user, uint64_t at);
void reporters_frame(run *of, size_t user, const char *type,
                     const cJSON *frame);
void reporters_tell(const run *of, cJSON *into);

#endif
