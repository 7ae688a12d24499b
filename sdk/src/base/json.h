/*
 * JSON text, in and out. What comes in is checked strictly: UTF-8, no text
 * with a NUL in it, nesting to SN_JSON_DEPTH_MAX, and numbers kept exactly:
 * integers from 0 to SEEN_SEQ_MAX are the only ones with a value here.
 *
 * The tree comes from malloc (see json.c), whatever the host's allocator is.
 */
#ifndef SN_BASE_JSON_H
#define SN_BASE_JSON_H

#include "base/text.h"

#include <seen/error.h>

#define SN_JSON_DEPTH_MAX 16

typedef struct sn_json sn_json;

typedef enum sn_json_type {
  SN_JSON_NULL,
  SN_JSON_BOOL,
  SN_JSON_NUMBER,
  SN_JSON_TEXT,
  SN_JSON_LIST,
  SN_JSON_OBJECT
} sn_json_type;

/* One value and nothing behind it: 0, SEEN_EPARSE or SEEN_ENOMEM. */
int sn_json_parse(const char *text, size_t size, sn_json **out,
                  seen_error *error);
void sn_json_free(sn_json *json);

sn_json_type sn_json_type_of(const sn_json *json);

/* Items of a list or members of an object, in the text's order. */
const sn_json *sn_json_first(const sn_json *json);
const sn_json *sn_json_next(const sn_json *json);
size_t sn_json_count(const sn_json *json);

/* A member's name, and the first member of a name or NULL. */
const char *sn_json_name(const sn_json *member);
const sn_json *sn_json_member(const sn_json *object, const char *name);

/* The value: true, or false where it is no such value. Text is borrowed. */
bool sn_json_number(const sn_json *json, uint64_t *number);
bool sn_json_bool(const sn_json *json, bool *value);
bool sn_json_text(const sn_json *json, const char **text);

/* Writes text in quotes; false where it is not UTF-8. */
bool sn_json_write_text(sn_text *out, const char *text);

#endif
