/*
 * One line of a trace: an optional `at` and one verb. What the verb's value is
 * stands in the tables of inputs.c, states.c and expects.c.
 */
#include "trace/verb.h"

#include "base/fail.h"
#include "base/memory.h"

#include <string.h>

/* What a parsed line is the beginning of. */
typedef struct parsed_line {
  seen_trace_line line;
  sn_arena arena;
} parsed_line;

static const sn_field at_field = {
    .name = "at", .type = SN_FIELD_NUMBER, .at = SN_AT(at)};

static const sn_verb *find_in(const sn_verbs *table, const char *name,
                              seen_trace_type type) {
  size_t i;

  for (i = 0; i < table->count; i++)
    if (strcmp(table->verbs[i].value.name, name) == 0 &&
        (type == SEEN_TRACE_BLANK || table->verbs[i].type == type))
      return &table->verbs[i];
  return NULL;
}

/* `state` is two verbs: one conversation's, or the session's. */
static const sn_verb *find_verb(const char *name, const sn_json *value) {
  const sn_verb *verb = find_in(&sn_verbs_inputs, name, SEEN_TRACE_BLANK);
  seen_trace_type state = SEEN_TRACE_RECORD;

  if (verb == NULL) verb = find_in(&sn_verbs_expects, name, SEEN_TRACE_BLANK);
  if (verb != NULL) return verb;
  if (sn_json_type_of(value) == SN_JSON_OBJECT &&
      sn_json_member(value, "conv") == NULL)
    state = SEEN_TRACE_SESSION;
  return find_in(&sn_verbs_states, name, state);
}

static int read_at(const sn_reader *reader, const sn_json *member,
                   seen_trace_line *line) {
  if (line->has_at)
    return sn_fail(reader->error, SEEN_EPARSE, "field 'at' twice in the line");
  line->has_at = true;
  return sn_read_field(reader, member, &at_field, "the line", line);
}

/* The member of the line that is not `at`. */
static int find_member(const sn_reader *reader, const sn_json *root,
                       const sn_json **found, seen_trace_line *line) {
  const sn_json *member;

  *found = NULL;
  if (sn_json_type_of(root) != SN_JSON_OBJECT)
    return sn_fail(reader->error, SEEN_EPARSE, "the line is not an object");
  for (member = sn_json_first(root); member != NULL;
       member = sn_json_next(member)) {
    int status = SEEN_OK;

    if (strcmp(sn_json_name(member), "at") == 0)
      status = read_at(reader, member, line);
    else if (*found != NULL)
      return sn_fail(reader->error, SEEN_EPARSE, "two verbs in one line");
    else
      *found = member;
    if (status != SEEN_OK) return status;
  }
  if (*found == NULL)
    return sn_fail(reader->error, SEEN_EPARSE, "no verb in the line");
  return SEEN_OK;
}

