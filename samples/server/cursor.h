/*
 * Opaque cursors of lists of readers: what was asked and where the page
 * ended, signed (HMAC-SHA-256) so that nobody makes one up.
 */
#ifndef SERVER_CURSOR_H
#define SERVER_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

enum { CURSOR_BYTES = 512, CURSOR_NAME = 65 };

typedef struct cursor {
  char asker[CURSOR_NAME];
  char conv[CURSOR_NAME];
  char status[16];
  char last[CURSOR_NAME]; /* the last user of the page */
  uint64_t seq;
  uint64_t as_of;
} cursor;

void cursor_write(const cursor *self, const uint8_t key[32],
                  char into[CURSOR_BYTES]);

/* false: it is none of ours. */
bool cursor_read(cursor *self, const uint8_t key[32], const char *from);

#endif
