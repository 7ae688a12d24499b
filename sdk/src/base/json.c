/*
 * JSON text by cJSON, which is known to this file only.
 *
 * cJSON is lenient (control characters, numbers as doubles, text cut at a
 * NUL), so the text is checked byte by byte before cJSON sees it, and numbers
 * are read anew from the text afterwards. Its allocation hooks are the whole
 * process's and never set: the tree is malloc's.
 */
#include "base/json.h"

#include "base/fail.h"
#include "base/utf8.h"

#include <cjson/cJSON.h>

#include <string.h>

/* What is in `valuedouble` of a number that is none of ours. */
#define NO_NUMBER (-1.0)

static const cJSON *tree(const sn_json *json) {
  return (const cJSON *)json;
}

static const sn_json *wrap(const cJSON *item) {
  return (const sn_json *)item;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The text as far as it was looked at. */
typedef struct scan {
  const char *text;
  size_t size;
  size_t at;
} scan;

static char peek(const scan *s, size_t ahead) {
  return s->size - s->at > ahead ? s->text[s->at + ahead] : '\0';
}

static int complain(const scan *s, const char *what, seen_error *error) {
  return sn_fail(error, SEEN_EPARSE, "%s in column %u", what,
                 (uint64_t)s->at + 1);
}

/* The size of the escape at `\`; 0: a bad one. */
static size_t escape_size(const scan *s) {
  char c = peek(s, 1);
  size_t i;

  if (c != 'u') return c != '\0' && strchr("\"\\/bfnrt", c) != NULL ? 2 : 0;
  for (i = 2; i < 6; i++)
    if (!is_hex(peek(s, i))) return 0;
  return memcmp(s->text + s->at + 2, "0000", 4) == 0 ? 0 : 6;
}

static int skip_text(scan *s, seen_error *error) {
  size_t from = ++s->at;
  size_t step;

  while (peek(s, 0) != '"') {
    if (s->at == s->size) return complain(s, "text without an end", error);
    if ((unsigned char)peek(s, 0) < 0x20)
      return complain(s, "a control character", error);
    step = peek(s, 0) == '\\' ? escape_size(s) : 1;
    if (step == 0) return complain(s, "a bad escape", error);
    s->at += step;
  }
  if (!sn_utf8_valid(s->text + from, s->at - from))
    return complain(s, "text that is no UTF-8, which ends", error);
  s->at++;
  return SEEN_OK;
}

static bool skip_digits(scan *s) {
  size_t from = s->at;

  while (is_digit(peek(s, 0)))
    s->at++;
  return s->at > from;
}

/*
 * Skips a number by JSON's grammar, which cJSON does not keep to. `*value` is
 * its value, or NO_NUMBER for what is no integer from 0 to SEEN_SEQ_MAX.
 */
static bool skip_number(scan *s, double *value) {
  bool whole = peek(s, 0) != '-';
  uint64_t sum = 0;
  size_t from;

  if (!whole) s->at++;
  from = s->at;
  if (!skip_digits(s) || (s->text[from] == '0' && s->at > from + 1))
    return false;
  for (; from < s->at && sum <= SEEN_SEQ_MAX; from++)
    sum = sum * 10 + (uint64_t)(s->text[from] - '0');
  if (peek(s, 0) == '.') {
    whole = false;
    s->at++;
    if (!skip_digits(s)) return false;
  }
  if (peek(s, 0) == 'e' || peek(s, 0) == 'E') {
    whole = false;
    s->at += peek(s, 1) == '+' || peek(s, 1) == '-' ? 2 : 1;
    if (!skip_digits(s)) return false;
  }
  *value = whole && sum <= SEEN_SEQ_MAX ? (double)sum : NO_NUMBER;
  return true;
}

/* What cJSON takes and JSON does not; brackets and commas are cJSON's. */
static int check(const char *text, size_t size, seen_error *error) {
  scan s = {text, size, 0};
  size_t depth = 0;
  double ignored;

  while (s.at < s.size) {
    char c = peek(&s, 0);

    if (c == '"') {
      int status = skip_text(&s, error);

      if (status != SEEN_OK) return status;
    } else if (c == '-' || is_digit(c)) {
      if (!skip_number(&s, &ignored))
        return complain(&s, "a malformed number", error);
    } else {
      if ((unsigned char)c >= 0x7f || ((unsigned char)c < 0x20 && !is_space(c)))
        return complain(&s, "a stray byte", error);
      if ((c == '{' || c == '[') && ++depth > SN_JSON_DEPTH_MAX)
        return complain(&s, "too deep a nesting", error);
      if ((c == '}' || c == ']') && depth > 0) depth--;
      s.at++;
    }
  }
  return SEEN_OK;
}

/* The next number in the text, which was checked. */
static double next_number(scan *s) {
  double value = NO_NUMBER;

  while (s->at < s->size && peek(s, 0) != '-' && !is_digit(peek(s, 0))) {
    if (peek(s, 0) == '"')
      (void)skip_text(s, NULL);
    else
      s->at++;
  }
  (void)skip_number(s, &value);
  return value;
}

/* Gives each number of the tree its exact value; as deep as check() allows. */
static void read_numbers(cJSON *item, scan *s) {
  cJSON *child;

  if (cJSON_IsNumber(item)) item->valuedouble = next_number(s);
  /* A member's name is text and skipped with what stands before a number. */
  for (child = item->child; child != NULL; child = child->next)
    read_numbers(child, s);
}

int sn_json_parse(const char *text, size_t size, sn_json **out,
                  seen_error *error) {
  scan s = {text, size, 0};
  const char *end = text;
  cJSON *root;
  int status;

  *out = NULL;
  status = check(text, size, error);
  if (status != SEEN_OK) return status;
  root = cJSON_ParseWithLengthOpts(text, size, &end, false);
  s.at = (size_t)(end - text);
  while (root != NULL && is_space(peek(&s, 0)))
    s.at++;
  if (root == NULL || s.at < size) {
    cJSON_Delete(root);
    return complain(&s, "no JSON", error);
  }
  s.at = 0;
  read_numbers(root, &s);
  *out = (sn_json *)root;
  return SEEN_OK;
}

void sn_json_free(sn_json *json) {
  cJSON_Delete((cJSON *)json);
}

sn_json_type sn_json_type_of(const sn_json *json) {
  const cJSON *item = tree(json);

  if (cJSON_IsBool(item)) return SN_JSON_BOOL;
  if (cJSON_IsNumber(item)) return SN_JSON_NUMBER;
  if (cJSON_IsString(item)) return SN_JSON_TEXT;
  if (cJSON_IsArray(item)) return SN_JSON_LIST;
  return cJSON_IsObject(item) ? SN_JSON_OBJECT : SN_JSON_NULL;
}

const sn_json *sn_json_first(const sn_json *json) {
  return wrap(tree(json)->child);
}

const sn_json *sn_json_next(const sn_json *json) {
  return wrap(tree(json)->next);
}

size_t sn_json_count(const sn_json *json) {
  const sn_json *item;
  size_t count = 0;

  for (item = sn_json_first(json); item != NULL; item = sn_json_next(item))
    count++;
  return count;
}

const char *sn_json_name(const sn_json *member) {
  return tree(member)->string;
}

const sn_json *sn_json_member(const sn_json *object, const char *name) {
  return wrap(cJSON_GetObjectItemCaseSensitive(tree(object), name));
}

bool sn_json_number(const sn_json *json, uint64_t *number) {
  const cJSON *item = tree(json);

  if (!cJSON_IsNumber(item) || item->valuedouble < 0) return false;
  *number = (uint64_t)item->valuedouble;
  return true;
}

bool sn_json_bool(const sn_json *json, bool *value) {
  *value = cJSON_IsTrue(tree(json)) != 0;
  return cJSON_IsBool(tree(json)) != 0;
}

bool sn_json_text(const sn_json *json, const char **text) {
  *text = tree(json)->valuestring;
  return cJSON_IsString(tree(json)) != 0;
}

static void write_escape(sn_text *out, char c) {
  static const char digits[] = "0123456789abcdef";
  char escape[] = {'\\', 'u', '0', '0', '0', '0', '\0'};

  if (c == '"' || c == '\\') {
    escape[1] = c;
    escape[2] = '\0';
  } else {
    escape[4] = digits[(unsigned char)c >> 4];
    escape[5] = digits[(unsigned char)c & 15];
  }
  sn_text_add(out, escape);
}

bool sn_json_write_text(sn_text *out, const char *text) {
  size_t size = strlen(text);
  size_t from = 0;
  size_t at;

  sn_text_add(out, "\"");
  for (at = 0; at < size; at++) {
    if (text[at] != '"' && text[at] != '\\' && (unsigned char)text[at] >= 0x20)
      continue;
    sn_text_add_bytes(out, text + from, at - from);
    write_escape(out, text[at]);
    from = at + 1;
  }
  sn_text_add_bytes(out, text + from, size - from);
  sn_text_add(out, "\"");
  return sn_utf8_valid(text, size);
}
