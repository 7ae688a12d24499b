#include "persons.h"

#include "memory.h"

#include <stdlib.h>

enum { TOKEN = 1000, IDLE_MS = 60000 };

person *persons_find(server *self, const char *user) {
  person *found = map_get(&self->persons, user);
  if (!found) {
    found = must_allocate(1, sizeof *found);
    found->user = must_copy_text(user);
    map_put(&self->persons, found->user, found);
    found->reports =
        (bucket){(uint64_t)self->limits.reports_burst * TOKEN, self->now};
    found->requests =
        (bucket){(uint64_t)self->limits.requests_burst * TOKEN, self->now};
    found->lists =
        (bucket){(uint64_t)self->limits.lists_burst * TOKEN, self->now};
  }
  found->used_at = self->now;
  return found;
}

uint64_t persons_spend(bucket *from, uint32_t per_second, uint32_t burst,
                       uint64_t now) {
  uint64_t most_units = (uint64_t)burst * TOKEN;
  uint64_t passed = least(now - from->filled_at, most_units);
  from->units = least(from->units + passed * per_second, most_units);
  from->filled_at = now;
  if (from->units < TOKEN)
    return (TOKEN - from->units + per_second - 1) / per_second;
  from->units -= TOKEN;
  return 0;
}

static void free_person(person *of) {
  free(of->user);
  free(of);
}

void persons_sweep(server *self) {
  person *of;
  for (size_t at = 0; (of = map_next(&self->persons, &at));) {
    if (of->connections || of->used_at + IDLE_MS > self->now) continue;
    map_remove(&self->persons, of->user);
    free_person(of);
    at--; /* another one may have moved there */
  }
}

void persons_free(server *self) {
  person *of;
  for (size_t at = 0; (of = map_next(&self->persons, &at));)
    free_person(of);
  map_free(&self->persons);
}
