/*
 * Reading objects by their tables. Whatever is not as the table says is an
 * error that names the field and the object it is in.
 */
#include "trace/field.h"

#include "base/fail.h"
#include "base/utf8.h"

#include <string.h>

#define ID_MAX 255
#define HEX_DIGITS 16

/* A name from the line itself, cut so that the message stays readable. */
typedef struct short_name {
  char text[64];
} short_name;

static short_name shorten(const char *name) {
  short_name cut;
  size_t size = strlen(name);

  if (size >= sizeof cut.text) size = sn_utf8_cut(name, sizeof cut.text - 1);
  memcpy(cut.text, name, size);
  cut.text[size] = '\0';
  return cut;
}

int sn_read_bad(const sn_reader *reader, const char *name, const char *where,
                const char *what) {
  return sn_fail(reader->error, SEEN_EPARSE, "bad '%s' in %s: %s", name, where,
                 what);
}

int sn_read_unknown(const sn_reader *reader, const char *what, const char *name,
                    const char *where) {
  return sn_fail(reader->error, SEEN_EPARSE, "unknown %s '%s' in %s", what,
                 shorten(name).text, where);
}

void sn_field_say(const sn_field *field, void *base) {
  char *mask = (char *)base + field->mask;

  if (field->bit == SN_SAID)
    *(bool *)mask = true;
  else if (field->bit != 0)
    *(uint32_t *)(void *)mask |= field->bit;
}

/* Each of these takes one type: NULL, or what it should have been. */

static const char *read_number(const sn_json *json, const sn_field *field,
                               void *value) {
  uint64_t number;
  bool integer = sn_json_number(json, &number);

  if (field->type == SN_FIELD_SMALL) {
    if (!integer || number > UINT32_MAX)
      return "not an integer from 0 to 4294967295";
    *(uint32_t *)value = (uint32_t)number;
    return NULL;
  }
  if (field->type == SN_FIELD_SEQ && (!integer || number == 0))
    return "not an integer from 1 to 9007199254740991";
  if (!integer) return "not an integer from 0 to 9007199254740991";
  *(uint64_t *)value = number;
  return NULL;
}

static const char *read_bool(const sn_json *json, const sn_field *field,
                             void *base) {
  void *value = (char *)base + field->at;
  uint32_t *mask = (void *)((char *)base + field->mask);
  bool is;

  if (!sn_json_bool(json, &is)) return "not true or false";
  switch (field->type) {
  case SN_FIELD_FALSE:
    if (is) return "not false";
    *(bool *)value = true;
    break;
  case SN_FIELD_COUNTABLE:
    *(seen_countable *)value = is ? SEEN_COUNTABLE_YES : SEEN_COUNTABLE_NO;
    break;
  case SN_FIELD_FLAG:
    if (!is) *mask &= ~field->bit;
    break;
  case SN_FIELD_CHOICE:
    if (is) *mask |= field->bit << 1;
    break;
  default: *(bool *)value = is;
  }
  return NULL;
}

static const char *read_word(const sn_json *json, const sn_field *field,
                             void *value) {
  const sn_words *words = field->how;
  const char *text;
  unsigned i;

  if (!sn_json_text(json, &text)) return "not a word";
  for (i = 0; i < SN_WORDS_MAX; i++) {
    const char *name = words->name(i);

    if (name == NULL || strcmp(name, text) != 0) continue;
    if (field->type == SN_FIELD_SWITCH)
      *(bool *)value = i != 0;
    else
      memcpy(value, &i, sizeof i); /* an enum of this header's is an int */
    return NULL;
  }
  return "no such word";
}

static const char *read_hex(const sn_json *json, void *value) {
  static const char digits[] = "0123456789abcdef";
  static const char what[] = "not 16 hexadecimal digits";
  uint64_t number = 0;
  const char *text;
  size_t i;

  if (!sn_json_text(json, &text) || strlen(text) != HEX_DIGITS) return what;
  for (i = 0; i < HEX_DIGITS; i++) {
    const char *digit = strchr(digits, text[i]);

    if (digit == NULL) return what;
    number = number << 4 | (uint64_t)(digit - digits);
  }
  *(uint64_t *)value = number;
  return NULL;
}

static int read_text(const sn_reader *reader, const sn_json *json,
                     const sn_field *field, const char *where, void *value) {
  const char *text;
  char *copy;

  if (!sn_json_text(json, &text))
    return sn_read_bad(reader, field->name, where, "not text");
  if (field->type != SN_FIELD_TEXT && (*text == '\0' || strlen(text) > ID_MAX))
    return sn_read_bad(reader, field->name, where, "not 1 to 255 bytes");
  copy = sn_arena_copy(reader->arena, text);
  if (copy == NULL) return sn_fail_memory(reader->error);
  *(const char **)value = copy;
  return SEEN_OK;
}

