/* Verbs by name, by line and by number; how a line of each begins. */
#include "trace/verb.h"

#include <string.h>

static const sn_verb *find_in(const sn_verbs *table, const char *name,
                              seen_trace_type type) {
  size_t i;

  for (i = 0; i < table->count; i++)
    if (strcmp(table->verbs[i].value.name, name) == 0 &&
        (type == SEEN_TRACE_BLANK || table->verbs[i].type == type))
      return &table->verbs[i];
  return NULL;
}

/* `state` is three verbs. */
static seen_trace_type type_of_state(const sn_json *value) {
  if (sn_json_type_of(value) != SN_JSON_OBJECT) return SEEN_TRACE_RECORD;
  if (sn_json_member(value, "conv") == NULL) return SEEN_TRACE_SESSION;
  return sn_json_member(value, "kind") != NULL ? SEEN_TRACE_RECORD
                                               : SEEN_TRACE_WORKING;
}

const sn_verb *sn_verb_find(const char *name, const sn_json *value) {
  const sn_verb *verb = find_in(&sn_verbs_inputs, name, SEEN_TRACE_BLANK);

  if (verb == NULL) verb = find_in(&sn_verbs_expects, name, SEEN_TRACE_BLANK);
  if (verb != NULL) return verb;
  return find_in(&sn_verbs_states, name, type_of_state(value));
}

const sn_verb *sn_verb_in(const sn_verbs *table, const seen_trace_line *line) {
  size_t i;

  for (i = 0; i < table->count; i++) {
    const sn_verb *verb = &table->verbs[i];

    if (verb->type == line->type &&
        (verb->type != SEEN_TRACE_INPUT || verb->input == line->u.input.type))
      return verb;
  }
  return NULL;
}

const sn_verb *sn_verb_of(const seen_trace_line *line) {
  const sn_verb *verb = sn_verb_in(&sn_verbs_inputs, line);

  if (verb == NULL) verb = sn_verb_in(&sn_verbs_expects, line);
  return verb != NULL ? verb : sn_verb_in(&sn_verbs_states, line);
}

bool sn_verb_is_bare(const seen_trace_line *line) {
  return line->type == SEEN_TRACE_INPUT &&
         line->u.input.type == SEEN_INPUT_REFUSE &&
         !line->u.input.u.answer.has_word;
}

/* The structs in a line have a size of their own. */
static void set_sizes(seen_trace_line *line) {
  switch (line->type) {
  case SEEN_TRACE_INPUT:
    line->u.input.size = (uint32_t)sizeof line->u.input;
    break;
  case SEEN_TRACE_RECORD:
    line->u.record.size = (uint32_t)sizeof line->u.record;
    break;
  case SEEN_TRACE_EXPECT:
    line->u.expect.state.size = (uint32_t)sizeof line->u.expect.state;
    break;
  case SEEN_TRACE_EXPECT_RECEIPT:
    line->u.receipt.receipt.size = (uint32_t)sizeof line->u.receipt.receipt;
    break;
  case SEEN_TRACE_EXPECT_METRIC:
    line->u.metrics.metrics.size = (uint32_t)sizeof line->u.metrics.metrics;
    break;
  default: break;
  }
}

void sn_verb_begin(const sn_verb *verb, seen_trace_line *line) {
  line->type = verb->type;
  set_sizes(line);
  switch (verb->type) {
  case SEEN_TRACE_ME: seen_options_init(&line->u.me); break;
  case SEEN_TRACE_SESSION: line->u.session = sn_session_plain; break;
  case SEEN_TRACE_INPUT:
    line->u.input.type = verb->input;
    if (verb->input == SEEN_INPUT_ACK) line->u.input.u.answer.has_word = true;
    break;
  default: break;
  }
}

void sn_verb_end(seen_trace_line *line) {
  if (line->type == SEEN_TRACE_SESSION && line->has_at)
    line->u.session.now = line->at;
  if (line->type != SEEN_TRACE_RECORD && line->type != SEEN_TRACE_WORKING)
    return;
  if (line->working == NULL) line->working = sn_struct_working.defaults;
  if (line->written != NULL)
    ((seen_record *)line->written)->id =
        line->type == SEEN_TRACE_RECORD ? line->u.record.id : line->u.id;
}
