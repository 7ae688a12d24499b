/* The sum takes the bytes in one order on every machine: it is kept in files. */
#include "store/bytes.h"

#include <string.h>

#include "base/memory.h"

enum { SUM_SIZE = 4, NUMBER_MOST = 10 };

void sn_bytes_init(sn_bytes *bytes, const seen_allocator *memory) {
  *bytes = (sn_bytes){.memory = memory};
}

void sn_bytes_empty(sn_bytes *bytes) {
  bytes->size = 0;
  bytes->status = SEEN_OK;
}

void sn_bytes_free(sn_bytes *bytes) {
  sn_release(bytes->memory, bytes->at);
  sn_bytes_init(bytes, bytes->memory);
}

static bool reserve(sn_bytes *bytes, size_t more) {
  if (bytes->status) return false;
  if (more > SIZE_MAX - bytes->size ||
      SN_RESERVE(bytes->memory, &bytes->at, &bytes->capacity,
                 bytes->size + more))
    bytes->status = SEEN_ENOMEM;
  return !bytes->status;
}

void sn_bytes_add(sn_bytes *bytes, const void *piece, size_t size) {
  if (!size || !reserve(bytes, size)) return;
  memcpy(bytes->at + bytes->size, piece, size);
  bytes->size += size;
}

void sn_bytes_number(sn_bytes *bytes, uint64_t number) {
  if (!reserve(bytes, NUMBER_MOST)) return;
  for (; number > 0x7f; number >>= 7)
    bytes->at[bytes->size++] = (uint8_t)(number | 0x80);
  bytes->at[bytes->size++] = (uint8_t)number;
}

void sn_bytes_text(sn_bytes *bytes, const char *text) {
  size_t length = strlen(text);
  if (length > SN_ID_MAX && !bytes->status) bytes->status = SEEN_EINVAL;
  sn_bytes_number(bytes, length);
  sn_bytes_add(bytes, text, length + 1);
}

static uint64_t word_of(const uint8_t *at, size_t size) {
  uint64_t word = 0;
  for (size_t i = 0; i < size; i++)
    word |= (uint64_t)at[i] << (8 * i);
  return word;
}

/* In this shape compilers see that it is one load. */
static uint64_t whole_word_of(const uint8_t *at) {
  return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 |
         (uint64_t)at[3] << 24 | (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 |
         (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

/* Each step is a bijection of the state for a given word, and of the word for
 * a given state. */
static uint64_t mix(uint64_t state, uint64_t word) {
  state = (state ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return state ^ state >> 32;
}

uint64_t sn_sum(uint64_t seed, const void *bytes, size_t size) {
  const uint8_t *at = bytes;
  uint64_t state = mix(seed, size);
  for (; size >= 8; at += 8, size -= 8)
    state = mix(state, whole_word_of(at));
  return mix(mix(state, word_of(at, size)), 0);
}

void sn_bytes_sum(sn_bytes *bytes, size_t start, uint64_t seed) {
  uint64_t sum;
  uint8_t piece[SUM_SIZE];
  if (bytes->status) return;
  sum = sn_sum(seed, bytes->at + start, bytes->size - start);
  for (size_t i = 0; i < SUM_SIZE; i++)
    piece[i] = (uint8_t)(sum >> (8 * i));
  sn_bytes_add(bytes, piece, SUM_SIZE);
}

sn_reader sn_reader_of(const uint8_t *bytes, size_t size, uint64_t seed) {
  sn_reader reader = {bytes, bytes, true};
  if (!bytes || size < SUM_SIZE) return reader;
  reader.end = bytes + size - SUM_SIZE;
  reader.bad = (uint32_t)sn_sum(seed, bytes, size - SUM_SIZE) !=
               (uint32_t)word_of(reader.end, SUM_SIZE);
  return reader;
}

static uint64_t read_long_number(sn_reader *reader) {
  uint64_t number = 0;
  for (int shift = 0; !reader->bad && reader->at < reader->end; shift += 7) {
    uint8_t byte = *reader->at++;
    if (shift == 63 && byte > 1) break;
    number |= (uint64_t)(byte & 0x7f) << shift;
    if (byte <= 0x7f) return number;
  }
  reader->bad = true;
  return 0;
}

/* Most numbers are small. */
uint64_t sn_read_number(sn_reader *reader) {
  if (!reader->bad && reader->at < reader->end && *reader->at <= 0x7f)
    return *reader->at++;
  return read_long_number(reader);
}

uint64_t sn_read_up_to(sn_reader *reader, uint64_t most) {
  uint64_t number = sn_read_number(reader);
  if (number <= most) return number;
  reader->bad = true;
  return 0;
}

const char *sn_read_text(sn_reader *reader) {
  size_t length = (size_t)sn_read_up_to(reader, SN_ID_MAX);
  const char *text = (const char *)reader->at;
  if (reader->bad || (size_t)(reader->end - reader->at) <= length ||
      memchr(text, '\0', length + 1) != text + length) {
    reader->bad = true;
    return "";
  }
  reader->at += length + 1;
  return text;
}
