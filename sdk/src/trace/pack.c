/*
 * An object is a number whose bits say which of its optional fields follow,
 * then the values in the order of its table; a list is its count and then its
 * items.
 */
#include "trace/pack.h"

#include "base/fail.h"
#include "base/table.h"
#include "trace/line.h"
#include "trace/verb.h"

#include <string.h>

#define ID_MAX 255

static const sn_verbs *const tables[] = {&sn_verbs_inputs, &sn_verbs_states};

/* A refusal without a word has a table of its own, and so a code: 0. */
enum { CODE_BARE, CODE_FIRST };

void sn_pack_number(sn_text *out, uint64_t number) {
  char bytes[10];
  size_t size = 0;

  for (; number > 127; number >>= 7)
    bytes[size++] = (char)(number | 128);
  bytes[size++] = (char)number;
  sn_text_add_bytes(out, bytes, size);
}

static const void *value_at(const void *base, size_t at) {
  return (const char *)base + at;
}

static bool bit_is_set(const sn_field *field, const void *base, uint32_t bit) {
  return (*(const uint32_t *)value_at(base, field->mask) & bit) != 0;
}

static int pack_text(sn_text *out, const sn_field *field, const char *text,
                     seen_error *error) {
  size_t size;

  if (text == NULL)
    return sn_fail(error, SEEN_EINVAL, "'%s' is missing", field->name);
  size = strlen(text);
  sn_pack_number(out, size);
  sn_text_add_bytes(out, text, size);
  return SEEN_OK;
}

static int pack_object(sn_text *out, const sn_object *object, const void *base,
                       const void *defaults, seen_error *error);

static int pack_list(sn_text *out, const sn_field *field, const void *base,
                     seen_error *error) {
  const sn_items *kind = field->how;
  const char *items = *(const char *const *)value_at(base, field->at);
  size_t count = *(const size_t *)value_at(base, field->count);
  int status = SEEN_OK;
  size_t i;

  sn_pack_number(out, count);
  for (i = 0; i < count && status == SEEN_OK; i++)
    status = pack_object(out, kind->object, items + i * kind->size,
                         kind->defaults, error);
  return status;
}

static uint64_t number_of(const sn_field *field, const void *base) {
  const void *value = value_at(base, field->at);
  unsigned word;

  switch (field->type) {
  case SN_FIELD_SMALL: return *(const uint32_t *)value;
  case SN_FIELD_BOOL:
  case SN_FIELD_FALSE:
  case SN_FIELD_SWITCH: return *(const bool *)value;
  case SN_FIELD_CHOICE: return bit_is_set(field, base, field->bit << 1);
  case SN_FIELD_COUNTABLE:
  case SN_FIELD_WORD: memcpy(&word, value, sizeof word); return word;
  default: return *(const uint64_t *)value;
  }
}

static int pack_field(sn_text *out, const sn_field *field, const void *base,
                      const void *defaults, seen_error *error) {
  const void *value = value_at(base, field->at);
  const sn_struct *kind = field->how;

  switch (field->type) {
  case SN_FIELD_TEXT:
  case SN_FIELD_ID:
  case SN_FIELD_CONV:
    return pack_text(out, field, *(const char *const *)value, error);
  case SN_FIELD_FLAG: return SEEN_OK;
  case SN_FIELD_OBJECT:
    return pack_object(out, field->how, value, value_at(defaults, field->at),
                       error);
  case SN_FIELD_STRUCT:
    return pack_object(out, kind->object, *(const void *const *)value,
                       kind->defaults, error);
  case SN_FIELD_LIST_OR_NULL:
    sn_pack_number(out, bit_is_set(field, base, field->bit));
    if (bit_is_set(field, base, field->bit)) return SEEN_OK;
    return pack_list(out, field, base, error);
  case SN_FIELD_LIST: return pack_list(out, field, base, error);
  default: sn_pack_number(out, number_of(field, base)); return SEEN_OK;
  }
}

