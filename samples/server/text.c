#include "text.h"

#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(text *self, size_t more) {
  size_t need = self->length + more + 1;
  if (need <= self->capacity) return;
  size_t capacity = self->capacity ? self->capacity : 256;
  while (capacity < need)
    capacity *= 2;
  self->bytes = must_resize(self->bytes, capacity, 1);
  self->capacity = capacity;
}

void text_add_bytes(text *self, const char *bytes, size_t length) {
  reserve(self, length);
  if (length) memcpy(self->bytes + self->length, bytes, length);
  self->length += length;
  self->bytes[self->length] = '\0';
}

void text_add(text *self, const char *bytes) {
  text_add_bytes(self, bytes, strlen(bytes));
}

void text_add_number(text *self, uint64_t number) {
  char digits[20];
  size_t at = sizeof digits;
  do {
    digits[--at] = (char)('0' + number % 10);
    number /= 10;
  } while (number);
  text_add_bytes(self, digits + at, sizeof digits - at);
}

static void add_escaped(text *self, unsigned char byte) {
  char escape[8];
  switch (byte) {
  case '"': text_add(self, "\\\""); break;
  case '\\': text_add(self, "\\\\"); break;
  case '\n': text_add(self, "\\n"); break;
  default:
    snprintf(escape, sizeof escape, "\\u%04x", byte);
    text_add(self, escape);
  }
}

void text_add_quoted(text *self, const char *value) {
  text_add_bytes(self, "\"", 1);
  for (;;) {
    size_t plain = 0;
    while ((unsigned char)value[plain] >= 0x20 && value[plain] != '"' &&
           value[plain] != '\\')
      plain++;
    text_add_bytes(self, value, plain);
    value += plain;
    if (!*value) break;
    add_escaped(self, (unsigned char)*value++);
  }
  text_add_bytes(self, "\"", 1);
}

void text_comma(text *self) {
  if (!self->length) return;
  char last = self->bytes[self->length - 1];
  if (last != '{' && last != '[') text_add_bytes(self, ",", 1);
}

void text_member(text *self, const char *name) {
  text_comma(self);
  text_add_bytes(self, "\"", 1);
  text_add(self, name);
  text_add_bytes(self, "\":", 2);
}

void text_member_number(text *self, const char *name, uint64_t number) {
  text_member(self, name);
  text_add_number(self, number);
}

void text_member_quoted(text *self, const char *name, const char *value) {
  text_member(self, name);
  text_add_quoted(self, value);
}

void text_member_bool(text *self, const char *name, bool value) {
  text_member(self, name);
  text_add(self, value ? "true" : "false");
}

void text_cut(text *self, size_t length) {
  self->length = length;
  if (self->bytes) self->bytes[length] = '\0';
}

void text_free(text *self) {
  free(self->bytes);
  *self = (text){NULL, 0, 0};
}
