/*
 * Other names for the conversations, people and devices of a trace: each
 * always the same one, and sorted by bytes as the real ones are.
 *
 * All lines are collected first, then numbered, then renamed.
 */
#ifndef SN_CLIENT_PSEUDONYMS_H
#define SN_CLIENT_PSEUDONYMS_H

#include "base/table.h"
#include "trace/ids.h"

/* The ids of one kind. */
typedef struct sn_id_list {
  char **ids; /* in order, once they are numbered */
  size_t count;
  size_t capacity;
  sn_table table; /* of the index and one, until then */
  char *names;    /* one behind the other */
} sn_id_list;

typedef struct sn_pseudonyms {
  const seen_allocator *memory;
  sn_id_list lists[SN_ID_KINDS];
} sn_pseudonyms;

void sn_pseudonyms_init(sn_pseudonyms *names, const seen_allocator *memory);
void sn_pseudonyms_free(sn_pseudonyms *names);

/* 0 or SEEN_ENOMEM. */
int sn_pseudonyms_collect(sn_pseudonyms *names, const seen_trace_line *line,
                          seen_error *error);
int sn_pseudonyms_number(sn_pseudonyms *names, seen_error *error);

/* A copy of a line that was collected, under the other names; it is valid as
 * long as they are. */
int sn_pseudonyms_rename(const sn_pseudonyms *names,
                         const seen_trace_line *line, seen_trace_line **out,
                         seen_error *error);

#endif
