#include "readers.h"

#include "audience.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

bool readers_is_status(const char *status) {
  return !strcmp(status, "read") || !strcmp(status, "unread") ||
         !strcmp(status, "delivered");
}

/* As the numbers have it: what is read is delivered, too. */
static bool is_in(reader_state state, const char *status) {
  if (state == READER_OUTSIDE) return false;
  if (!strcmp(status, "read")) return state == READER_READ;
  if (!strcmp(status, "unread")) return state != READER_READ;
  return state != READER_UNREAD;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t readers_page(const conversation *conv, uint64_t seq, const char *sender,
                    const char *status, const char *last, size_t limit,
                    text *into, const char **end) {
  const char **names = must_allocate(conv->members.count, sizeof *names);
  size_t count = 0, written = 0;
  const member *of;
  for (size_t at = 0; (of = map_next(&conv->members, &at));)
    if (strcmp(of->user, sender) != 0 && strcmp(of->user, last) > 0 &&
        is_in(audience_state(of, seq), status))
      names[count++] = of->user;
  qsort(names, count, sizeof *names, by_name);
  for (; written < count && written < limit; written++) {
    text_comma(into);
    text_add_quoted(into, names[written]);
    *end = names[written];
  }
  free(names);
  return count - written;
}
