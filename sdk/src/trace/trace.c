/*
 * One line of a trace: an optional `at` and one verb. What the verb's value is
 * stands in the tables of inputs.c, states.c, working.c and expects.c.
 */
#include "trace/line.h"
#include "trace/verb.h"

#include "base/fail.h"

#include <string.h>

static const sn_field at_field = {
    .name = "at", .type = SN_FIELD_NUMBER, .at = SN_AT(at)};

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

static int read_line(const sn_reader *reader, const sn_json *root,
                     seen_trace_line *line) {
  const sn_json *value;
  const sn_verb *verb;
  int status = find_member(reader, root, &value, line);

  if (status != SEEN_OK) return status;
  verb = sn_verb_find(sn_json_name(value), value);
  if (verb == NULL)
    return sn_read_unknown(reader, "verb", sn_json_name(value), "the line");
  sn_verb_begin(verb, line);
  status = sn_read_field(reader, value, &verb->value, "the line", line);
  if (status != SEEN_OK) return status;
  sn_verb_end(line);
  return verb->check != NULL ? verb->check(reader, value, line) : SEEN_OK;
}

static bool is_blank(const char *text, size_t size) {
  size_t i;

  if (size > 0 && text[0] == '#') return true;
  for (i = 0; i < size; i++)
    if (strchr(" \t\r\n", text[i]) == NULL || text[i] == '\0') return false;
  return true;
}

static int parse(const char *text, size_t size, const sn_reader *reader,
                 seen_trace_line *line) {
  sn_json *root;
  int status;

  if (is_blank(text, size)) return SEEN_OK;
  if (size > SEEN_TRACE_LINE_MAX)
    return sn_fail(reader->error, SEEN_EPARSE,
                   "the line has more than %u bytes",
                   (uint64_t)SEEN_TRACE_LINE_MAX);
  status = sn_json_parse(text, size, &root, reader->error);
  if (status != SEEN_OK) return status;
  status = read_line(reader, root, line);
  sn_json_free(root);
  return status;
}

int seen_trace_parse(const char *text, size_t size,
                     const seen_allocator *allocator, seen_trace_line **out,
                     seen_error *error) {
  sn_reader reader = {NULL, error};
  seen_trace_line *line = sn_line_new(allocator, &reader.arena);
  int status;

  *out = NULL;
  if (line == NULL) return sn_fail_memory(error);
  status = parse(text, size, &reader, line);
  if (status != SEEN_OK)
    seen_trace_line_free(line);
  else
    *out = line;
  return status;
}

static int write_verb(const sn_writer *writer, const sn_verb *verb,
                      const seen_trace_line *line) {
  seen_trace_line defaults;
  sn_field value = verb->value;

  memset(&defaults, 0, sizeof defaults);
  sn_verb_begin(verb, &defaults);
  if (sn_verb_is_bare(line)) value.how = &sn_refuse_bare;
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
  const sn_verb *verb = sn_verb_of(line);
  int status;

  *length = 0;
  sn_text_fixed(&out, text, size);
  if (line->type == SEEN_TRACE_BLANK) return SEEN_OK;
  if (verb == NULL)
    return sn_fail(error, SEEN_EINVAL, "no verb for a line of type %u",
                   (uint64_t)line->type);
  status = write_verb(&writer, verb, line);
  sn_text_add(&out, "}");
  *length = out.length;
  return status;
}
