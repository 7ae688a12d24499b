/*
 * seen/sys/recorder.h: a flight recorder. It keeps the last inputs of an
 * engine and what the engine held before them, and gives both at any time as
 * a trace (docs/trace.md) that replays to the present state: what a user's
 * wrong badge is explained by. Timers fire in it when they are due; a host
 * whose ticks come late has written what it wrote a little later.
 *
 * It takes about the memory of the engine again, and a microsecond or two for
 * an input; its files take a write each time.
 *
 * A recorder holds no message text, as an engine does not. Its promise is
 * weaker than that of <seen/seen.h>, as the engine's.
 */
#ifndef SEEN_SYS_RECORDER_H
#define SEEN_SYS_RECORDER_H

#include <seen/error.h>
#include <seen/options.h>
#include <seen/sys/engine.h>
#include <seen/sys/store.h>
#include <seen/types.h>

SEEN_ASSUME_NONNULL_BEGIN

#ifdef __cplusplus
extern "C" {
#endif

/** A recorder of one engine. Used by the thread that uses the engine. */
typedef struct seen_recorder seen_recorder;

/** How to record. Initialise with seen_recorder_options_init(). */
typedef struct seen_recorder_options {
  uint32_t size;   /**< sizeof(seen_recorder_options) */
  size_t capacity; /**< 4096: how many inputs are kept; ticks are none */
  size_t bytes;    /**< 1 MiB: fewer, where they take more than that */
  /**
   * Where the inputs are written to as well, so that they can be read after
   * a crash: two files, of this name with "-0" and "-1" behind it, that take
   * turns. NULL: nowhere.
   */
  const char *SEEN_NULLABLE path;
  uint64_t file_bytes; /**< 4 MiB: how large each of the two gets */
} seen_recorder_options;

/**
 * Fills in the defaults, which stand beside each field above.
 *
 * Thread: any. Ownership: the caller's. Offline: yes.
 */
SEEN_API void seen_recorder_options_init(seen_recorder_options *options);

/**
 * Begins to record an engine, from whatever state it is in; its effects were
 * pulled. `options` is what it was made with. `store` is where it is written
 * to: it is read once, for what was written of conversations that are not
 * written as they are now. NULL: there are none, or nothing was.
 *
 * A file that can't be written is told through the log; recording goes on.
 *
 * Fails with SEEN_EINVAL for options that make no sense, SEEN_ENOMEM, or as
 * the store's load does. `*out` is NULL then.
 *
 * Thread: the engine's. Ownership: the caller frees `*out`, before the
 * engine; `options` and `recording` are copied, the allocator is that of
 * `options`. Offline: yes.
 */
SEEN_API int seen_recorder_new(const seen_recorder_options *recording,
                               const seen_options *options, seen_engine *engine,
                               seen_store *SEEN_NULLABLE store,
                               seen_recorder *SEEN_NULLABLE *SEEN_NONNULL out,
                               seen_error *SEEN_NULLABLE error);

/**
 * Frees a recorder; its files stay. NULL is fine.
 *
 * Thread: the engine's. Ownership: ends. Offline: yes.
 */
SEEN_API void seen_recorder_free(seen_recorder *SEEN_NULLABLE recorder);

/**
 * Notes an input that the engine was fed at `now` and took, when its effects
 * were pulled. One that it refused is not noted; where it lacked memory for
 * one, call seen_recorder_restart().
 *
 * Fails with SEEN_ECLOCK for a `now` below the last one, SEEN_EINVAL for an
 * input that no engine takes; nothing is noted then. Fails with SEEN_ENOMEM:
 * what was recorded is dropped then, and the next note begins anew with the
 * state that the engine is in.
 *
 * Thread: the engine's. Ownership: the input is the caller's. Offline: yes.
 */
SEEN_API int seen_recorder_note(seen_recorder *recorder,
                                const seen_input *input, uint64_t now,
                                seen_error *SEEN_NULLABLE error);

/**
 * Drops what was recorded and begins anew with the state that the engine is
 * in, as seen_recorder_new() without a store does.
 *
 * Fails with SEEN_ENOMEM; the next note tries again then.
 *
 * Thread: the engine's. Ownership: none. Offline: yes.
 */
SEEN_API int seen_recorder_restart(seen_recorder *recorder,
                                   seen_error *SEEN_NULLABLE error);

/** How conversations, people and devices are called in a trace. */
typedef enum seen_recorder_names {
  SEEN_NAMES_REAL = 0,
  /**
   * By others, each always by the same: "c", "u" or "d" and a number, that
   * sort by bytes as the real ones do.
   */
  SEEN_NAMES_PSEUDONYMS = 1
} seen_recorder_names;

/**
 * Takes one line of a trace: text without a newline, with a NUL behind it, the
 * callee's only until it returns. Not 0 ends the call, which returns that.
 */
typedef int (*seen_recorder_take)(const char *line, size_t length,
                                  void *SEEN_NULLABLE user_data);

/**
 * Gives what is recorded as a trace: `me`, the states of a time, and the
 * inputs since.
 *
 * Fails with SEEN_ENOMEM, or as `take` does.
 *
 * Thread: the engine's. Ownership: none. Offline: yes.
 */
SEEN_API int seen_recorder_dump(seen_recorder *recorder,
                                seen_recorder_names names,
                                seen_recorder_take take,
                                void *SEEN_NULLABLE user_data,
                                seen_error *SEEN_NULLABLE error);

/**
 * Gives what a recorder wrote to its files as a trace, also after a crash: up
 * to the last entry that was written whole. Where the states did not fit in
 * half a file, inputs alone follow `me`. `path` is as in the options,
 * `allocator` NULL the default one.
 *
 * Fails with SEEN_ENOTFOUND where there are no such files, SEEN_ECORRUPT
 * where none of them holds a beginning, or another version of the library
 * wrote them; SEEN_EIO, SEEN_ENOMEM, or as `take` does.
 *
 * Thread: any. Ownership: none. Offline: yes.
 */
SEEN_API int seen_recorder_read(const char *path, seen_recorder_names names,
                                const seen_allocator *SEEN_NULLABLE allocator,
                                seen_recorder_take take,
                                void *SEEN_NULLABLE user_data,
                                seen_error *SEEN_NULLABLE error);

#ifdef __cplusplus
}
#endif

SEEN_ASSUME_NONNULL_END

#endif
