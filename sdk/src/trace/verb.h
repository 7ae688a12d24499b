/*
 * The verbs of a trace: each is a field of the line, by whose table its value
 * is read into a seen_trace_line and written.
 */
#ifndef SN_TRACE_VERB_H
#define SN_TRACE_VERB_H

#include "trace/field.h"

#include <seen/sys/trace.h>

typedef struct sn_verb {
  seen_trace_type type;
  seen_input_type input; /* of SEEN_TRACE_INPUT */
  sn_field value;        /* its name is the verb */
  /* What no table says; NULL where it says all. */
  int (*check)(const sn_reader *reader, const sn_json *value,
               seen_trace_line *line);
} sn_verb;

typedef struct sn_verbs {
  const sn_verb *verbs;
  size_t count;
} sn_verbs;

extern const sn_verbs sn_verbs_inputs;
extern const sn_verbs sn_verbs_states;
extern const sn_verbs sn_verbs_expects;

/* The verb of that name: `state` is told by its value. NULL: there is none. */
const sn_verb *sn_verb_find(const char *name, const sn_json *value);

/* The verb of a line, of all or of one table; NULL: there is none. */
const sn_verb *sn_verb_of(const seen_trace_line *line);
const sn_verb *sn_verb_in(const sn_verbs *table, const seen_trace_line *line);

/* Makes a line, all zero till then, what it is before a field is read; and
 * completes it behind the last. `written` is not the caller's yet. */
void sn_verb_begin(const sn_verb *verb, seen_trace_line *line);
void sn_verb_end(seen_trace_line *line);

/* Whether it is a refusal without a word, whose object is sn_refuse_bare. */
bool sn_verb_is_bare(const seen_trace_line *line);

/* What is in work of a conversation; and the session, as a trace begins. */
extern const sn_struct sn_struct_working;
extern const sn_object sn_object_session;
extern const seen_session sn_session_plain;

/* A refusal's object where it carries no word. */
extern const sn_object sn_refuse_bare;

/* Offsets in a line, and entries of tables by them. */
#define SN_AT(member) ((uint16_t)offsetof(seen_trace_line, member))

#define SN_REQUIRED(field_name, field_type, offset, table)                     \
  {                                                                            \
    .name = field_name, .type = SN_FIELD_##field_type, .required = true,       \
    .at = (offset), .how = (table)                                             \
  }

#define SN_OPTIONAL(field_name, field_type, offset, table)                     \
  {                                                                            \
    .name = field_name, .type = SN_FIELD_##field_type, .at = (offset),         \
    .how = (table)                                                             \
  }

/* Said is what has its bit in the mask. */
#define SN_MASKED(field_name, field_type, offset, table, mask_offset,          \
                  mask_bit)                                                    \
  {                                                                            \
    .name = field_name, .type = SN_FIELD_##field_type, .at = (offset),         \
    .mask = (mask_offset), .bit = (mask_bit), .how = (table)                   \
  }

#define SN_LIST(field_name, offset, count_offset, table)                       \
  {                                                                            \
    .name = field_name, .type = SN_FIELD_LIST, .at = (offset),                 \
    .count = (count_offset), .how = (table)                                    \
  }

/* A position (epoch, seq) with or without `high`, by structs of their own. */
extern const sn_object sn_object_position;

#endif
