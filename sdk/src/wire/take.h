/*
 * Members of a JSON object, taken strictly by the types of docs/protocol.md.
 * The first that is wrong makes the status; all that is taken afterwards is 0
 * or NULL, so that whoever reads a frame asks once, at the end.
 */
#ifndef SN_WIRE_TAKE_H
#define SN_WIRE_TAKE_H

#include "base/arena.h"
#include "base/json.h"

/* How many bytes a name may have (a user, a conversation, a device, an op). */
#define SN_NAME_MAX ((size_t)64)

typedef struct sn_taking {
  sn_arena *arena;   /* what was taken lies here */
  const char *where; /* the frame, for messages */
  seen_error *error;
  int status; /* SEEN_OK, SEEN_EPARSE or SEEN_ENOMEM */
} sn_taking;

bool sn_has(const sn_json *object, const char *name);

/* Members that have to be there. A seq is at least 1. */
uint64_t sn_take_int(sn_taking *t, const sn_json *object, const char *name);
uint64_t sn_take_seq(sn_taking *t, const sn_json *object, const char *name);
bool sn_take_bool(sn_taking *t, const sn_json *object, const char *name);
const char *sn_take_name(sn_taking *t, const sn_json *object, const char *name);
const char *sn_take_text(sn_taking *t, const sn_json *object, const char *name);
const sn_json *sn_take_object(sn_taking *t, const sn_json *object,
                              const char *name);

/* Members that may be left out: 0, false or NULL then. */
uint64_t sn_take_int_if(sn_taking *t, const sn_json *object, const char *name);
bool sn_take_bool_if(sn_taking *t, const sn_json *object, const char *name);
const char *sn_take_text_if(sn_taking *t, const sn_json *object,
                            const char *name);

/*
 * The list of that name; the same one step further: room for an item of `size`
 * bytes for each of its, all zero, with `*count`. NULL where there is no list
 * or it is empty; a list that has to be there is `required`.
 */
const sn_json *sn_take_list(sn_taking *t, const sn_json *object,
                            const char *name, bool required);
void *sn_take_room(sn_taking *t, const sn_json *list, size_t size,
                   size_t *count);

/* A value by itself, as an item of a list. `what` is for messages. */
uint64_t sn_take_int_value(sn_taking *t, const sn_json *json, const char *what);
const char *sn_take_name_value(sn_taking *t, const sn_json *json,
                               const char *what);

/* The value has to be of that type; false, and a bad frame, where it is not. */
bool sn_take_type(sn_taking *t, const sn_json *json, sn_json_type type,
                  const char *what);

/* "what in frame: why", as a bad frame. */
void sn_take_bad(sn_taking *t, const char *what, const char *why);

/* 1 … 64 bytes of UTF-8 without a control character. */
bool sn_is_name(const char *text);

#endif
