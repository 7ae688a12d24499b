/*
 * What the library needs of an operating system; platform/ has it once for
 * each. Paths are UTF-8. Nothing here opens a database file: whoever closes
 * a descriptor of one drops the locks that SQLite holds on it.
 */
#ifndef SN_BASE_PLATFORM_H
#define SN_BASE_PLATFORM_H

#include <seen/error.h>
#include <seen/sys/alloc.h>

/* A lock on a file of its own, which ends with the process at the latest. */
typedef struct sn_lock {
  intptr_t handle; /* SN_UNLOCKED: none is held */
} sn_lock;

#define SN_UNLOCKED (-1)

/*
 * Locks the file, which is made where it is not there and is never deleted.
 * Waits for nobody: SEEN_ELOCKED where it is locked, also by this process;
 * SEEN_EREADONLY, SEEN_EFULL, SEEN_EIO.
 */
int sn_platform_lock(const char *path, sn_lock *lock, seen_error *error);

/* Unlocks; fine where it is not locked. */
void sn_platform_unlock(sn_lock *lock);

/* SEEN_ENOTFOUND where `from` is not there; what was at `to` is replaced. */
int sn_platform_rename(const char *from, const char *to, seen_error *error);

/* How large a file is, without opening it; SEEN_ENOTFOUND, SEEN_EIO. */
int sn_platform_size(const char *path, uint64_t *size, seen_error *error);

/* Milliseconds of a clock that never goes back. */
uint64_t sn_platform_clock(void);

#define SN_DATE_MAX 24

/* The present date by the wall clock, UTC, as "20260131T235959Z". */
void sn_platform_date(char date[SN_DATE_MAX]);

/* A number of the operating system's errors as one of ours. */
int sn_platform_code(int number);

/* A file that is being written. */
typedef struct sn_stream {
  intptr_t handle; /* SN_NO_STREAM: none is open */
} sn_stream;

#define SN_NO_STREAM (-1)

/* Opens an empty file for writing; what was there is gone. */
int sn_platform_create(const char *path, sn_stream *stream, seen_error *error);

/* Writes all of it behind what is there. */
int sn_platform_write(const sn_stream *stream, const void *bytes, size_t size,
                      seen_error *error);

/* Fine where none is open. */
void sn_platform_close(sn_stream *stream);

/* Reads a file, up to `most` bytes, into memory that the caller releases:
 * SEEN_ENOTFOUND, SEEN_EIO, SEEN_ENOMEM, SEEN_EREADONLY where it may not be
 * read. */
int sn_platform_load(const char *path, size_t most,
                     const seen_allocator *memory, uint8_t **bytes,
                     size_t *size, seen_error *error);

#endif
