/* Ids by the tables: in objects, in their structs and in lists of them. */
#include "trace/ids.h"

#include "trace/verb.h"

typedef struct visitor {
  sn_id_visit visit;
  void *user_data;
} visitor;

static int in_object(const visitor *self, const sn_object *object, void *base,
                     const void *defaults);

static int in_list(const visitor *self, const sn_field *field, void *base) {
  const sn_items *kind = field->how;
  char *items = *(char **)(void *)((char *)base + field->at);
  size_t count = *(const size_t *)(void *)((char *)base + field->count);
  int status = SEEN_OK;
  size_t i;

  for (i = 0; i < count && status == SEEN_OK; i++)
    status =
        in_object(self, kind->object, items + i * kind->size, kind->defaults);
  return status;
}

static int in_field(const visitor *self, const sn_field *field, void *base,
                    const void *defaults) {
  void *value = (char *)base + field->at;
  const sn_struct *kind = field->how;

  switch (field->type) {
  case SN_FIELD_CONV:
    return self->visit(SN_ID_CONVERSATION, value, self->user_data);
  case SN_FIELD_ID: return self->visit(SN_ID_PERSON, value, self->user_data);
  case SN_FIELD_OBJECT:
    return in_object(self, field->how, value,
                     (const char *)defaults + field->at);
  case SN_FIELD_STRUCT:
    return in_object(self, kind->object, *(void **)value, kind->defaults);
  case SN_FIELD_LIST:
  case SN_FIELD_LIST_OR_NULL: return in_list(self, field, base);
  default: return SEEN_OK;
  }
}

static int in_object(const visitor *self, const sn_object *object, void *base,
                     const void *defaults) {
  int status = SEEN_OK;
  size_t i;

  for (i = 0; i < object->count && status == SEEN_OK; i++) {
    const sn_field *field = &object->fields[i];

    if (field->required || sn_field_said(field, base, defaults))
      status = in_field(self, field, base, defaults);
  }
  return status;
}

int sn_line_ids(seen_trace_line *line, sn_id_visit visit, void *user_data) {
  const visitor self = {visit, user_data};
  const sn_verb *verb = sn_verb_in(&sn_verbs_inputs, line);
  seen_trace_line defaults = {0};
  int status;

  if (verb == NULL) verb = sn_verb_in(&sn_verbs_states, line);
  if (verb == NULL) return SEEN_OK;
  sn_verb_begin(verb, &defaults);
  status = in_field(&self, &verb->value, line, &defaults);
  sn_verb_end(line); /* what was written has its id from the line */
  if (status == SEEN_OK && line->type == SEEN_TRACE_ME &&
      line->u.me.device[0] != '\0')
    status = visit(SN_ID_DEVICE, &line->u.me.device, user_data);
  return status;
}
