/*
 * Writing objects by their tables: what is required, what was said, and what
 * is not the default.
 */
#include "trace/field.h"

#include "base/fail.h"

#include <string.h>

static const void *value_at(const void *base, size_t at) {
  return (const char *)base + at;
}

static bool bit_is_set(const sn_field *field, const void *base, uint32_t bit) {
  const void *mask = value_at(base, field->mask);

  return bit == SN_SAID ? *(const bool *)mask
                        : (*(const uint32_t *)mask & bit) != 0;
}

static size_t count_of(const sn_field *field, const void *base) {
  return *(const size_t *)value_at(base, field->count);
}

static size_t size_of(sn_field_type type) {
  switch (type) {
  case SN_FIELD_SMALL: return sizeof(uint32_t);
  case SN_FIELD_BOOL:
  case SN_FIELD_FALSE:
  case SN_FIELD_SWITCH: return sizeof(bool);
  case SN_FIELD_COUNTABLE:
  case SN_FIELD_WORD: return sizeof(unsigned);
  default: return sizeof(uint64_t);
  }
}

static bool text_is_default(const sn_field *field, const void *base,
                            const void *defaults) {
  const char *text = *(const char *const *)value_at(base, field->at);
  const char *unsaid = *(const char *const *)value_at(defaults, field->at);

  return strcmp(text != NULL ? text : "", unsaid != NULL ? unsaid : "") == 0;
}

static bool object_is_said(const sn_object *object, const void *base,
                           const void *defaults) {
  size_t i;

  for (i = 0; i < object->count; i++)
    if (sn_field_said(&object->fields[i], base, defaults)) return true;
  return false;
}

/* One that has to say something is always said. */
static bool struct_is_said(const sn_struct *kind, const void *base) {
  size_t i;

  if (base == NULL) return false;
  for (i = 0; i < kind->object->count; i++)
    if (kind->object->fields[i].required) return true;
  return object_is_said(kind->object, base, kind->defaults);
}

bool sn_field_said(const sn_field *field, const void *base,
                   const void *defaults) {
  const void *value = value_at(base, field->at);
  const void *unsaid = value_at(defaults, field->at);

  if (field->type == SN_FIELD_LIST_OR_NULL)
    return bit_is_set(field, base, field->bit) || count_of(field, base) > 0;
  if (field->bit != 0) return bit_is_set(field, base, field->bit);
  switch (field->type) {
  case SN_FIELD_TEXT:
  case SN_FIELD_ID:
  case SN_FIELD_CONV: return !text_is_default(field, base, defaults);
  case SN_FIELD_LIST: return count_of(field, base) > 0;
  case SN_FIELD_OBJECT: return object_is_said(field->how, value, unsaid);
  case SN_FIELD_STRUCT:
    return struct_is_said(field->how, *(const void *const *)value);
  default: return memcmp(value, unsaid, size_of(field->type)) != 0;
  }
}

int sn_write_number(const sn_writer *writer, uint64_t number) {
  if (number > SEEN_SEQ_MAX)
    return sn_fail(writer->error, SEEN_EINVAL, "%u is too large for a trace",
                   number);
  sn_text_add_number(writer->text, number);
  return SEEN_OK;
}

static int write_text(const sn_writer *writer, const char *text) {
  if (text == NULL)
    return sn_fail(writer->error, SEEN_EINVAL, "an id or a text is missing");
  if (!sn_json_write_text(writer->text, text))
    return sn_fail(writer->error, SEEN_EINVAL, "text is not UTF-8");
  return SEEN_OK;
}

static int write_bool(const sn_writer *writer, bool value) {
  sn_text_add(writer->text, value ? "true" : "false");
  return SEEN_OK;
}

static int write_word(const sn_writer *writer, const sn_field *field,
                      const void *value) {
  const sn_words *words = field->how;
  unsigned i;

  if (field->type == SN_FIELD_SWITCH)
    i = *(const bool *)value;
  else
    memcpy(&i, value, sizeof i);
  if (i >= SN_WORDS_MAX || words->name(i) == NULL)
    return sn_fail(writer->error, SEEN_EINVAL, "no word for %u in '%s'",
                   (uint64_t)i, field->name);
  return write_text(writer, words->name(i));
}

