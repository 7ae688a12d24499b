/*
 * All is written by sn_text_add_bytes(), which alone knows of the two kinds of
 * text. What was cut counts as written, so nothing can follow a cut.
 */
#include "base/text.h"

#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

void sn_text_fixed(sn_text *text, char *bytes, size_t size) {
  memset(text, 0, sizeof *text);
  text->bytes = bytes;
  text->size = size;
  if (size) bytes[0] = '\0';
}

void sn_text_growing(sn_text *text, const seen_allocator *memory) {
  memset(text, 0, sizeof *text);
  text->memory = memory;
}

void sn_text_free(sn_text *text) {
  if (text->memory) sn_release(text->memory, text->bytes);
  memset(text, 0, sizeof *text);
}

/* Room for `more` bytes and a NUL in a growing text; false: it failed. */
static bool grow(sn_text *text, size_t more) {
  if (more >= SIZE_MAX - text->length ||
      SN_RESERVE(text->memory, &text->bytes, &text->size,
                 text->length + more + 1))
    text->status = SEEN_ENOMEM;
  return text->status == SEEN_OK;
}

void sn_text_add_bytes(sn_text *text, const char *bytes, size_t size) {
  if (text->status || !size) return;
  if (text->memory && !grow(text, size)) return;
  if (text->length < text->size) {
    size_t left = text->size - text->length - 1;
    size_t fits = size <= left ? size : sn_utf8_cut(bytes, left);
    memcpy(text->bytes + text->length, bytes, fits);
    text->bytes[text->length + fits] = '\0';
  }
  text->length += size;
}

void sn_text_add(sn_text *text, const char *piece) {
  sn_text_add_bytes(text, piece, strlen(piece));
}

void sn_text_add_number(sn_text *text, uint64_t number) {
  char digits[20];
  size_t at = sizeof digits;
  do {
    digits[--at] = (char)('0' + number % 10);
    number /= 10;
  } while (number);
  sn_text_add_bytes(text, digits + at, sizeof digits - at);
}

void sn_text_format_list(sn_text *text, const char *format, va_list list) {
  const char *percent;
  /* NOLINTBEGIN(clang-analyzer-valist.Uninitialized): the caller began it. */
  while ((percent = strchr(format, '%')) != NULL) {
    sn_text_add_bytes(text, format, (size_t)(percent - format));
    if (percent[1] == 's')
      sn_text_add(text, va_arg(list, const char *));
    else if (percent[1] == 'u')
      sn_text_add_number(text, va_arg(list, uint64_t));
    else
      sn_text_add_bytes(text, percent, 1);
    format = percent + (percent[1] ? 2 : 1);
  }
  /* NOLINTEND(clang-analyzer-valist.Uninitialized) */
  sn_text_add(text, format);
}

void sn_text_format(sn_text *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  sn_text_format_list(text, format, list);
  va_end(list);
}

void sn_text_one_line(sn_text *text) {
  char *at;
  if (!text->size) return;
  for (at = text->bytes; *at; at++)
    if ((unsigned char)*at < 0x20 || *at == 0x7f) *at = ' ';
}
