/* Numbers of a fixed size have the low byte first. */
#include "client/entries.h"

#include <string.h>

#include "base/table.h"
#include "trace/pack.h"

static const char magic[] = "seenrec1";
enum { MAGIC_SIZE = sizeof magic - 1, SUM_SIZE = 4 };

static void add_fixed(sn_text *text, uint64_t number, size_t size) {
  char bytes[8];
  size_t i;

  for (i = 0; i < size; i++)
    bytes[i] = (char)(number >> 8 * i & 255);
  sn_text_add_bytes(text, bytes, size);
}

static uint64_t take_fixed(const uint8_t *bytes, size_t size) {
  uint64_t number = 0;

  while (size-- > 0)
    number = number << 8 | bytes[size];
  return number;
}

void sn_head_add(sn_text *text, uint64_t number) {
  size_t start = text->length;

  sn_text_add_bytes(text, magic, MAGIC_SIZE);
  add_fixed(text, number, 8);
  if (text->status == SEEN_OK)
    add_fixed(
        text,
        sn_hash_bytes(sn_pack_tables(), text->bytes + start, MAGIC_SIZE + 8),
        SUM_SIZE);
}

bool sn_head_read(const uint8_t *bytes, size_t size, uint64_t *number) {
  if (size < SN_HEAD_SIZE || memcmp(bytes, magic, MAGIC_SIZE) != 0)
    return false;
  *number = take_fixed(bytes + MAGIC_SIZE, 8);
  return take_fixed(bytes + MAGIC_SIZE + 8, SUM_SIZE) ==
         sn_hash_bytes(sn_pack_tables(), bytes, MAGIC_SIZE + 8);
}

/* How many bytes a number has when it is packed. */
static size_t packed_size(uint64_t number) {
  size_t size = 1;

  while ((number >>= 7) != 0)
    size++;
  return size;
}

void sn_entry_add(sn_text *text, uint64_t number, sn_entry entry) {
  uint64_t time = entry.has_at ? entry.at + 1 : 0;
  size_t start = text->length;
  size_t size = entry.size > 0 ? packed_size(time) + entry.size : 0;

  sn_pack_number(text, size);
  if (size > 0) {
    sn_pack_number(text, time);
    sn_text_add_bytes(text, (const char *)entry.bytes, entry.size);
  }
  if (text->status == SEEN_OK)
    add_fixed(text,
              sn_hash_bytes(number, text->bytes + start, text->length - start),
              SUM_SIZE);
}

bool sn_entry_next(const uint8_t **at, const uint8_t *end, uint64_t number,
                   sn_entry *entry) {
  const uint8_t *start = *at;
  const uint8_t *next = start;
  uint64_t size;
  uint64_t time;

  *entry = (sn_entry){0};
  if (!sn_unpack_number(&next, end, &size) ||
      (uint64_t)(end - next) < SUM_SIZE ||
      size > (uint64_t)(end - next) - SUM_SIZE)
    return false;
  entry->bytes = next;
  next += size;
  if (take_fixed(next, SUM_SIZE) !=
      sn_hash_bytes(number, start, (size_t)(next - start)))
    return false;
  *at = next + SUM_SIZE;
  if (size == 0) return true;
  if (!sn_unpack_number(&entry->bytes, next, &time)) return false;
  entry->has_at = time > 0;
  entry->at = entry->has_at ? time - 1 : 0;
  entry->size = (size_t)(next - entry->bytes);
  return entry->size > 0;
}