static int write_hex(const sn_writer *writer, uint64_t number) {
  static const char digits[] = "0123456789abcdef";
  char text[17];
  int i;

  for (i = 15; i >= 0; i--, number >>= 4)
    text[i] = digits[number & 15];
  text[16] = '\0';
  return write_text(writer, text);
}

static int write_item(const sn_writer *writer, const sn_items *kind,
                      const void *item) {
  if (kind->write != NULL) return kind->write(writer, item);
  return sn_write_object(writer, kind->object, item, kind->defaults);
}

static int write_list(const sn_writer *writer, const sn_field *field,
                      const void *base) {
  const sn_items *kind = field->how;
  const char *items = *(const char *const *)value_at(base, field->at);
  size_t count = count_of(field, base);
  size_t i;

  sn_text_add(writer->text, "[");
  for (i = 0; i < count; i++) {
    int status;

    if (i > 0) sn_text_add(writer->text, ",");
    status = write_item(writer, kind, items + i * kind->size);
    if (status != SEEN_OK) return status;
  }
  sn_text_add(writer->text, "]");
  return SEEN_OK;
}

static int write_struct(const sn_writer *writer, const sn_field *field,
                        const void *value) {
  const sn_struct *kind = field->how;

  return sn_write_object(writer, kind->object, *(const void *const *)value,
                         kind->defaults);
}

int sn_write_field(const sn_writer *writer, const sn_field *field,
                   const void *base, const void *defaults) {
  const void *value = value_at(base, field->at);

  switch (field->type) {
  case SN_FIELD_NUMBER:
  case SN_FIELD_SEQ: return sn_write_number(writer, *(const uint64_t *)value);
  case SN_FIELD_SMALL: return sn_write_number(writer, *(const uint32_t *)value);
  case SN_FIELD_BOOL: return write_bool(writer, *(const bool *)value);
  case SN_FIELD_FALSE: return write_bool(writer, !*(const bool *)value);
  case SN_FIELD_COUNTABLE:
    return write_bool(writer,
                      *(const seen_countable *)value == SEEN_COUNTABLE_YES);
  case SN_FIELD_TEXT:
  case SN_FIELD_ID:
  case SN_FIELD_CONV: return write_text(writer, *(const char *const *)value);
  case SN_FIELD_HEX: return write_hex(writer, *(const uint64_t *)value);
  case SN_FIELD_WORD:
  case SN_FIELD_SWITCH: return write_word(writer, field, value);
  case SN_FIELD_FLAG: return write_bool(writer, true);
  case SN_FIELD_CHOICE:
    return write_bool(writer, bit_is_set(field, base, field->bit << 1));
  case SN_FIELD_OBJECT:
    return sn_write_object(writer, field->how, value,
                           value_at(defaults, field->at));
  case SN_FIELD_STRUCT: return write_struct(writer, field, value);
  case SN_FIELD_LIST_OR_NULL:
    if (bit_is_set(field, base, field->bit)) {
      sn_text_add(writer->text, "null");
      return SEEN_OK;
    }
    break;
  case SN_FIELD_LIST: break;
  }
  return write_list(writer, field, base);
}

int sn_write_object(const sn_writer *writer, const sn_object *object,
                    const void *base, const void *defaults) {
  const char *before = "";
  size_t i;

  sn_text_add(writer->text, "{");
  for (i = 0; i < object->count; i++) {
    const sn_field *field = &object->fields[i];
    int status;

    if (!field->required && !sn_field_said(field, base, defaults)) continue;
    sn_text_format(writer->text, "%s\"%s\":", before, field->name);
    before = ",";
    status = sn_write_field(writer, field, base, defaults);
    if (status != SEEN_OK) return status;
  }
  sn_text_add(writer->text, "}");
  return SEEN_OK;
}
