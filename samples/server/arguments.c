/* What a command is told. */
#include "arguments.h"

#include <stdio.h>
#include <string.h>

enum { WHY_BYTES = 512 };

static bool is_option(const char *text) {
  return strncmp(text, "--", 2) == 0;
}

/* Only what has a value may be followed by `=`. */
static bool is_named(const argument *known, const char *given) {
  size_t length = known->value != NULL ? strcspn(given, "=") : strlen(given);

  return strlen(known->name) == length &&
         strncmp(known->name, given, length) == 0;
}

static bool waits_for_word(const argument *known) {
  return !is_option(known->name) && known->value != NULL &&
         *known->value == NULL;
}

static const argument *find(const argument *known, const char *given) {
  bool is_word = !is_option(given);

  for (; known->name != NULL; known++)
    if (is_word ? waits_for_word(known) : is_named(known, given)) return known;
  return NULL;
}

/* The value behind the option at `*at`, or after its `=`; of a word itself. */
static const char *value_of(int count, char **arguments, int *at) {
  const char *given = arguments[*at], *equals = strchr(given, '=');

  if (!is_option(given)) return given;
  if (equals != NULL) return equals + 1;
  return *at + 1 < count ? arguments[++*at] : NULL;
}

bool arguments_read(int count, char **arguments, const argument *known,
                    char *why) {
  for (int at = 0; at < count; at++) {
    const char *given = arguments[at];
    const argument *found = find(known, given);

    if (found == NULL) {
      snprintf(why, WHY_BYTES, "'%.60s' is not known here; see --help", given);
      return false;
    }
    if (found->value == NULL) {
      *found->is_given = true;
    } else if ((*found->value = value_of(count, arguments, &at)) == NULL) {
      snprintf(why, WHY_BYTES, "%.60s needs a value", given);
      return false;
    }
  }
  return true;
}
