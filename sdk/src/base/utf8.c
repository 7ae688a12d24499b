/* As the table of well-formed sequences in the Unicode standard has it. */
#include "base/utf8.h"

#include <stdint.h>

static bool continues(unsigned char byte) {
  return (byte & 0xc0) == 0x80;
}

/* The size of the character that begins here, 0 where none does. The second
 * byte's range is what forbids overlong forms, surrogates and the rest. */
static size_t character(const unsigned char *at, size_t left) {
  unsigned char low = 0x80;
  unsigned char high = 0xbf;
  size_t size;
  size_t i;
  if (at[0] < 0x80) return 1;
  if (at[0] < 0xc2 || at[0] > 0xf4) return 0;
  size = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
  if (left < size) return 0;
  if (at[0] == 0xe0) low = 0xa0;
  if (at[0] == 0xed) high = 0x9f;
  if (at[0] == 0xf0) low = 0x90;
  if (at[0] == 0xf4) high = 0x8f;
  if (at[1] < low || at[1] > high) return 0;
  for (i = 2; i < size; i++)
    if (!continues(at[i])) return 0;
  return size;
}

bool sn_utf8_valid(const char *bytes, size_t size) {
  const unsigned char *at = (const unsigned char *)bytes;
  size_t step;
  for (; size; at += step, size -= step) {
    step = character(at, size);
    if (!step) return false;
  }
  return true;
}

size_t sn_utf8_cut(const char *bytes, size_t most) {
  size_t cut = most;
  while (cut && most - cut < 3 && continues((unsigned char)bytes[cut]))
    cut--;
  /* Bytes that are no UTF-8 are cut anywhere. */
  return continues((unsigned char)bytes[cut]) ? most : cut;
}
