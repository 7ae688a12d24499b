/* Lines as text. For pseudonyms they are gone through twice. */
#include "client/lines.h"

#include "base/fail.h"
#include "base/memory.h"
#include "client/pseudonyms.h"

typedef struct text_writer {
  const seen_allocator *memory;
  char *text;
  size_t size;
  sn_pseudonyms *names; /* NULL: the real ones */
  seen_recorder_take take;
  void *user_data;
} text_writer;

static int write_text(text_writer *self, const seen_trace_line *line,
                      seen_error *error) {
  size_t length;
  int status = seen_trace_write(line, self->text, self->size, &length, error);

  if (status != SEEN_OK) return status;
  if (length >= self->size) {
    if (SN_RESERVE(self->memory, &self->text, &self->size, length + 1))
      return sn_fail_memory(error);
    (void)seen_trace_write(line, self->text, self->size, &length, error);
  }
  return self->take(self->text, length, self->user_data);
}

static int take_line(const seen_trace_line *line, void *user_data,
                     seen_error *error) {
  text_writer *self = user_data;
  seen_trace_line *renamed;
  int status;

  if (self->names == NULL) return write_text(self, line, error);
  status = sn_pseudonyms_rename(self->names, line, &renamed, error);
  if (status != SEEN_OK) return status;
  status = write_text(self, renamed, error);
  seen_trace_line_free(renamed);
  return status;
}

static int collect(const seen_trace_line *line, void *user_data,
                   seen_error *error) {
  return sn_pseudonyms_collect(user_data, line, error);
}

int sn_lines_write(sn_lines lines, seen_recorder_names names,
                   const seen_allocator *memory, seen_recorder_take take,
                   void *user_data, seen_error *error) {
  text_writer self = {.memory = memory, .take = take, .user_data = user_data};
  sn_pseudonyms pseudonyms;
  int status = SEEN_OK;

  sn_pseudonyms_init(&pseudonyms, memory);
  if (names == SEEN_NAMES_PSEUDONYMS) {
    self.names = &pseudonyms;
    status = lines.each(lines.source, collect, &pseudonyms, error);
    if (status == SEEN_OK) status = sn_pseudonyms_number(&pseudonyms, error);
  }
  if (status == SEEN_OK)
    status = lines.each(lines.source, take_line, &self, error);
  sn_pseudonyms_free(&pseudonyms);
  sn_release(memory, self.text);
  return status;
}
