#define _POSIX_C_SOURCE 200809L

#include "replay/script.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void script_add(script *self, const char *text, size_t size) {
  seen_error error = SEEN_ERROR_INIT;
  seen_trace_line *line;

  if (seen_trace_parse(text, size, NULL, &line, &error) != SEEN_OK)
    fail_msg("%.*s: %s", (int)size, text, error.message);
  if (line->type == SEEN_TRACE_BLANK) {
    seen_trace_line_free(line);
    return;
  }
  if (self->count == self->capacity) {
    self->capacity = self->capacity * 2 + 16;
    self->lines = realloc(self->lines, self->capacity * sizeof *self->lines);
    assert_non_null(self->lines);
  }
  self->lines[self->count++] = line;
}

void script_add_line(script *self, const seen_trace_line *line) {
  seen_error error = SEEN_ERROR_INIT;
  size_t length;
  char *text;

  if (seen_trace_write(line, NULL, 0, &length, &error) != SEEN_OK)
    fail_msg("%s", error.message);
  text = malloc(length + 1);
  assert_non_null(text);
  (void)seen_trace_write(line, text, length + 1, &length, NULL);
  script_add(self, text, length);
  free(text);
}

void script_read(script *self, const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t size = 0;
  ssize_t length;

  *self = (script){0};
  if (file == NULL) fail_msg("%s can't be read", path);
  while ((length = getline(&text, &size, file)) >= 0)
    script_add(self, text, (size_t)length);
  free(text);
  fclose(file);
}

static int take(const char *line, size_t length, void *user_data) {
  assert_int_equal(strlen(line), length);
  script_add(user_data, line, length);
  return SEEN_OK;
}

void script_dump(script *self, seen_recorder *recorder) {
  seen_error error = SEEN_ERROR_INIT;

  *self = (script){0};
  if (seen_recorder_dump(recorder, SEEN_NAMES_REAL, take, self, &error) !=
      SEEN_OK)
    fail_msg("no dump: %s", error.message);
}

void script_free(script *self) {
  for (size_t i = 0; i < self->count; i++)
    seen_trace_line_free(self->lines[i]);
  free(self->lines);
  *self = (script){0};
}

size_t script_each(const char *folder,
                   void (*play)(const script *trace, const char *name)) {
  uint64_t every = 1000 / test_scaled(1000);
  size_t found = 0;
  size_t played = 0;
  struct dirent **names;
  char path[1024];
  int count;

  snprintf(path, sizeof path, "%s/tests/traces/%s", SEEN_ROOT, folder);
  count = scandir(path, &names, NULL, alphasort);
  assert_in_range(count, 3, 100000);
  for (int i = 0; i < count; i++) {
    const char *name = names[i]->d_name;
    script trace;

    if (strstr(name, ".jsonl") != NULL && found++ % every == 0) {
      snprintf(path, sizeof path, "%s/tests/traces/%s/%s", SEEN_ROOT, folder,
               name);
      script_read(&trace, path);
      play(&trace, name);
      script_free(&trace);
      played++;
    }
    free(names[i]);
  }
  free(names);
  return played;
}
