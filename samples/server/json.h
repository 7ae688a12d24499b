/*
 * JSON that came from outside: checked before it is parsed, and read by
 * fields of a given type. The one file of the server that knows the parser.
 */
#ifndef SERVER_JSON_H
#define SERVER_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct json json;

/*
 * One value. NULL: no UTF-8, no JSON, deeper than `depth`, U+0000 in a
 * string, a name twice in one object; `*why` says which.
 */
json *json_parse(const char *text, size_t length, unsigned depth,
                 const char **why);
void json_free(json *self);

bool json_is_object(const json *self);
bool json_is_array(const json *self);

/* A member of an object, borrowed; NULL: it has none of that name. */
const json *json_member(const json *self, const char *name);

/* Items of an array: how many, the first, the one after an item. */
size_t json_count(const json *self);
const json *json_first(const json *self);
const json *json_after(const json *item);

/* What a value is; `self` may be NULL, which is of no type. */
bool json_is_number(const json *self, uint64_t *number); /* 0 … 2^53 − 1 */
bool json_is_bool(const json *self, bool *value);
const char *json_is_text(const json *self); /* borrowed; NULL: it is none */
/* Text of 1 to 64 bytes without control characters; else NULL. */
const char *json_is_name(const json *self);

/* Any value, written back. */
char *json_print(const json *self);

#endif
