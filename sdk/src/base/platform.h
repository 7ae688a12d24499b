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
 * Locks the file, which is made where it is not there; it is deleted by nobody
 * but who has it locked. Waits for nobody: SEEN_ELOCKED where it is locked,
 * also by this process; SEEN_EREADONLY, SEEN_EFULL, SEEN_EIO.
 */
int sn_platform_lock(const char *path, sn_lock *lock, seen_error *error);

/* Unlocks; fine where it is not locked. */
void sn_platform_unlock(sn_lock *lock);

/* SEEN_ENOTFOUND where `from` is not there; what was at `to` is replaced. */
int sn_platform_rename(const char *from, const char *to, seen_error *error);

/* How large a file is, without opening it; SEEN_ENOTFOUND, SEEN_EIO. */
int sn_platform_size(const char *path, uint64_t *size, seen_error *error);

/* Deletes a file: SEEN_ENOTFOUND where it is not there. */
int sn_platform_remove(const char *path, seen_error *error);

/* Bytes that nobody can guess; SEEN_EIO. */
int sn_platform_random(void *bytes, size_t size, seen_error *error);

/* Milliseconds of a clock that never goes back. */
uint64_t sn_platform_clock(void);

#define SN_DATE_MAX 24

/* The present date by the wall clock, UTC, as "20260131T235959Z". */
void sn_platform_date(char date[SN_DATE_MAX]);

/* A number of the operating system's errors as one of ours. */
int sn_platform_code(int number);

/* Fails with `code`, and says what could not be done, to what (NULL: to
 * nothing that has a name), and the system's words for the number. */
int sn_platform_fail(int code, const char *what, const char *path, int number,
                     seen_error *error);

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

/* The one that asks; it is not joined by what this gives. */
sn_thread sn_platform_self(void);

/* Whether it is the one that asks. */
bool sn_platform_is_self(sn_thread thread);

/* One at a time; not twice by the same thread. */
typedef struct sn_mutex sn_mutex;

/* NULL: no memory. */
sn_mutex *sn_platform_mutex_new(const seen_allocator *memory);
void sn_platform_mutex_free(const seen_allocator *memory, sn_mutex *mutex);
void sn_platform_mutex_lock(sn_mutex *mutex);
void sn_platform_mutex_unlock(sn_mutex *mutex);

#define SN_FOREVER UINT32_MAX

/* What threads wait for that hold a mutex, and that others change. */
typedef struct sn_condition sn_condition;

/* NULL: no memory. */
sn_condition *sn_platform_condition_new(const seen_allocator *memory);
void sn_platform_condition_free(const seen_allocator *memory,
                                sn_condition *condition);

/* Lets go of the mutex, waits until somebody tells or time has passed, or for
 * no reason, and holds it again: look at what was waited for. */
void sn_platform_condition_wait(sn_condition *condition, sn_mutex *mutex,
                                uint32_t timeout_ms);
void sn_platform_condition_tell(sn_condition *condition);

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

/* True: it was raised, and is not any longer; false: time has passed. */
bool sn_platform_signal_wait(const sn_signal *raised, uint32_t timeout_ms);

/* What a loop polls for reading; it is readable while raised. */
intptr_t sn_platform_signal_descriptor(const sn_signal *raised);

/* A numeric address of IPv4 or IPv6. */
typedef struct sn_address {
  char text[64];
} sn_address;

#define SN_ADDRESSES 8

/*
 * The addresses of a host by name, best first; a numeric one is its own.
 * Blocks as long as the system likes, but not for a numeric one.
 * SEEN_ENOTFOUND: there is no such name, or nobody who knows.
 */
int sn_platform_resolve(const char *host, sn_address found[SN_ADDRESSES],
                        size_t *count);
bool sn_platform_is_address(const char *host);

/* A TCP connection, which never blocks by itself. */
typedef intptr_t sn_tcp;

#define SN_NO_TCP (-1)

/* Begins to connect; SN_NO_TCP where that failed already. */
sn_tcp sn_platform_tcp_connect(const char *address, uint16_t port);
void sn_platform_tcp_close(sn_tcp tcp);

/* Nothing goes through it any more, whoever has it open. */
void sn_platform_tcp_shut(sn_tcp tcp);

/* Waits until it is connected: SEEN_OK, SEEN_EBUSY not yet, SEEN_EIO never. */
int sn_platform_tcp_wait(sn_tcp tcp, uint32_t timeout_ms);

/* All or nothing of a few bytes. */
bool sn_platform_tcp_send(sn_tcp tcp, const char *bytes, size_t size);

/* One byte: SEEN_OK, SEEN_EBUSY none yet, SEEN_EIO none ever. */
int sn_platform_tcp_receive(sn_tcp tcp, char *byte, uint32_t timeout_ms);

/* Whether the other end closed it or it broke. */
bool sn_platform_tcp_is_over(sn_tcp tcp);

/* `place` becomes another name of `tcp`, whose own ends. */
bool sn_platform_tcp_move(sn_tcp tcp, sn_tcp place);

/*
 * Does something, and what the process does at a broken pipe is afterwards
 * what it was before.
 */
void sn_platform_keep_sigpipe(void (*act)(void *argument), void *argument);

/* Reads a file, up to `most` bytes, into memory that the caller releases:
 * SEEN_ENOTFOUND, SEEN_EIO, SEEN_ENOMEM, SEEN_EREADONLY where it may not be
 * read. */
int sn_platform_load(const char *path, size_t most,
                     const seen_allocator *memory, uint8_t **bytes,
                     size_t *size, seen_error *error);

#endif
