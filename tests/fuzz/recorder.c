/*
 * Files of a flight recorder: a first byte of 's' seals what follows, entries
 * of two bytes of length, a time and a line, so that they are looked at; else
 * it is a file as it is. Whatever is read out of it can be looked at as a
 * trace, which knows better what an engine can be told.
 */
#include "fuzz/target.h"

#include "client/entries.h"

#include <seen/sys/recorder.h>
#include <seen/sys/trace.h>

#include <stdlib.h>
#include <string.h>

enum { NUMBER = 3 };

static void seal(sn_text *file, target_bytes *from) {
  sn_head_add(file, NUMBER);
  while (target_has_more(from)) {
    size_t size = (size_t)target_byte(from) << 8;
    sn_entry entry = {.has_at = true};

    size |= target_byte(from);
    entry.at = target_byte(from);
    if (size > (size_t)(from->end - from->at))
      size = (size_t)(from->end - from->at);
    entry.bytes = from->at;
    entry.size = size;
    from->at += size;
    sn_entry_add(file, NUMBER, size > 0 ? entry : (sn_entry){0});
  }
}

static int take(const char *text, size_t length, void *user_data) {
  seen_trace_line *line;
  int status = seen_trace_parse(text, length, NULL, &line, NULL);

  (void)user_data;
  REQUIRE(strlen(text) == length);
  REQUIRE(status == SEEN_OK || status == SEEN_EPARSE);
  seen_trace_line_free(line);
  return SEEN_OK;
}

/* The file has the name of a recorder's first one. */
static void read_file(const uint8_t *bytes, size_t size) {
  const char *path = target_file_named("recording-0", bytes, size);
  char *name = target_text((const uint8_t *)path, strlen(path) - 2);

  (void)seen_recorder_read(name, SEEN_NAMES_REAL, NULL, take, NULL, NULL);
  (void)seen_recorder_read(name, SEEN_NAMES_PSEUDONYMS, NULL, take, NULL, NULL);
  free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  target_bytes from = {bytes, bytes + size};
  sn_text file;

  if (target_byte(&from) != 's') {
    read_file(bytes, size);
    return 0;
  }
  sn_text_growing(&file, seen_allocator_default());
  seal(&file, &from);
  REQUIRE(file.status == SEEN_OK);
  read_file((const uint8_t *)file.bytes, file.length);
  sn_text_free(&file);
  return 0;
}
