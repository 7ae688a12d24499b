#define _XOPEN_SOURCE 700

#include "fuzz/target.h"

#include "support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void target_stop(const char *what, const char *file, int line) {
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
  abort();
}

bool target_has_more(const target_bytes *bytes) {
  return bytes->at < bytes->end;
}

uint8_t target_byte(target_bytes *bytes) {
  return target_has_more(bytes) ? *bytes->at++ : 0;
}

uint64_t target_number(target_bytes *bytes) {
  uint64_t number = 0;

  for (int i = 0; i < 8; i++)
    number = number << 8 | target_byte(bytes);
  return number;
}

unsigned target_below(target_bytes *bytes, unsigned limit) {
  return target_byte(bytes) % limit;
}

enum { LARGEST_BLOCK = 4 << 20 };

static void *allocate(size_t size, void *user_data) {
  (void)user_data;
  return size <= LARGEST_BLOCK ? malloc(size) : NULL;
}

static void *resize(void *memory, size_t size, void *user_data) {
  (void)user_data;
  return size <= LARGEST_BLOCK ? realloc(memory, size) : NULL;
}

static void release(void *memory, void *user_data) {
  (void)user_data;
  free(memory);
}

const seen_allocator *target_memory(void) {
  static const seen_allocator memory = {allocate, resize, release, NULL};

  return &memory;
}

static void *copy(const uint8_t *bytes, size_t size, size_t more) {
  char *made = malloc(size + more > 0 ? size + more : 1);

  if (made == NULL) abort();
  if (size > 0) memcpy(made, bytes, size);
  return made;
}

char *target_text(const uint8_t *bytes, size_t size) {
  char *text = copy(bytes, size, 1);

  text[size] = '\0';
  return text;
}

char *target_line(target_bytes *bytes, size_t *size) {
  const uint8_t *start = bytes->at;
  const uint8_t *end;

  if (!target_has_more(bytes)) return NULL;
  end = memchr(start, '\n', (size_t)(bytes->end - start));
  bytes->at = end != NULL ? end + 1 : bytes->end;
  *size = (size_t)((end != NULL ? end : bytes->end) - start);
  return copy(start, *size, 0);
}

static test_folder folder;

static void remove_folder(void) {
  test_folder_remove(&folder);
}

const char *target_file(const uint8_t *bytes, size_t size) {
  return target_file_named("input", bytes, size);
}

const char *target_file_named(const char *name, const uint8_t *bytes,
                              size_t size) {
  const char *path;

  if (folder.path[0] == '\0') {
    test_folder_make(&folder);
    atexit(remove_folder);
  }
  path = test_folder_file(&folder, name);
  test_file_write(path, bytes, size);
  return path;
}
