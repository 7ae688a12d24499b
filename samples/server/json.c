#include "json.h"

#include <seen/types.h>

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LONGEST = 64 };

/* How long the UTF-8 sequence at `at` is; 0: it is none. */
static size_t sequence(const unsigned char *at, size_t left) {
  static const struct {
    unsigned char mask, lead;
    unsigned least;
  } kinds[] = {{0x80, 0x00, 0},
               {0xe0, 0xc0, 0x80},
               {0xf0, 0xe0, 0x800},
               {0xf8, 0xf0, 0x10000}};
  for (size_t more = 0; more < 4; more++) {
    if ((at[0] & kinds[more].mask) != kinds[more].lead) continue;
    unsigned code = at[0] & (unsigned char)~kinds[more].mask;
    if (left <= more) return 0;
    for (size_t i = 1; i <= more; i++) {
      if ((at[i] & 0xc0) != 0x80) return 0;
      code = code << 6 | (at[i] & 0x3f);
    }
    bool good = code >= kinds[more].least && code <= 0x10ffff &&
                !(code >= 0xd800 && code < 0xe000);
    return good ? more + 1 : 0;
  }
  return 0;
}

/* What the parser is lenient about, or would spend its stack on. */
static const char *check(const char *text, size_t length, unsigned most) {
  bool quoted = false;
  unsigned depth = 0;
  for (size_t at = 0, step; at < length; at += step) {
    char byte = text[at];
    step = sequence((const unsigned char *)text + at, length - at);
    if (!step) return "not UTF-8";
    if (quoted && (unsigned char)byte < 0x20) return "control character";
    if (quoted && byte == '\\') {
      if (length - at >= 6 && !memcmp(text + at, "\\u0000", 6))
        return "U+0000 in a string";
      step = at + 1 < length && (unsigned char)text[at + 1] < 0x80 ? 2 : 1;
    } else if (byte == '"') {
      quoted = !quoted;
    } else if (!quoted && (byte == '{' || byte == '[')) {
      if (++depth > most) return "too deep";
    } else if (!quoted && (byte == '}' || byte == ']') && depth) {
      depth--;
    } else if (!byte) {
      return "not JSON";
    }
  }
  return NULL;
}

static const cJSON *item_of(const json *self) {
  return (const cJSON *)self;
}

static bool is_twice(const cJSON *object, const cJSON *member) {
  return cJSON_GetObjectItemCaseSensitive(object, member->string) != member;
}

/* Members of one name twice: which of them would hold? */
static bool has_twins(const cJSON *value) {
  unsigned members = 0;
  for (const cJSON *child = value->child; child; child = child->next) {
    if (child->string && (++members > 32 || is_twice(value, child)))
      return true;
    if (child->child && has_twins(child)) return true;
  }
  return false;
}

json *json_parse(const char *text, size_t length, unsigned depth,
                 const char **why) {
  const char *end = NULL;
  *why = check(text, length, depth);
  if (*why) return NULL;
  cJSON *value = cJSON_ParseWithLengthOpts(text, length, &end, 0);
  *why = "not JSON";
  if (!value) return NULL;
  while (end < text + length && strchr(" \t\r\n", *end) && *end)
    end++;
  if (end == text + length) *why = NULL;
  if (!*why && has_twins(value)) *why = "a name twice, or too many names";
  if (!*why) return (json *)value;
  cJSON_Delete(value);
  return NULL;
}

void json_free(json *self) {
  cJSON_Delete((cJSON *)self);
}

bool json_is_object(const json *self) {
  return self && cJSON_IsObject(item_of(self));
}

bool json_is_array(const json *self) {
  return self && cJSON_IsArray(item_of(self));
}

const json *json_member(const json *self, const char *name) {
  return (const json *)cJSON_GetObjectItemCaseSensitive(item_of(self), name);
}

size_t json_count(const json *self) {
  return (size_t)cJSON_GetArraySize(item_of(self));
}

const json *json_first(const json *self) {
  return (const json *)item_of(self)->child;
}

const json *json_after(const json *item) {
  return (const json *)item_of(item)->next;
}

bool json_is_number(const json *self, uint64_t *number) {
  if (!self || !cJSON_IsNumber(item_of(self))) return false;
  double value = item_of(self)->valuedouble;
  if (!(value >= 0 && value <= (double)SEEN_SEQ_MAX)) return false;
  *number = (uint64_t)value;
  return (double)*number == value;
}

bool json_is_bool(const json *self, bool *value) {
  if (!self || !cJSON_IsBool(item_of(self))) return false;
  *value = cJSON_IsTrue(item_of(self));
  return true;
}

const char *json_is_text(const json *self) {
  return self && cJSON_IsString(item_of(self)) ? item_of(self)->valuestring
                                               : NULL;
}

const char *json_is_name(const json *self) {
  const char *name = json_is_text(self);
  if (!name || !*name || strlen(name) > NAME_LONGEST) return NULL;
  for (const char *at = name; *at; at++)
    if ((unsigned char)*at < 0x20 || *at == 0x7f) return NULL;
  return name;
}

char *json_print(const json *self) {
  return cJSON_PrintUnformatted(item_of(self));
}