static size_t optional_fields(const sn_object *object) {
  size_t count = 0;
  size_t i;

  for (i = 0; i < object->count; i++)
    count += !object->fields[i].required;
  return count;
}

static int pack_object(sn_text *out, const sn_object *object, const void *base,
                       const void *defaults, seen_error *error) {
  uint64_t said = 0;
  int status = SEEN_OK;
  size_t i;

  for (i = 0; i < object->count; i++)
    if (object->fields[i].required ||
        sn_field_said(&object->fields[i], base, defaults))
      said |= (uint64_t)1 << i;
  if (optional_fields(object) > 0) sn_pack_number(out, said);
  for (i = 0; i < object->count && status == SEEN_OK; i++)
    if ((said >> i & 1) != 0)
      status = pack_field(out, &object->fields[i], base, defaults, error);
  return status;
}

static size_t code_of(const seen_trace_line *line, const sn_verb **verb) {
  size_t code = CODE_FIRST;
  size_t i;

  for (i = 0; i < SN_COUNT_OF(tables); i++) {
    *verb = sn_verb_in(tables[i], line);
    if (*verb != NULL) return code + (size_t)(*verb - tables[i]->verbs);
    code += tables[i]->count;
  }
  return code;
}

int sn_pack_line(sn_text *out, const seen_trace_line *line, seen_error *error) {
  const sn_verb *verb;
  size_t code = code_of(line, &verb);
  seen_trace_line defaults;
  sn_field value;

  if (verb == NULL)
    return sn_fail(error, SEEN_EINVAL, "a line of type %u is not packed",
                   (uint64_t)line->type);
  value = verb->value;
  if (sn_verb_is_bare(line)) {
    code = CODE_BARE;
    value.how = &sn_refuse_bare;
  }
  memset(&defaults, 0, sizeof defaults);
  sn_verb_begin(verb, &defaults);
  sn_pack_number(out, code);
  return pack_field(out, &value, line, &defaults, error);
}

static uint32_t hash_object(uint32_t hash, const sn_object *object);

/* What decides how a field is packed: its place among others, its type, and
 * what it consists of. */
static uint32_t hash_field(uint32_t hash, const sn_field *field) {
  const uint8_t kind[] = {(uint8_t)field->type, field->required};
  const sn_items *items = field->how;
  const sn_struct *pointed = field->how;

  hash = sn_hash_bytes(hash, field->name, strlen(field->name));
  hash = sn_hash_bytes(hash, kind, sizeof kind);
  switch (field->type) {
  case SN_FIELD_OBJECT: return hash_object(hash, field->how);
  case SN_FIELD_STRUCT: return hash_object(hash, pointed->object);
  case SN_FIELD_LIST:
  case SN_FIELD_LIST_OR_NULL: return hash_object(hash, items->object);
  default: return hash;
  }
}

static uint32_t hash_object(uint32_t hash, const sn_object *object) {
  size_t i;

  for (i = 0; i < object->count; i++)
    hash = hash_field(hash, &object->fields[i]);
  return hash;
}

uint32_t sn_pack_tables(void) {
  uint32_t hash = 0;
  size_t i;
  size_t k;

  for (i = 0; i < SN_COUNT_OF(tables); i++)
    for (k = 0; k < tables[i]->count; k++)
      hash = hash_field(hash, &tables[i]->verbs[k].value);
  return hash;
}

/* Bytes being read. */
typedef struct unpacker {
  const uint8_t *at;
  const uint8_t *end;
  sn_arena *arena;
} unpacker;

