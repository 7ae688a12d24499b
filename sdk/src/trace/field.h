/*
 * What an object of a trace may hold, as tables: one entry a field, which says
 * its name, its type and where its value lies in a struct. Reading and writing
 * both go by the same table, so that one gives what the other takes.
 */
#ifndef SN_TRACE_FIELD_H
#define SN_TRACE_FIELD_H

#include "base/arena.h"
#include "base/json.h"

#include <seen/sys/engine.h>

typedef enum sn_field_type {
  SN_FIELD_NUMBER,      /* uint64_t, from 0 to SEEN_SEQ_MAX */
  SN_FIELD_SEQ,         /* uint64_t, from 1 */
  SN_FIELD_SMALL,       /* uint32_t */
  SN_FIELD_BOOL,        /* bool */
  SN_FIELD_FALSE,       /* bool: true where `false` stands; `true` can't */
  SN_FIELD_COUNTABLE,   /* seen_countable, as a boolean or nothing */
  SN_FIELD_TEXT,        /* const char * */
  SN_FIELD_ID,          /* const char *, a person's, of 1 to 255 bytes */
  SN_FIELD_CONV,        /* the same, a conversation's */
  SN_FIELD_HEX,         /* uint64_t, as 16 hexadecimal digits */
  SN_FIELD_WORD,        /* an enum, as a word of sn_words */
  SN_FIELD_SWITCH,      /* bool, as a word of sn_words */
  SN_FIELD_FLAG,        /* the mask's `bit` itself, as `true` */
  SN_FIELD_CHOICE,      /* boolean: said is `bit`, its value the bit above */
  SN_FIELD_OBJECT,      /* a struct by sn_object */
  SN_FIELD_STRUCT,      /* pointer to a struct, by sn_struct; NULL: unsaid */
  SN_FIELD_LIST,        /* pointer and count, by sn_items */
  SN_FIELD_LIST_OR_NULL /* the same; `null` sets `bit` */
} sn_field_type;

/* A mask that is not bits but a bool of its own. */
#define SN_SAID UINT32_MAX

/* The name lies in the entry: a pointer to it would be another entry, of what
 * is relocated when the library is loaded. */
typedef struct sn_field {
  char name[19];
  uint8_t type;   /* sn_field_type */
  uint16_t at;    /* offset of the value */
  uint16_t count; /* offset of a list's count */
  uint16_t mask;  /* offset of the uint32_t that tells what was said */
  bool required;
  uint32_t bit;    /* in the mask; 0: said is what differs from the default */
  const void *how; /* sn_words, sn_object, sn_struct or sn_items */
} sn_field;

typedef struct sn_object {
  const sn_field *fields; /* at most 64 */
  size_t count;
} sn_object;

typedef struct sn_struct {
  const sn_object *object;
  size_t size;
  const void *defaults;
} sn_struct;

/* NULL for a value without a word; values are below SN_WORDS_MAX. */
typedef struct sn_words {
  const char *(*name)(unsigned value);
} sn_words;

#define SN_WORDS_MAX 8

typedef struct sn_reader {
  sn_arena *arena;
  seen_error *error;
} sn_reader;

typedef struct sn_writer {
  sn_text *text;
  seen_error *error;
} sn_writer;

/*
 * One item of a list: an object, or what `read` and `write` make of it where
 * they are not NULL. `where` names the list in messages.
 */
typedef struct sn_items {
  size_t size;
  const sn_object *object; /* NULL: in no line that is packed */
  const void *defaults;
  int (*read)(const sn_reader *reader, const sn_json *json, const char *where,
              void *item);
  int (*write)(const sn_writer *writer, const void *item);
} sn_items;

#define SN_COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define SN_OBJECT(fields)                                                      \
  { (fields), SN_COUNT_OF(fields) }

/* Reads a value into the struct at `base`, which holds the defaults. */
int sn_read_field(const sn_reader *reader, const sn_json *json,
                  const sn_field *field, const char *where, void *base);
int sn_read_object(const sn_reader *reader, const sn_json *json,
                   const sn_object *object, const char *where, void *base);

/* Fails with SEEN_EPARSE: "bad 'name' in where: what". */
int sn_read_bad(const sn_reader *reader, const char *name, const char *where,
                const char *what);

/* "unknown what 'name' in where", of a name from the line. */
int sn_read_unknown(const sn_reader *reader, const char *what, const char *name,
                    const char *where);

/* Sets the bit that says that the field was said. */
void sn_field_say(const sn_field *field, void *base);

/* Whether it was, or is not the default. */
bool sn_field_said(const sn_field *field, const void *base,
                   const void *defaults);

/* Writes the value at `base`, or an object's fields that are required or not
 * the `defaults`, a struct as that at `base`. */
int sn_write_field(const sn_writer *writer, const sn_field *field,
                   const void *base, const void *defaults);
int sn_write_object(const sn_writer *writer, const sn_object *object,
                    const void *base, const void *defaults);
int sn_write_number(const sn_writer *writer, uint64_t number);
/* Words for the enums. */
extern const sn_words sn_words_kind;
extern const sn_words sn_words_message_kind;
extern const sn_words sn_words_why;
extern const sn_words sn_words_refusal;
extern const sn_words sn_words_request;
extern const sn_words sn_words_read_policy;
extern const sn_words sn_words_own_send;
extern const sn_words sn_words_receipt_state;
extern const sn_words sn_words_app;  /* background, foreground */
extern const sn_words sn_words_link; /* down, up */

/* Items of lists, by what they are in a struct. */
extern const sn_items sn_items_runs;     /* seen_run */
extern const sn_items sn_items_seqs;     /* uint64_t */
extern const sn_items sn_items_ids;      /* const char * */
extern const sn_items sn_items_mentions; /* seen_mention */
extern const sn_items sn_items_receipts; /* seen_receipt_row */
extern const sn_items sn_items_members;  /* seen_member */

#endif
