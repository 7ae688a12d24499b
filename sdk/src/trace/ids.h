/*
 * The ids of a line, wherever its tables say that there is one.
 */
#ifndef SN_TRACE_IDS_H
#define SN_TRACE_IDS_H

#include <seen/sys/trace.h>

typedef enum sn_id_kind {
  SN_ID_CONVERSATION,
  SN_ID_PERSON,
  SN_ID_DEVICE,
  SN_ID_KINDS
} sn_id_kind;

/* May put another id in the place of one. Not 0 ends the visit. */
typedef int (*sn_id_visit)(sn_id_kind kind, const char **id, void *user_data);

/* Visits each id of a line that owns what it points at, an expectation's
 * apart; an empty device is none. Returns what the last visit did. */
int sn_line_ids(seen_trace_line *line, sn_id_visit visit, void *user_data);

#endif