bool sn_unpack_number(const uint8_t **at, const uint8_t *end,
                      uint64_t *number) {
  unsigned shift;

  *number = 0;
  for (shift = 0; *at < end && shift < 64; shift += 7) {
    uint8_t byte = *(*at)++;

    if (shift == 63 && byte > 1) return false;
    *number |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

static int take_number(unpacker *from, uint64_t most, uint64_t *number) {
  return sn_unpack_number(&from->at, from->end, number) && *number <= most
             ? SEEN_OK
             : SEEN_EPARSE;
}

/* A number of bytes that follow, or of items with a byte at least each. */
static int take_count(unpacker *from, size_t *count) {
  uint64_t number;

  if (!sn_unpack_number(&from->at, from->end, &number) ||
      number > (uint64_t)(from->end - from->at))
    return SEEN_EPARSE;
  *count = (size_t)number;
  return SEEN_OK;
}

static int take_text(unpacker *from, const sn_field *field, void *value) {
  size_t size;
  char *copy;

  if (take_count(from, &size) != SEEN_OK) return SEEN_EPARSE;
  if (field->type != SN_FIELD_TEXT && (size == 0 || size > ID_MAX))
    return SEEN_EPARSE;
  if (memchr(from->at, '\0', size) != NULL) return SEEN_EPARSE;
  copy = sn_arena_allocate(from->arena, size + 1, 1);
  if (copy == NULL) return SEEN_ENOMEM;
  memcpy(copy, from->at, size);
  from->at += size;
  memcpy(value, &copy, sizeof copy);
  return SEEN_OK;
}

static int take_object(unpacker *from, const sn_object *object, void *base);

static int take_list(unpacker *from, const sn_field *field, void *base) {
  const sn_items *kind = field->how;
  size_t count;
  size_t i;
  char *items;

  if (take_count(from, &count) != SEEN_OK) return SEEN_EPARSE;
  if (count == 0) return SEEN_OK;
  items = sn_arena_allocate(from->arena, count, kind->size);
  if (items == NULL) return SEEN_ENOMEM;
  memcpy((char *)base + field->at, &items, sizeof items);
  memcpy((char *)base + field->count, &count, sizeof count);
  for (i = 0; i < count; i++) {
    char *item = items + i * kind->size;
    int status;

    if (kind->defaults != NULL) memcpy(item, kind->defaults, kind->size);
    status = take_object(from, kind->object, item);
    if (status != SEEN_OK) return status;
  }
  return SEEN_OK;
}

static int take_struct(unpacker *from, const sn_struct *kind, void *value) {
  void *made = sn_arena_allocate(from->arena, 1, kind->size);

  if (made == NULL) return SEEN_ENOMEM;
  memcpy(made, kind->defaults, kind->size);
  memcpy(value, &made, sizeof made);
  return take_object(from, kind->object, made);
}

static int take_word(const sn_field *field, uint64_t number, void *value) {
  const sn_words *words = field->how;
  unsigned word = (unsigned)number;

  if (number >= SN_WORDS_MAX ||
      (field->type == SN_FIELD_WORD && words->name(word) == NULL))
    return SEEN_EPARSE;
  memcpy(value, &word, sizeof word);
  return SEEN_OK;
}

static int put_number(const sn_field *field, uint64_t number, void *base) {
  void *value = (char *)base + field->at;
  uint32_t *mask = (void *)((char *)base + field->mask);

  switch (field->type) {
  case SN_FIELD_SMALL:
    if (number > UINT32_MAX) return SEEN_EPARSE;
    *(uint32_t *)value = (uint32_t)number;
    return SEEN_OK;
  case SN_FIELD_BOOL:
  case SN_FIELD_FALSE:
  case SN_FIELD_SWITCH:
    if (number > 1) return SEEN_EPARSE;
    *(bool *)value = number != 0;
    return SEEN_OK;
  case SN_FIELD_CHOICE:
    if (number > 1) return SEEN_EPARSE;
    if (number != 0) *mask |= field->bit << 1;
    return SEEN_OK;
  case SN_FIELD_COUNTABLE:
  case SN_FIELD_WORD: return take_word(field, number, value);
  default:
    if (field->type == SN_FIELD_SEQ && number == 0) return SEEN_EPARSE;
    *(uint64_t *)value = number;
    return SEEN_OK;
  }
}

static int take_field(unpacker *from, const sn_field *field, void *base) {
  void *value = (char *)base + field->at;
  uint64_t number;

  if (field->type == SN_FIELD_LIST_OR_NULL) {
    if (take_number(from, 1, &number) != SEEN_OK) return SEEN_EPARSE;
    if (number == 0) return take_list(from, field, base);
    sn_field_say(field, base);
    return SEEN_OK;
  }
  sn_field_say(field, base);
  switch (field->type) {
  case SN_FIELD_TEXT:
  case SN_FIELD_ID:
  case SN_FIELD_CONV: return take_text(from, field, value);
  case SN_FIELD_FLAG: return SEEN_OK;
  case SN_FIELD_OBJECT: return take_object(from, field->how, value);
  case SN_FIELD_STRUCT: return take_struct(from, field->how, value);
  case SN_FIELD_LIST: return take_list(from, field, base);
  default: break;
  }
  if (take_number(from, field->type == SN_FIELD_HEX ? UINT64_MAX : SEEN_SEQ_MAX,
                  &number) != SEEN_OK)
    return SEEN_EPARSE;
  return put_number(field, number, base);
}

static int take_object(unpacker *from, const sn_object *object, void *base) {
  uint64_t said = UINT64_MAX;
  size_t i;

  if (optional_fields(object) > 0) {
    if (take_number(from, UINT64_MAX, &said) != SEEN_OK ||
        (object->count < 64 && said >> object->count != 0))
      return SEEN_EPARSE;
  }
  for (i = 0; i < object->count; i++) {
    int status;

    if ((said >> i & 1) == 0) {
      if (object->fields[i].required) return SEEN_EPARSE;
      continue;
    }
    status = take_field(from, &object->fields[i], base);
    if (status != SEEN_OK) return status;
  }
  return SEEN_OK;
}

static const sn_verb *verb_of_code(uint64_t code) {
  static const seen_trace_line refusal = {.type = SEEN_TRACE_INPUT,
                                          .u.input.type = SEEN_INPUT_REFUSE};
  size_t i;

  if (code == CODE_BARE) return sn_verb_of(&refusal);
  code -= CODE_FIRST;
  for (i = 0; i < SN_COUNT_OF(tables); i++) {
    if (code < tables[i]->count) return &tables[i]->verbs[code];
    code -= tables[i]->count;
  }
  return NULL;
}

static int unpack(unpacker *from, seen_trace_line *line) {
  const sn_verb *verb = NULL;
  sn_field value;
  uint64_t code;
  int status;

  if (sn_unpack_number(&from->at, from->end, &code)) verb = verb_of_code(code);
  if (verb == NULL) return SEEN_EPARSE;
  value = verb->value;
  if (code == CODE_BARE) value.how = &sn_refuse_bare;
  sn_verb_begin(verb, line);
  status = take_field(from, &value, line);
  if (status != SEEN_OK) return status;
  sn_verb_end(line);
  return from->at == from->end ? SEEN_OK : SEEN_EPARSE;
}

int sn_unpack_line(const void *bytes, size_t size,
                   const seen_allocator *allocator, seen_trace_line **out,
                   seen_error *error) {
  unpacker from = {bytes, (const uint8_t *)bytes + size, NULL};
  seen_trace_line *line = sn_line_new(allocator, &from.arena);
  int status;

  *out = NULL;
  if (line == NULL) return sn_fail_memory(error);
  status = unpack(&from, line);
  if (status == SEEN_OK) {
    *out = line;
    return SEEN_OK;
  }
  seen_trace_line_free(line);
  return status == SEEN_ENOMEM
             ? sn_fail_memory(error)
             : sn_fail(error, SEEN_EPARSE, "bytes that are no line");
}