static int read_item(const sn_reader *reader, const sn_json *json,
                     const sn_field *field, void *item) {
  const sn_items *kind = field->how;

  if (kind->defaults != NULL) memcpy(item, kind->defaults, kind->size);
  if (kind->read != NULL) return kind->read(reader, json, field->name, item);
  return sn_read_object(reader, json, kind->object, field->name, item);
}

static int read_list(const sn_reader *reader, const sn_json *json,
                     const sn_field *field, const char *where, void *base) {
  const sn_items *kind = field->how;
  const sn_json *item;
  size_t count;
  char *items;
  char *at;

  if (sn_json_type_of(json) != SN_JSON_LIST)
    return sn_read_bad(reader, field->name, where, "not a list");
  count = sn_json_count(json);
  if (count == 0) return SEEN_OK;
  at = items = sn_arena_allocate(reader->arena, count, kind->size);
  if (items == NULL) return sn_fail_memory(reader->error);
  for (item = sn_json_first(json); item != NULL; item = sn_json_next(item)) {
    int status = read_item(reader, item, field, at);

    if (status != SEEN_OK) return status;
    at += kind->size;
  }
  memcpy((char *)base + field->at, &items, sizeof items);
  memcpy((char *)base + field->count, &count, sizeof count);
  return SEEN_OK;
}

static int read_struct(const sn_reader *reader, const sn_json *json,
                       const sn_field *field, void *value) {
  const sn_struct *kind = field->how;
  void *made = sn_arena_allocate(reader->arena, 1, kind->size);

  if (made == NULL) return sn_fail_memory(reader->error);
  memcpy(made, kind->defaults, kind->size);
  memcpy(value, &made, sizeof made);
  return sn_read_object(reader, json, kind->object, field->name, made);
}

int sn_read_field(const sn_reader *reader, const sn_json *json,
                  const sn_field *field, const char *where, void *base) {
  void *value = (char *)base + field->at;
  const char *wrong = NULL;

  if (field->type == SN_FIELD_LIST_OR_NULL) {
    if (sn_json_type_of(json) != SN_JSON_NULL)
      return read_list(reader, json, field, where, base);
    sn_field_say(field, base);
    return SEEN_OK;
  }
  sn_field_say(field, base);
  switch (field->type) {
  case SN_FIELD_NUMBER:
  case SN_FIELD_SEQ:
  case SN_FIELD_SMALL: wrong = read_number(json, field, value); break;
  case SN_FIELD_TEXT:
  case SN_FIELD_ID:
  case SN_FIELD_CONV: return read_text(reader, json, field, where, value);
  case SN_FIELD_HEX: wrong = read_hex(json, value); break;
  case SN_FIELD_WORD:
  case SN_FIELD_SWITCH: wrong = read_word(json, field, value); break;
  case SN_FIELD_OBJECT:
    return sn_read_object(reader, json, field->how, field->name, value);
  case SN_FIELD_STRUCT: return read_struct(reader, json, field, value);
  case SN_FIELD_LIST: return read_list(reader, json, field, where, base);
  default: wrong = read_bool(json, field, base);
  }
  return wrong == NULL ? SEEN_OK
                       : sn_read_bad(reader, field->name, where, wrong);
}

static size_t find(const sn_object *object, const char *name) {
  size_t i;

  for (i = 0; i < object->count; i++)
    if (strcmp(object->fields[i].name, name) == 0) break;
  return i;
}

static int check_missing(const sn_reader *reader, const sn_object *object,
                         const char *where, uint64_t named) {
  size_t i;

  for (i = 0; i < object->count; i++)
    if (object->fields[i].required && (named >> i & 1) == 0)
      return sn_fail(reader->error, SEEN_EPARSE, "missing field '%s' in %s",
                     object->fields[i].name, where);
  return SEEN_OK;
}

int sn_read_object(const sn_reader *reader, const sn_json *json,
                   const sn_object *object, const char *where, void *base) {
  const sn_json *member;
  uint64_t named = 0;

  if (sn_json_type_of(json) != SN_JSON_OBJECT)
    return sn_fail(reader->error, SEEN_EPARSE, "%s is not an object", where);
  for (member = sn_json_first(json); member != NULL;
       member = sn_json_next(member)) {
    const char *name = sn_json_name(member);
    size_t i = find(object, name);
    int status;

    if (i == object->count)
      return sn_read_unknown(reader, "field", name, where);
    if ((named >> i & 1) != 0)
      return sn_fail(reader->error, SEEN_EPARSE, "field '%s' twice in %s", name,
                     where);
    named |= (uint64_t)1 << i;
    status = sn_read_field(reader, member, &object->fields[i], where, base);
    if (status != SEEN_OK) return status;
  }
  return check_missing(reader, object, where, named);
}
