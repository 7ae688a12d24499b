/* RFC 3986: all but unreserved characters are encoded. */
#include "wire/path.h"

#include <string.h>

static bool unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || (c && strchr("-._~", c));
}

static void add_encoded(sn_text *out, const char *text) {
  static const char digits[] = "0123456789ABCDEF";
  for (; *text; text++) {
    unsigned char byte = (unsigned char)*text;
    char escape[] = {'%', digits[byte >> 4], digits[byte & 15]};
    if (unreserved(*text))
      sn_text_add_bytes(out, text, 1);
    else
      sn_text_add_bytes(out, escape, sizeof escape);
  }
}

void sn_path_conversations(sn_text *out, uint64_t after, uint64_t limit) {
  sn_text_format(out, "/im/conversations?after=%u&limit=%u", after, limit);
}

void sn_path_read_cursor(sn_text *out, const char *conv) {
  sn_text_add(out, "/im/conversations/");
  add_encoded(out, conv);
  sn_text_add(out, "/read-cursor");
}

void sn_path_readers(sn_text *out, const char *conv, uint64_t seq,
                     seen_ask which, const char *cursor, uint64_t limit) {
  static const char *const words[] = {NULL, "read", "unread", "delivered"};
  sn_text_add(out, "/im/messages/");
  add_encoded(out, conv);
  sn_text_format(out, "%%3A%u/read-receipts", seq);
  if (!words[which]) return;
  sn_text_format(out, "?status=%s&limit=%u", words[which], limit);
  if (!cursor) return;
  sn_text_add(out, "&cursor=");
  add_encoded(out, cursor);
}