/* What a line of this type is before a field is read. */
static void set_defaults(seen_trace_line *line, seen_trace_type type) {
  if (type == SEEN_TRACE_ME) seen_options_init(&line->u.me);
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

static int read_line(const sn_reader *reader, const sn_json *root,
                     seen_trace_line *line) {
  const sn_json *value;
  const sn_verb *verb;
  int status = find_member(reader, root, &value, line);

  if (status != SEEN_OK) return status;
  verb = find_verb(sn_json_name(value), value);
  if (verb == NULL)
    return sn_read_unknown(reader, "verb", sn_json_name(value), "the line");
  set_defaults(line, verb->type);
  line->type = verb->type;
  set_sizes(line);
  if (verb->type == SEEN_TRACE_INPUT) line->u.input.type = verb->input;
  status = sn_read_field(reader, value, &verb->value, "the line", line);
  if (status != SEEN_OK || verb->check == NULL) return status;
  return verb->check(reader, value, line);
}

static bool is_blank(const char *text, size_t size) {
  size_t i;

  if (size > 0 && text[0] == '#') return true;
  for (i = 0; i < size; i++)
    if (strchr(" \t\r\n", text[i]) == NULL || text[i] == '\0') return false;
  return true;
}

static int parse(const char *text, size_t size, parsed_line *parsed,
                 seen_error *error) {
  sn_reader reader = {&parsed->arena, error};
  sn_json *root;
  int status;

  if (is_blank(text, size)) return SEEN_OK;
  if (size > SEEN_TRACE_LINE_MAX)
    return sn_fail(error, SEEN_EPARSE, "the line has more than %u bytes",
                   (uint64_t)SEEN_TRACE_LINE_MAX);
  status = sn_json_parse(text, size, &root, error);
  if (status != SEEN_OK) return status;
  status = read_line(&reader, root, &parsed->line);
  sn_json_free(root);
  return status;
}

int seen_trace_parse(const char *text, size_t size,
                     const seen_allocator *allocator, seen_trace_line **out,
                     seen_error *error) {
  parsed_line *parsed;
  int status;

  *out = NULL;
  if (allocator == NULL) allocator = seen_allocator_default();
  parsed = sn_allocate_zero(allocator, sizeof *parsed);
  if (parsed == NULL) return sn_fail_memory(error);
  parsed->line.size = (uint32_t)sizeof parsed->line;
  sn_arena_init(&parsed->arena, allocator);
  status = parse(text, size, parsed, error);
  if (status != SEEN_OK)
    seen_trace_line_free(&parsed->line);
  else
    *out = &parsed->line;
  return status;
}

void seen_trace_line_free(seen_trace_line *line) {
  parsed_line *parsed = (parsed_line *)(void *)line;

  if (parsed == NULL) return;
  sn_arena_free(&parsed->arena);
  sn_release(parsed->arena.memory, parsed);
}

static const sn_verb *verb_of(const sn_verbs *table,
                              const seen_trace_line *line) {
  size_t i;

  for (i = 0; i < table->count; i++) {
    const sn_verb *verb = &table->verbs[i];

    if (verb->type == line->type &&
        (verb->type != SEEN_TRACE_INPUT || verb->input == line->u.input.type))
      return verb;
  }
  return NULL;
}

static int write_verb(const sn_writer *writer, const sn_verb *verb,
                      const seen_trace_line *line) {
  seen_trace_line defaults;
  sn_field value = verb->value;

  memset(&defaults, 0, sizeof defaults);
  set_defaults(&defaults, line->type);
  if (line->type == SEEN_TRACE_INPUT &&
      line->u.input.type == SEEN_INPUT_REFUSE &&
      !line->u.input.u.answer.has_word)
    value.how = &sn_refuse_bare;
  sn_text_add(writer->text, "{");
  if (line->has_at) {
    int status;

    sn_text_add(writer->text, "\"at\":");
    status = sn_write_number(writer, line->at);
    if (status != SEEN_OK) return status;
    sn_text_add(writer->text, ",");
  }
  sn_text_format(writer->text, "\"%s\":", value.name);
  return sn_write_field(writer, &value, line, &defaults);
}

int seen_trace_write(const seen_trace_line *line, char *text, size_t size,
                     size_t *length, seen_error *error) {
  sn_text out;
  sn_writer writer = {&out, error};
  const sn_verb *verb = verb_of(&sn_verbs_inputs, line);
  int status;

  *length = 0;
  sn_text_fixed(&out, text, size);
  if (line->type == SEEN_TRACE_BLANK) return SEEN_OK;
  if (verb == NULL) verb = verb_of(&sn_verbs_expects, line);
  if (verb == NULL) verb = verb_of(&sn_verbs_states, line);
  if (verb == NULL)
    return sn_fail(error, SEEN_EINVAL, "no verb for a line of type %u",
                   (uint64_t)line->type);
  status = write_verb(&writer, verb, line);
  sn_text_add(&out, "}");
  *length = out.length;
  return status;
}
