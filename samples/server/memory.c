#include "memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory) {
  if (memory) return memory;
  fputs("out of memory\n", stderr);
  abort();
}

void *must_allocate(size_t count, size_t size) {
  return must(calloc(count > 0 ? count : 1, size));
}

void *must_resize(void *memory, size_t count, size_t size) {
  if (count > SIZE_MAX / size) return must(NULL);
  return must(realloc(memory, count * size));
}

char *must_copy(const char *text, size_t size) {
  char *copy = must_allocate(size + 1, 1);
  if (size > 0) memcpy(copy, text, size);
  return copy;
}

char *must_copy_text(const char *text) {
  return must_copy(text, strlen(text));
}
