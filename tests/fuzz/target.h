/*
 * What the fuzz targets share. A target takes bytes that anybody may have
 * sent, and stops the process where something does not hold. libFuzzer makes
 * the bytes up; replay.c takes those of a corpus.
 */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <seen/sys/alloc.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Stops, saying what does not hold. */
#define REQUIRE(holds)                                                         \
  ((holds) ? (void)0 : target_stop(#holds, __FILE__, __LINE__))

_Noreturn void target_stop(const char *what, const char *file, int line);

/* Bytes being taken; all of them are 0 behind the end. */
typedef struct target_bytes {
  const uint8_t *at;
  const uint8_t *end;
} target_bytes;

bool target_has_more(const target_bytes *bytes);
uint8_t target_byte(target_bytes *bytes);
uint64_t target_number(target_bytes *bytes); /* of eight bytes */

/* 0 … limit − 1 by one byte; limit is 1 … 256. */
unsigned target_below(target_bytes *bytes, unsigned limit);

/* Has no block of more than a few megabytes: what is said in few bytes may ask
 * for all memory that there is. */
const seen_allocator *target_memory(void);

/* A NUL-terminated copy, to be freed. */
char *target_text(const uint8_t *bytes, size_t size);

/*
 * The next line, without its newline, of lines that each stand alone: a copy
 * of exactly its size, to be freed, so that one byte too far is noticed. NULL:
 * there is none.
 */
char *target_line(target_bytes *bytes, size_t *size);

/* The path of a file with these bytes, good until the next few. */
const char *target_file(const uint8_t *bytes, size_t size);
const char *target_file_named(const char *name, const uint8_t *bytes,
                              size_t size);

#endif
