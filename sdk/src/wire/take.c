/* Nothing is written to what is taken once a member was wrong. */
#include "wire/take.h"

#include <string.h>

#include "base/fail.h"
#include "base/utf8.h"

void sn_take_bad(sn_taking *t, const char *what, const char *why) {
  if (t->status) return;
  t->status =
      sn_fail(t->error, SEEN_EPARSE, "%s in %s: %s", what, t->where, why);
}

static void no_memory(sn_taking *t) {
  if (!t->status) t->status = sn_fail_memory(t->error);
}

bool sn_has(const sn_json *object, const char *name) {
  return sn_json_member(object, name) != NULL;
}

/* The member, where all was well so far and it is there. */
static const sn_json *member(sn_taking *t, const sn_json *object,
                             const char *name) {
  if (t->status || !object) return NULL;
  const sn_json *found = sn_json_member(object, name);
  if (!found) sn_take_bad(t, name, "missing");
  return found;
}

bool sn_take_type(sn_taking *t, const sn_json *json, sn_json_type type,
                  const char *what) {
  if (t->status || !json) return false;
  if (sn_json_type_of(json) == type) return true;
  sn_take_bad(t, what, "of the wrong type");
  return false;
}

uint64_t sn_take_int_value(sn_taking *t, const sn_json *json,
                           const char *what) {
  uint64_t number = 0;
  if (!sn_take_type(t, json, SN_JSON_NUMBER, what)) return 0;
  if (!sn_json_number(json, &number))
    sn_take_bad(t, what, "no integer from 0 to 2^53 - 1");
  return number;
}

uint64_t sn_take_int(sn_taking *t, const sn_json *object, const char *name) {
  return sn_take_int_value(t, member(t, object, name), name);
}

uint64_t sn_take_seq(sn_taking *t, const sn_json *object, const char *name) {
  uint64_t seq = sn_take_int(t, object, name);
  if (!seq) sn_take_bad(t, name, "a seq is at least 1");
  return seq;
}

bool sn_take_bool(sn_taking *t, const sn_json *object, const char *name) {
  const sn_json *json = member(t, object, name);
  bool value = false;
  if (sn_take_type(t, json, SN_JSON_BOOL, name)) sn_json_bool(json, &value);
  return value;
}

/* A copy in the arena; NULL where it is no text. */
static const char *take_text_value(sn_taking *t, const sn_json *json,
                                   const char *what) {
  const char *text;
  if (!sn_take_type(t, json, SN_JSON_TEXT, what)) return NULL;
  if (!sn_json_text(json, &text)) return NULL;
  const char *copy = sn_arena_copy(t->arena, text);
  if (!copy) no_memory(t);
  return copy;
}

bool sn_is_name(const char *text) {
  size_t size = 0;
  for (; text[size]; size++)
    if ((unsigned char)text[size] < 0x20 || text[size] == 0x7f ||
        size == SN_NAME_MAX)
      return false;
  return size && sn_utf8_valid(text, size);
}

const char *sn_take_name_value(sn_taking *t, const sn_json *json,
                               const char *what) {
  const char *name;
  if (!sn_take_type(t, json, SN_JSON_TEXT, what)) return NULL;
  if (!sn_json_text(json, &name) || !sn_is_name(name)) {
    sn_take_bad(t, what, "a name has 1 to 64 bytes, no control characters");
    return NULL;
  }
  return take_text_value(t, json, what);
}

const char *sn_take_name(sn_taking *t, const sn_json *object,
                         const char *name) {
  return sn_take_name_value(t, member(t, object, name), name);
}

const char *sn_take_text(sn_taking *t, const sn_json *object,
                         const char *name) {
  return take_text_value(t, member(t, object, name), name);
}

const sn_json *sn_take_object(sn_taking *t, const sn_json *object,
                              const char *name) {
  const sn_json *json = member(t, object, name);
  return sn_take_type(t, json, SN_JSON_OBJECT, name) ? json : NULL;
}

uint64_t sn_take_int_if(sn_taking *t, const sn_json *object, const char *name) {
  return sn_has(object, name) ? sn_take_int(t, object, name) : 0;
}

bool sn_take_bool_if(sn_taking *t, const sn_json *object, const char *name) {
  return sn_has(object, name) && sn_take_bool(t, object, name);
}

const char *sn_take_text_if(sn_taking *t, const sn_json *object,
                            const char *name) {
  return sn_has(object, name) ? sn_take_text(t, object, name) : NULL;
}

const sn_json *sn_take_list(sn_taking *t, const sn_json *object,
                            const char *name, bool required) {
  if (!required && !sn_has(object, name)) return NULL;
  const sn_json *json = member(t, object, name);
  return sn_take_type(t, json, SN_JSON_LIST, name) ? json : NULL;
}

void *sn_take_room(sn_taking *t, const sn_json *list, size_t size,
                   size_t *count) {
  *count = list && !t->status ? sn_json_count(list) : 0;
  if (!*count) return NULL;
  void *room = sn_arena_allocate(t->arena, *count, size);
  if (room) return room;
  *count = 0;
  no_memory(t);
  return NULL;
}
