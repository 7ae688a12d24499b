/* A growing text, and what JSON is written with. */
#ifndef SERVER_TEXT_H
#define SERVER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is empty. `bytes` has a NUL behind it, or is NULL. */
typedef struct text {
  char *bytes;
  size_t length;
  size_t capacity;
} text;

void text_add(text *self, const char *bytes);
void text_add_bytes(text *self, const char *bytes, size_t length);
void text_add_number(text *self, uint64_t number);
void text_add_quoted(text *self, const char *value); /* a JSON string */

/* Members of an object, a comma before each but where it is the first. */
void text_member(text *self, const char *name); /* ,"name": */
void text_member_number(text *self, const char *name, uint64_t number);
void text_member_quoted(text *self, const char *name, const char *value);
void text_member_bool(text *self, const char *name, bool value);

/* A comma, but at the start of an array or object. */
void text_comma(text *self);

void text_cut(text *self, size_t length); /* back to a shorter one */
void text_free(text *self);

#endif
