#include "rows.h"

#include "conversations.h"
#include "memory.h"

#include <stdlib.h>

static int add_row(void *visitor, const stored_row *found) {
  rows *into = visitor;
  into->rows = MUST_GROW(into->rows, into->count, into->capacity);
  into->rows[into->count++] =
      (row_name){must_copy_text(found->conv), found->version, found->last_seq,
                 found->read_seq, found->leave_seq};
  return SEEN_OK;
}

void rows_of(server *self, const char *user, uint64_t above, size_t limit,
             rows *into) {
  *into = (rows){NULL, 0, 0};
  conversations_write(self);
  core_check(self, self->storage.each_row(self->storage.self, user, above,
                                          limit, into, add_row));
}

void rows_free(rows *self) {
  for (size_t i = 0; i < self->count; i++)
    free(self->rows[i].conv);
  free(self->rows);
}
