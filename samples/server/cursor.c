#include "cursor.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEAL_BYTES = 16, PLAIN_BYTES = 336, FIELDS = 6 };

static bool seal(const char *plain, size_t length, const uint8_t key[32],
                 uint8_t into[SEAL_BYTES]) {
  uint8_t whole[EVP_MAX_MD_SIZE];
  unsigned size;
  if (!HMAC(EVP_sha256(), key, 32, (const uint8_t *)plain, length, whole,
            &size))
    return false;
  memcpy(into, whole, SEAL_BYTES);
  return true;
}

static void replace(char *text, char from, char to) {
  for (; *text; text++)
    if (*text == from) *text = to;
}

/* Names have no control characters, so that a line is a field. */
void cursor_write(const cursor *self, const uint8_t key[32],
                  char into[CURSOR_BYTES]) {
  char plain[SEAL_BYTES + PLAIN_BYTES];
  int length =
      snprintf(plain + SEAL_BYTES, PLAIN_BYTES,
               "%s\n%s\n%s\n%s\n%" PRIu64 "\n%" PRIu64, self->asker, self->conv,
               self->status, self->last, self->seq, self->as_of);
  into[0] = '\0';
  if (!seal(plain + SEAL_BYTES, (size_t)length, key, (uint8_t *)plain)) return;
  EVP_EncodeBlock((uint8_t *)into, (const uint8_t *)plain, SEAL_BYTES + length);
  replace(into, '+', '-');
  replace(into, '/', '_');
  into[strcspn(into, "=")] = '\0';
}

/* Base64 without its padding; the length, or −1. */
static int decode(const char *from, uint8_t into[CURSOR_BYTES]) {
  char padded[CURSOR_BYTES];
  size_t length = strlen(from), padding = (4 - length % 4) % 4;
  if (!length || padding == 3 || length + padding >= sizeof padded) return -1;
  memcpy(padded, from, length);
  memcpy(padded + length, "===", padding);
  padded[length + padding] = '\0';
  replace(padded, '-', '+');
  replace(padded, '_', '/');
  int decoded =
      EVP_DecodeBlock(into, (const uint8_t *)padded, (int)(length + padding));
  return decoded < 0 ? -1 : decoded - (int)padding;
}

static bool copy_field(char *into, size_t size, const char *from) {
  if (strlen(from) >= size) return false;
  strcpy(into, from);
  return true;
}

static bool read_fields(cursor *self, char *plain) {
  char *fields[FIELDS];
  for (int i = 0; i < FIELDS; i++) {
    fields[i] = plain;
    plain += strcspn(plain, "\n");
    if (*plain) *plain++ = '\0';
  }
  self->seq = strtoull(fields[4], NULL, 10);
  self->as_of = strtoull(fields[5], NULL, 10);
  return copy_field(self->asker, sizeof self->asker, fields[0]) &&
         copy_field(self->conv, sizeof self->conv, fields[1]) &&
         copy_field(self->status, sizeof self->status, fields[2]) &&
         copy_field(self->last, sizeof self->last, fields[3]);
}

bool cursor_read(cursor *self, const uint8_t key[32], const char *from) {
  uint8_t plain[CURSOR_BYTES + 1], expected[SEAL_BYTES];
  int length = decode(from, plain);
  if (length <= SEAL_BYTES) return false;
  plain[length] = '\0';
  if (!seal((const char *)plain + SEAL_BYTES, (size_t)(length - SEAL_BYTES),
            key, expected) ||
      CRYPTO_memcmp(plain, expected, SEAL_BYTES) != 0)
    return false;
  return read_fields(self, (char *)plain + SEAL_BYTES);
}
