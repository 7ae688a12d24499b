#include "store.h"

#include "lines.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

static store_row *find(const store *self, const char *id) {
  size_t i;

  for (i = 0; i < self->count; i++)
    if (strcmp(self->rows[i].id, id) == 0) return &self->rows[i];
  return NULL;
}

static store_row *add(store *self, const char *id) {
  store_row *row;

  self->rows = MUST_GROW(self->rows, self->count, self->capacity);
  row = &self->rows[self->count++];
  row->id = must_copy(id, strlen(id));
  row->text = NULL;
  return row;
}

int store_write(store *self, const seen_record *record, seen_error *error) {
  store_row *row = find(self, record->id);
  seen_trace_line line;
  char *text;

  memset(&line, 0, sizeof line);
  line.size = (uint32_t)sizeof line;
  line.type = SEEN_TRACE_RECORD;
  line.u.record = *record;
  text = trace_line_text(&line, error);
  if (text == NULL) return SEEN_EINVAL;
  if (row == NULL) row = add(self, record->id);
  free(row->text);
  row->text = text;
  return SEEN_OK;
}

void store_delete(store *self, const char *id) {
  store_row *row = find(self, id);

  if (row == NULL) return;
  free(row->id);
  free(row->text);
  *row = self->rows[--self->count];
}

static int restore(const store_row *row, seen_engine *engine,
                   seen_error *error) {
  seen_trace_line *line;
  int status =
      seen_trace_parse(row->text, strlen(row->text), NULL, &line, error);

  if (status != SEEN_OK) return status;
  status = seen_engine_restore(engine, &line->u.record, error);
  seen_trace_line_free(line);
  return status;
}

int store_restore(const store *self, seen_engine *engine, seen_error *error) {
  size_t i;

  for (i = 0; i < self->count; i++) {
    int status = restore(&self->rows[i], engine, error);

    if (status != SEEN_OK) return status;
  }
  return SEEN_OK;
}

void store_free(store *self) {
  size_t i;

  for (i = 0; i < self->count; i++) {
    free(self->rows[i].id);
    free(self->rows[i].text);
  }
  free(self->rows);
  memset(self, 0, sizeof *self);
}
