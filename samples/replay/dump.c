#include "dump.h"

#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int put_line(const char *line, size_t length, void *user_data) {
  FILE *out = user_data;

  (void)length;
  return fprintf(out, "%s\n", line) < 0 ? SEEN_EIO : SEEN_OK;
}

static int fail(seen_error *error) {
  snprintf(error->message, sizeof error->message, "%s", strerror(errno));
  return SEEN_EIO;
}

int dump_write(seen_recorder *recorder, const char *path,
               seen_recorder_names names, seen_error *error) {
  FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
  int status;

  if (out == NULL) return fail(error);
  status = seen_recorder_dump(recorder, names, put_line, out, error);
  if (status == SEEN_EIO) status = fail(error);
  if (out != stdout && fclose(out) != 0 && status == SEEN_OK)
    status = fail(error);
  return status;
}

static int add_line(const char *line, size_t length, void *user_data) {
  text_file *file = user_data;

  file->text = must_resize(file->text, file->size + length + 2, 1);
  memcpy(file->text + file->size, line, length);
  file->size += length;
  file->text[file->size++] = '\n';
  file->text[file->size] = '\0';
  return SEEN_OK;
}

int dump_read(const char *path, text_file *file, seen_error *error) {
  int status;

  memset(file, 0, sizeof *file);
  status =
      seen_recorder_read(path, SEEN_NAMES_REAL, NULL, add_line, file, error);
  if (status != SEEN_OK) text_file_free(file);
  return status;
}
