/*
 * Numbers and text as bytes and back: numbers in groups of seven bits, the
 * low ones first; text by its length, with a NUL behind it, so that what is
 * read can be pointed at where it lies.
 */
#ifndef SN_STORE_BYTES_H
#define SN_STORE_BYTES_H

#include <seen/error.h>
#include <seen/sys/alloc.h>

/* The longest id, without its NUL. */
#define SN_ID_MAX 255

typedef struct sn_bytes {
  const seen_allocator *memory;
  uint8_t *at;
  size_t size;
  size_t capacity;
  int status; /* until it is emptied: SEEN_ENOMEM, or SEEN_EINVAL for a text
                 that is too long */
} sn_bytes;

void sn_bytes_init(sn_bytes *bytes, const seen_allocator *memory);
void sn_bytes_empty(sn_bytes *bytes);
void sn_bytes_free(sn_bytes *bytes);

void sn_bytes_add(sn_bytes *bytes, const void *piece, size_t size);
void sn_bytes_number(sn_bytes *bytes, uint64_t number);
void sn_bytes_text(sn_bytes *bytes, const char *text);

/* A checksum of bytes and of what they stand for, the seed. */
uint64_t sn_sum(uint64_t seed, const void *bytes, size_t size);

/* Adds 32 bits of the sum of all that was written since `start`. */
void sn_bytes_sum(sn_bytes *bytes, size_t start, uint64_t seed);

/* Bytes being read. Once `bad`, everything reads as 0. */
typedef struct sn_reader {
  const uint8_t *at;
  const uint8_t *end;
  bool bad;
} sn_reader;

/* Begins with bytes that end with their sum; `bad` where it differs. */
sn_reader sn_reader_of(const uint8_t *bytes, size_t size, uint64_t seed);

uint64_t sn_read_number(sn_reader *reader);

/* A number up to `most`; `bad` above. */
uint64_t sn_read_up_to(sn_reader *reader, uint64_t most);

/* Never NULL; "" where it is bad. */
const char *sn_read_text(sn_reader *reader);

#endif
