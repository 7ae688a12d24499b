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

/*
 * A thread that answers to no signal: those are for the host's own. What it
 * runs returns what sn_platform_join() is not interested in: NULL.
 */
typedef struct sn_thread {
  uintptr_t handle;
} sn_thread;

/* SEEN_EIO where the system gives no thread; nothing runs then. */
int sn_platform_thread(void *(*run)(void *argument), void *argument,
                       sn_thread *thread, seen_error *error);

/* Waits for its end; each thread is joined or left, once. */
void sn_platform_join(sn_thread thread);

/* Nobody will wait for it. */
void sn_platform_leave(sn_thread thread);

/* Whether it is the one that asks. */
bool sn_platform_is_self(sn_thread thread);

/* One at a time; not twice by the same thread. */
typedef struct sn_mutex sn_mutex;

/* NULL: no memory. */
sn_mutex *sn_platform_mutex_new(const seen_allocator *memory);
void sn_platform_mutex_free(const seen_allocator *memory, sn_mutex *mutex);
void sn_platform_mutex_lock(sn_mutex *mutex);
void sn_platform_mutex_unlock(sn_mutex *mutex);

/*
 * Something that one waits for and others raise. It stays raised until a wait
 * has seen it, however often it was raised.
 */
typedef struct sn_signal {
  intptr_t ends[2]; /* to wait at, to raise */
} sn_signal;

/* SEEN_EIO where the system gives no descriptor. */
int sn_platform_signal_open(sn_signal *raised, seen_error *error);
void sn_platform_signal_close(sn_signal *raised);

/* From any thread. */
void sn_platform_signal_raise(const sn_signal *raised);

#define SN_FOREVER UINT32_MAX

/* True: it was raised, and is not any longer; false: time has passed. */
bool sn_platform_signal_wait(const sn_signal *raised, uint32_t timeout_ms);

/* What a loop polls for reading; it is readable while raised. */
intptr_t sn_platform_signal_descriptor(const sn_signal *raised);

/* Reads a file, up to `most` bytes, into memory that the caller releases:
 * SEEN_ENOTFOUND, SEEN_EIO, SEEN_ENOMEM, SEEN_EREADONLY where it may not be
 * read. */
int sn_platform_load(const char *path, size_t most,
                     const seen_allocator *memory, uint8_t **bytes,
                     size_t *size, seen_error *error);

#endif
