/*
 * The key of an encrypted mirror. SQLite itself has no cipher; libraries that
 * take its place have one, and sqlite3_key() with it, which is looked for
 * when the program is linked or loaded.
 */
#include "store/sqlite.h"

#include <string.h>

#if defined(__GNUC__)
extern int sqlite3_key(sqlite3 *database, const void *key, int size)
    __attribute__((weak));
#else
static int (*const sqlite3_key)(sqlite3 *, const void *, int) = NULL;
#endif

bool sn_key_supported(void) {
  return sqlite3_key != NULL;
}

/* As x'…' the bytes are the key itself, from which no other is derived. */
int sn_key_give(sqlite3 *database, const uint8_t *key) {
  static const char digits[] = "0123456789abcdef";
  char text[2 * SN_KEY_SIZE + 4] = "x'";
  char *at = text + 2;
  int code;
  for (size_t i = 0; i < SN_KEY_SIZE; i++) {
    *at++ = digits[key[i] >> 4];
    *at++ = digits[key[i] & 15];
  }
  *at++ = '\'';
  *at = '\0';
  code = sqlite3_key(database, text, (int)(at - text));
  memset(text, 0, sizeof text);
  return code;
}
