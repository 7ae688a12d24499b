/* Brackets and strings are all that has to be known to find an item's end. */
#include "net/split.h"

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_spaces(sn_split *items) {
  while (items->at < items->size && is_space(items->text[items->at]))
    items->at++;
}

bool sn_split_begin(const char *text, size_t size, sn_split *items) {
  items->text = text;
  items->size = size;
  items->at = 0;
  skip_spaces(items);
  return items->at < size && text[items->at] == '[';
}

/* Behind the string that begins here; the size of the text: it has no end. */
static size_t skip_string(const sn_split *items, size_t at) {
  for (at++; at < items->size; at++) {
    if (items->text[at] == '\\')
      at++;
    else if (items->text[at] == '"')
      return at + 1;
  }
  return items->size;
}

/* Where the comma or bracket stands that ends an item; the size: nowhere. */
static size_t find_end(const sn_split *items, size_t at) {
  size_t depth = 0;

  while (at < items->size) {
    char c = items->text[at];

    if (depth == 0 && (c == ',' || c == ']')) return at;
    if (c == '[' || c == '{') depth++;
    if (c == ']' || c == '}') {
      if (depth == 0) break;
      depth--;
    }
    at = c == '"' ? skip_string(items, at) : at + 1;
  }
  return items->size;
}

static sn_split_found finish(sn_split *items) {
  items->at++;
  skip_spaces(items);
  return items->at == items->size ? SN_SPLIT_NONE : SN_SPLIT_BAD;
}

sn_split_found sn_split_next(sn_split *items, const char **item,
                             size_t *length) {
  bool is_first = items->text[items->at] == '[';
  size_t end;

  /* `at` is where the array, or the item before, left off. */
  if (!is_first && items->text[items->at] == ']') return finish(items);
  items->at++;
  skip_spaces(items);
  if (is_first && items->at < items->size && items->text[items->at] == ']')
    return finish(items);
  end = find_end(items, items->at);
  if (end >= items->size || end == items->at) return SN_SPLIT_BAD;
  *item = items->text + items->at;
  items->at = end;
  while (is_space(items->text[end - 1]))
    end--;
  *length = (size_t)(items->text + end - *item);
  return SN_SPLIT_ONE;
}
