/*
 * Text that is written piece by piece: into a caller's fixed buffer, where it
 * is cut as snprintf() cuts, but between UTF-8 characters, or into a growing
 * one.
 */
#ifndef SN_BASE_TEXT_H
#define SN_BASE_TEXT_H

#include <stdarg.h>

#include <seen/error.h>
#include <seen/sys/alloc.h>

typedef struct sn_text {
  const seen_allocator *memory; /* NULL: `bytes` is fixed */
  char *bytes;                  /* always NUL-terminated where size > 0 */
  size_t size;                  /* of the buffer */
  size_t length;                /* of the whole text, also where it was cut */
  int status;                   /* SEEN_OK, or SEEN_ENOMEM for ever */
} sn_text;

void sn_text_fixed(sn_text *text, char *bytes, size_t size);
void sn_text_growing(sn_text *text, const seen_allocator *memory);
void sn_text_free(sn_text *text);

void sn_text_add(sn_text *text, const char *piece);
void sn_text_add_bytes(sn_text *text, const char *bytes, size_t size);
void sn_text_add_number(sn_text *text, uint64_t number);

/* Each "%s" takes a const char *, each "%u" a uint64_t, "%%" is a percent. */
void sn_text_format(sn_text *text, const char *format, ...);
void sn_text_format_list(sn_text *text, const char *format, va_list list);

/* Control characters of what was written become spaces. */
void sn_text_one_line(sn_text *text);

#endif
