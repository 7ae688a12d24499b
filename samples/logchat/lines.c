#include "lines.h"

#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_all(text_file *file, FILE *in) {
  size_t capacity = 1 << 16;
  size_t got;

  file->text = must_allocate(capacity, 1);
  while ((got = fread(file->text + file->size, 1, capacity - file->size - 1,
                      in)) > 0) {
    file->size += got;
    if (file->size + 1 < capacity) continue;
    capacity *= 2;
    file->text = must_resize(file->text, capacity, 1);
  }
  file->text[file->size] = '\0';
  return !ferror(in);
}

bool text_file_read(text_file *file, const char *path) {
  FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  bool ok;

  memset(file, 0, sizeof *file);
  if (in == NULL) return false;
  ok = read_all(file, in);
  if (!ok) text_file_free(file);
  if (in != stdin) fclose(in);
  return ok;
}

void text_file_free(text_file *file) {
  free(file->text);
  file->text = NULL;
}

bool text_file_next(text_file *file, const char **line, size_t *size) {
  const char *begin = file->text + file->at;
  size_t left = file->size - file->at;
  const char *end;

  if (left == 0) return false;
  end = memchr(begin, '\n', left);
  *line = begin;
  *size = end != NULL ? (size_t)(end - begin) : left;
  file->at += *size + (end != NULL);
  return true;
}

char *trace_line_text(const seen_trace_line *line, seen_error *error) {
  char *text;
  size_t length;

  if (seen_trace_write(line, NULL, 0, &length, error) != SEEN_OK) return NULL;
  text = must_allocate(length + 1, 1);
  if (seen_trace_write(line, text, length + 1, &length, error) == SEEN_OK)
    return text;
  free(text);
  return NULL;
}
